# --memory is a promise: what is resident stays below it and 64 MB; the answer has the same bits. Files that change or are
# cut short while they are read end with one line and exit 3.
rows=50000
[ -z "$sanitized" ] || rows=5000
refuse 2 solve A.npy --memory 1X
says "--memory wants a number of bytes such as"
refuse 2 info A.npy --memory 0
run 0 gen large --n $rows --d 500 --out L --json # 200 MB
set_spec=$(get set)
same "rows" "$(get rows)" $rows
same "shape" "$("$probe" shape L/A.npy)" "($rows, 500)"

# whether the machine is such that the sketch is enough, or that the Gram matrix is cheaper than to go on with it
run 0 plan L/A.npy L/y.npy --set "$set_spec" # measures the machine, and keeps the figures
for flops in 80e9 40e9; do
    sed -i -e "s/\"syrk_flops\": .*/\"syrk_flops\": $flops,/" -e 's/"read_bytes": .*/"read_bytes": 30e9,/' \
        -e "s/\"gradient_bytes\": .*/\"gradient_bytes\": $([ $flops = 80e9 ] && echo 28e9 || echo 17e9),/" \
        "$XDG_CACHE_HOME"/gpis/machine-*.json
    run 0 solve L/A.npy L/y.npy --set "$set_spec" --m 2000 --method newton --tol 1e-9 --quiet --out mapped.npy
    measured 64 0 solve L/A.npy L/y.npy --set "$set_spec" --m 2000 --method newton --tol 1e-9 --json --out streamed.npy
    same "m" "$(cmp mapped.npy streamed.npy && echo same)" same
done
measured 64 0 solve L/A.npy L/y.npy --set "$set_spec" --out x.npy --quiet # the plan finds what fits
measured 64 0 info L/A.npy
prints "fine: every entry is finite"
measured 150 0 check L/A.npy L/y.npy x.npy --set "$set_spec"
if [ -z "$sanitized" ]; then # no memory for the Gram matrix: only the first bound, which is enough for so few rows
    run 0 solve L/A.npy L/y.npy --set "$set_spec" --method apgd --tol 1e-3 --quiet --out rough.npy
    measured 6 1 check L/A.npy L/y.npy rough.npy --set "$set_spec"
    says "does not fit in the memory allowed"
fi
run 0 plan L/A.npy L/y.npy --set "$set_spec" --memory 16M
prints "of memory, and 16M are left"
prints "17 MB allowed"
refuse 3 solve L/A.npy L/y.npy --set "$set_spec" --memory 2M --method newton
says "are allowed: give --memory "
refuse 3 plan L/A.npy L/y.npy --set "$set_spec" --memory 2M --method newton
says "are allowed: give --memory "

# no memory for the Gram matrix, and a free constant: the sums of the columns are enough for a bound of a bounded set or
# a penalty; where there is no bound, the run ends, and says why
run 0 gen large --n 2000 --d 100 --out W
awk 'BEGIN { for (i = 0; i < 2000; i++) print i % 4 }' >w.csv
for what in "--penalty l1:200" "--set l1:2"; do
    run 0 solve W/A.npy W/y.npy $what --intercept --standardize --weights w.csv --json
    best=$(get objective)
    run 0 solve W/A.npy W/y.npy $what --intercept --standardize --weights w.csv --memory 1200K --json
    same "method" "$(get method)" apgd
    same "bound" "$(get gap_kind)" proven
    holds "the gap of $what" "$(get objective) - $best <= $(get gap) * (1 + 1e-9) + 1e-12 * $best"
done
run 1 solve W/A.npy W/y.npy --set nonneg --memory 1200K --json
same "outcome" "$(get status)" stalled
says "raise the limit (--memory)"

# single precision, and the same numbers whatever the order of the file
run 0 gen large --n 8000 --d 30 --sparsity 5 --float32 --out S --json
single=$(get set)
run 0 solve S/A.npy S/y.npy --set "$single" --json
a=$(get objective)
run 0 solve S/A.npy S/y.npy --set "$single" --memory 1800K --json
same "objective" "$(get objective)" "$a"

# cut short while it is read, mapped and by windows: one line, exit 3
for limit in 64M 8G; do
    cp L/A.npy cut.npy
    "$gpis" solve cut.npy L/y.npy --set "$set_spec" --method pgd --max-passes 100000 --memory $limit --trace trace \
        >stdout 2>stderr &
    job=$!
    sleep 0.7
    truncate -s 1000000 cut.npy
    wait $job
    same "exit code, cut short under $limit" "$?" 3
    same "lines of trouble" "$(wc -l <stderr)" 1
    grep -qE '^gpis: .*(cut short|must not change)' stderr || fail "the message is '$(cat stderr)'"
    if "$probe" nameless .; then missing trace; fi
    rm -f cut.npy trace*
done
cp L/A.npy touched.npy
"$gpis" solve touched.npy L/y.npy --set "$set_spec" --method pgd --max-passes 100000 --memory 64M >stdout 2>stderr &
job=$!
sleep 0.7
printf 'x' | dd of=touched.npy bs=1 seek=5000000 conv=notrunc 2>/dev/null
wait $job
same "exit code, written to" "$?" 3
says "must not change while it is read"

# the example, small
rm -rf L touched.npy
checks=$((checks + 1))
sh "$tree/examples/larger-than-memory" "$gpis" 60 16 >stdout 2>stderr || fail "the example ended with $?"
prints "certificate   proven"
