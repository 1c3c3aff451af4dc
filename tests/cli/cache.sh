# --cache and --memory with text: the same x, one parse, and clear words where it cannot be.
awk 'BEGIN { print "a,b,c,y"; for (i = 0; i < 60000; i++) { a = i * 7919 % 10007; b = i * 104729 % 997; c = i % 89
     print a / 7 "," b / 3 "," c "," a / 9 - b / 4 + c / 3 + i % 13 } }' >t.csv
tail -n +2 t.csv | awk -F, '{ print $4 " 1:" $1 " 2:" $2 " 3:" $3 }' >t.svm
mkdir folder

run 0 solve t.csv --target y --out plain.npy --quiet
run 0 solve t.svm --out sparse.npy --quiet
run 0 solve t.csv --target y --cache folder --out x.npy --quiet
cmp -s plain.npy x.npy || fail "the cache changes the bits of x"
same "caches" "$(ls folder | wc -l)" 1
run 0 solve t.svm --cache folder --out x.npy --quiet
cmp -s sparse.npy x.npy || fail "the cache changes the bits of x"
# A megabyte does not hold the numbers: beside the file, and used again.
run 0 solve t.csv --target y --memory 2M --cache folder --out x.npy --quiet
cmp -s plain.npy x.npy || fail "rows from the cache change the bits of x"
run 0 solve t.svm --memory 5M --cache folder --out x.npy --quiet
cmp -s sparse.npy x.npy || fail "rows from the cache change the bits of x"
same "caches" "$(ls folder | wc -l)" 2

# The original changes: the cache does not matter.
awk 'NR == 5 { print "1,2,3,4000"; next } { print }' t.csv >other.csv
mv other.csv t.csv
run 0 solve t.csv --target y --out plain.npy --quiet
run 0 solve t.csv --target y --cache folder --out x.npy --quiet
cmp -s plain.npy x.npy || fail "an old cache was used"

refuse 3 solve t.csv --target y --cache nowhere
says "--cache"
says "nowhere"
run 0 info t.csv --cache folder
prints "60000 x 4"
printf '%%%%MatrixMarket matrix coordinate real general\n100000 3 200000\n1 1 1\n' >t.mtx
refuse 3 solve t.mtx --memory 2M
says "takes 17M of memory; raise --memory"
