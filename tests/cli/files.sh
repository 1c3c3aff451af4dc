# The kinds of files, by solve and info: one problem in many dresses has one answer.
printf 'one,two,"the y"\n1,0,1.5\n0,1,2\n1,1,3\n1,0,1\n' >t.csv
tr , '\t' <t.csv >t.tsv
gzip -c t.csv >t2.csv.gz
printf '%%%%MatrixMarket matrix coordinate real general\n4 2 5\n1 1 1\n2 2 1\n3 1 1\n3 2 1\n4 1 1\n' >t.mtx
printf '1.5\n2\n3\n1\n' >y.csv
printf '1.5 1:1\n2 2:1\n3 1:1 2:1\n1 1:1\n' >t.svm
npy '4, 2' 1 0 0 1 1 1 1 0 >t.npy

# Normal equations 3 a + b = 5.5, a + 2 b = 5: a = 1.2, b = 1.9, residual 0.3, 0.1, -0.1, -0.2.
for files in "t.csv --target 3" "t.tsv --target" "t2.csv.gz --target" "t.mtx y.csv" "t.svm" "t.npy y.csv"; do
    case $files in
    *--target) run 0 solve ${files% *} --target "the y" --json --out x.npy ;;
    *) run 0 solve $files --json --out x.npy ;;
    esac
    holds "objective of $files" "($(get objective) - 0.15)^2 < 1e-16"
    same "shape of $files" "$(get rows) $(get cols)" "4 2"
    npy_x=$(od -An -t f8 -j 128 x.npy)
    set -- $npy_x
    holds "x of $files" "($1 - 1.2)^2 < 1e-8 && ($2 - 1.9)^2 < 1e-8"
done

run 0 solve t.csv --target "the y" --set nonneg
prints "name  coefficient"
grep -q '^  two *1\.9' stdout || fail "coefficients are not reported by name"

run 0 info t.csv t.mtx t.svm t.npy --json
"$probe" json stdout || fail "info --json is not JSON"
run 0 info t.csv t.mtx t.svm t.npy
prints "4 x 2"
prints "62.5 %"
prints "y is inside"
prints "one two"

# Trouble with one file does not keep info from the others.
npy '2, 2' 1 nan 0 1 >nan.npy
run 2 info nan.npy t.npy
says "nan.npy"
prints "t.npy"
prints "4 x 2"
same "lines on stderr" "$(wc -l <stderr)" 1
run 3 info nowhere.npy t.npy
says "nowhere.npy"
prints "4 x 2"
run 2 info nan.npy --json
"$probe" json stdout || fail "info --json is not JSON when there is trouble"
