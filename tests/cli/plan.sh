# gpis plan: the table, the JSON object, what is kept of the machine's speed, and refusals.
run 0 gen syn1 --n 2000 --d 20 --sparsity 4 --cond 1e3 --out p
missing cache
run 0 solve p/A.npy p/y.npy --set l1:3 --json
missing cache # too small to measure for
planned=$(get plan)
holds "predicted passes" "$(get predicted_passes) == 1"
holds "predicted seconds" "$(get predicted_seconds) > 0 && $(get predicted_seconds) < 1"

run 0 plan p/A.npy p/y.npy --set l1:3
same "stderr" "$(cat stderr)" ""
prints "2000 rows, 20 columns, row-major"
prints "set           l1:3"
prints "measured now"
prints "* newton, Gram matrix"
prints "newton, sketch of 160 rows"
prints "too many rows for a sketch"
prints "newton, sample of 320 rows"
prints "of dense rows a sketch costs little more"
prints "apgd"
prints "plan          newton with the Gram matrix of 20 columns, 1 pass expected"
same "files kept" "$(ls cache/gpis | wc -l)" 1
run 0 plan p/A.npy p/y.npy
prints "as measured before"

# A file that is damaged, or of another machine, is made again; one that cannot be kept is done without.
kept=$(ls cache/gpis/*)
echo '{"threads": 2, "read_bytes": -1' >"$kept"
run 0 plan p/A.npy p/y.npy
prints "measured now"
sed 's/"threads": [0-9]*/"threads": 4096/' "$kept" >other && cp other "$kept"
run 0 plan p/A.npy p/y.npy
prints "measured now"
same "files kept" "$(ls cache/gpis | wc -l)" 1
XDG_CACHE_HOME=$work/p/A.npy
run 0 plan p/A.npy p/y.npy
prints "not measured, usual figures"
XDG_CACHE_HOME=$work/cache

run 0 plan p/A.npy p/y.npy --set l1:3 --json
same "keys" "$("$probe" keys stdout)" "plan method sketch m predicted_passes predicted_seconds set rows cols responses threads \
machine candidates version"
same "what solve did" "$(get plan)" "$planned"
same "candidates" "$(grep -c '"reason"' stdout)" 12
same "samples" "$(grep -c '"sketch": "sample"' stdout)" 3
same "chosen" "$(grep -c '"chosen": true' stdout)" 1

run 0 plan p/A.npy p/y.npy --method saga
prints "plan          saga, as asked for"
run 0 plan p/A.npy p/y.npy --m 200
prints "* newton, sketch of 200 rows"
prints "as asked for"
run 0 plan p/A.npy p/y.npy --m 200 --sketch sample
prints "* newton, sample of 200 rows"
prints "plan          newton with a sample of 200 rows, as asked for"
run 0 plan p/A.npy p/y.npy --sketch sparse-sign --json
same "sketches that were not named" "$(grep -c '"sketch": "sample"\|"sketch": "count"' stdout)" 0
run 0 solve p/A.npy p/y.npy --m 200 --sketch sample --method newton --json
same "outcome by a sample" "$(get status), $(get sketches)" "solved, 1"
run 0 plan p/A.npy p/y.npy --certificate proven
prints "a sketch would prove nothing"
run 0 plan p/A.npy p/y.npy --quiet
same "output of --quiet" "$(cat stdout stderr)" ""

refuse 2 plan
says "plan needs the file of A"

# y matters by the number of its columns alone: without it, one is assumed.
run 0 plan p/A.npy p/y.npy --set l1:3 --json
sed 's/"seconds": [^,]*,//; s/"predicted_seconds": [^,]*,//' stdout >with_y
run 0 plan p/A.npy --set l1:3 --json
sed 's/"seconds": [^,]*,//; s/"predicted_seconds": [^,]*,//' stdout >without_y
cmp -s with_y without_y || fail "the plan without y is another one: $(diff with_y without_y)"
same "responses" "$(get responses)" 1
printf 'p/A.npy\n' >parts.txt
run 0 plan @parts.txt --set l1:3
prints "plan          newton with the Gram matrix of 20 columns"
refuse 2 solve p/A.npy
says "holds no y"
refuse 2 check p/A.npy p/y.npy
says "holds no y"
refuse 2 plan p/A.npy p/y.npy p/y.npy
says "one too many"
refuse 2 plan p/A.npy p/y.npy --method magic
says "magic"
refuse 2 plan p/A.npy p/y.npy --set l1:-3
refuse 2 plan p/A.npy p/y.npy --m 3000
refuse 2 plan p/A.npy p/y.npy --out x.npy
refuse 3 plan nowhere.npy p/y.npy
