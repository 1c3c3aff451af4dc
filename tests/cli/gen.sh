# The generated problems: shapes, spectra, sets, the same files at any number of threads.
run 0 gen syn1 --n 3000 --d 20 --sparsity 4 --out a/b/syn1
"$probe" json a/b/syn1/problem.json || fail "problem.json is not JSON"
same "A" "$("$probe" shape a/b/syn1/A.npy)" "(3000, 20)"
same "y" "$("$probe" shape a/b/syn1/y.npy)" "(3000,)"
same "x_true" "$("$probe" shape a/b/syn1/x_true.npy)" "(20,)"
set -- $("$probe" norms a/b/syn1/x_true.npy)
same "nonzeros of x_true" "$3" 4
radius=$("$probe" get a/b/syn1/problem.json set)
holds "the radius is the norm of x_true" "(${radius#l1:} - $1)^2 < 1e-30 * $1^2"
ratio=$("$probe" spectrum a/b/syn1/A.npy)
holds "L/mu = 1e7" "$ratio / 1e7 - 1 < 1e-6 && 1 - $ratio / 1e7 < 1e-6"

truth=$("$probe" objective a/b/syn1/A.npy a/b/syn1/y.npy a/b/syn1/x_true.npy)
reported=$("$probe" get a/b/syn1/problem.json x_true_objective)
holds "x_true_objective" "$reported / $truth - 1 < 1e-9 && 1 - $reported / $truth < 1e-9"
# ||A x|| / ||w|| = 10, so ||y||^2 is about 101 ||w||^2; w is nearly orthogonal to A x.
npy '20,' 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 >zero.npy
size=$("$probe" objective a/b/syn1/A.npy a/b/syn1/y.npy zero.npy)
holds "noise" "$size / $truth > 98 && $size / $truth < 104"

run 0 gen syn1 --n 3000 --d 20 --sparsity 4 --threads 1 --quiet --out one
same "stdout of --quiet" "$(cat stdout)" ""
for file in A.npy y.npy x_true.npy problem.json; do
    cmp -s a/b/syn1/$file one/$file || fail "$file depends on the number of threads"
done
run 0 gen syn1 --n 3000 --d 20 --sparsity 4 --seed 2 --out two
cmp -s one/A.npy two/A.npy && fail "the seed does not matter"

run 0 gen syn4 --n 2000 --d 10 --sparsity 3 --cond 1e4 --literal-recipe --out literal
ratio=$("$probe" spectrum literal/A.npy)
holds "the printed recipe: L/mu = cond^(2 (d - 1) / d)" "$ratio / 1e4^1.8 - 1 < 1e-6 && 1 - $ratio / 1e4^1.8 < 1e-6"

run 0 gen syn2 --n 1000 --d 16 --sparsity 2 --out syn2
same "U" "$("$probe" shape syn2/U.npy)" "(16, 16)"
orthogonal=$("$probe" spectrum syn2/U.npy)
holds "U is orthogonal" "$orthogonal - 1 < 1e-12"
same "the set's domain" "$("$probe" get syn2/problem.json set | sed 's/.*@//')" "U.npy"

run 0 gen syn3 --n 500 --d 12 --k 8 --sparsity 3 --json --out syn3
same "responses" "$(get responses)" 8
same "y" "$("$probe" shape syn3/y.npy)" "(500, 8)"
same "X" "$("$probe" shape syn3/x_true.npy)" "(12, 8)"
set -- $("$probe" norms syn3/x_true.npy)
same "rank of X" "$4" 3
holds "nuclear radius" "($2 - $(get set | sed 's/nuclear://')) / $2 < 1e-12"
ratio=$("$probe" spectrum syn3/A.npy)
holds "L/mu = 1e4" "$ratio / 1e4 - 1 < 1e-6 && 1 - $ratio / 1e4 < 1e-6"

run 0 gen magic04 --data "$tree/data/magic04/magic04.data" --out magic
same "A" "$("$probe" shape magic/A.npy)" "(19020, 50)"
same "columns" "$(sed -n 9p magic/columns.txt) $(wc -l <magic/columns.txt)" "fAlpha 50"
same "header" "$(head -1 magic/features.csv | cut -d, -f1,11,51)" "fLength,random01,class"
same "rows of features.csv" "$(wc -l <magic/features.csv)" 19021
# Mean 0 and variance 1, seen through the text file.
awk -F, 'NR > 1 { for (j = 1; j <= NF; j++) { s[j] += $j; q[j] += $j * $j } }
    END { for (j = 1; j <= 50; j++) if (s[j]^2 > 1e-12 || (q[j] / (NR - 1) - 1)^2 > 1e-18) exit 1; exit s[51]^2 > 1e-12 }' \
    magic/features.csv || fail "a column is not normalised"

# Trouble leaves nothing behind.
printf '1,2,3,4,5,6,7,8,9,10,g\n1,2,3,4,5,6,7,8,9,10,x\n' >bad.data
refuse 2 gen magic04 --data bad.data --out bad
says "bad.data, line 2"
missing bad/A.npy
refuse 3 gen magic04 --data nowhere.data --out bad
says "nowhere.data"
echo file >file
refuse 3 gen syn1 --n 50 --d 5 --sparsity 2 --out file
refuse 3 gen syn1 --n 50 --d 5 --sparsity 2 --out file/sub
