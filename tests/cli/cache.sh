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

# Several runs make the same cache at once, of a new file and of one whose cache is old: each has its x, one cache stays.
rm -rf folder && mkdir folder
for round in new old; do
    run 0 solve t.csv --target y --out plain.npy --quiet
    for i in 1 2 3 4; do
        "$gpis" solve t.csv --target y --memory 6M --cache folder --out x$i.npy --quiet 2>trouble$i &
    done
    wait
    for i in 1 2 3 4; do
        cmp -s plain.npy x$i.npy || fail "run $i of 4 on a $round file: $(cat trouble$i)"
    done
    same "files of 4 runs on a $round file" "$(ls folder | sed 's/.*\.//')" "gpis-cache"
    sed '7s/.*/4,3,2,1000/' t.csv >other.csv && mv other.csv t.csv
done

# Killed while it makes a cache: nothing is left.
if "$probe" nameless folder; then
    rm -f folder/*
    for i in 1 2 3 4 5 6 7 8; do tail -n +2 t.csv; done >long.csv
    for moment in 0.05 0.1 0.2 0.4; do
        "$gpis" solve long.csv --target 4 --cache folder --quiet 2>/dev/null &
        job=$!
        sleep $moment
        kill -KILL $job 2>/dev/null
        wait $job 2>/dev/null
        same "files after a kill" "$(ls folder | grep -v 'gpis-cache$')" ""
    done
fi

# No space for the cache (here: a limit for files): the answer, then one line, and no cache is left.
mkdir small
command="solve with a cache that may not grow"
(
    ulimit -f 16
    "$gpis" solve t.csv --target 4 --cache small >stdout 2>stderr
    echo $? >code
)
same "exit code" "$(cat code)" 3
says "cannot be written: File too large"
same "messages" "$(wc -l <stderr)" 1
prints "outcome       solved"
same "what is left" "$(ls small)" ""
(
    ulimit -f 16
    "$gpis" solve t.csv --target 4 --cache small --memory 2M >stdout 2>stderr
    echo $? >code
)
command="solve with a cache that may not grow, and rows that do not fit in memory"
same "exit code" "$(cat code)" 3
says "cannot be written: File too large"
same "messages" "$(wc -l <stderr)" 1
same "output" "$(cat stdout)" ""
refuse 2 solve t.csv --target 4 --cache ""
says "the folder for the cache has no name"
