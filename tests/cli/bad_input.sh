# Bad files and bad sets: one line that names the file, exit 2 or 3, and no output file half written.
npy '3, 2' 1 0 0 1 1 1 >A.npy
npy '3,' 1 0 1 >y.npy
run 0 solve A.npy y.npy --set l1:0.5 --quiet --out good.npy

bad() { # bad CODE FILE ARGUMENTS...: refused, FILE is named, the old x.npy is untouched and nothing lies beside it
    expected=$1 named=$2
    shift 2
    echo old >x.npy
    rm -f trace.jsonl
    refuse "$expected" solve "$@" --out x.npy --trace trace.jsonl
    says "$named"
    same "the old x.npy" "$(cat x.npy)" old
    same "what lies there" "$(ls x.npy* trace.jsonl* 2>/dev/null)" x.npy
}

bad 3 nowhere.npy nowhere.npy y.npy
bad 3 nowhere.npy A.npy nowhere.npy
bad 2 A.npy A.npy
npy '2,' 1 0 >short.npy
bad 2 short.npy A.npy short.npy

npy '3, 2' 1 0 0 1 1 >truncated.npy
bad 2 truncated.npy truncated.npy y.npy
npy '3000000, 2' 1 0 0 1 1 1 >lying.npy
bad 2 lying.npy lying.npy y.npy
npy '9223372036854775807, 9223372036854775807' 1 >overflow.npy
bad 2 overflow.npy overflow.npy y.npy
npy '-3, 2' 1 0 0 1 1 1 >negative.npy
bad 2 negative.npy negative.npy y.npy
npy '0, 2' >empty.npy
bad 2 empty.npy empty.npy y.npy
npy '3, 2' 1 0 0 1 1 1 | sed 's|<f8|<c8|' >complex.npy
bad 2 complex.npy complex.npy y.npy
printf 'hello' >text.npy
bad 2 text.npy text.npy y.npy
: >nothing.npy
bad 2 nothing.npy nothing.npy y.npy
npy '3, 2' 1 0 0 nan 1 1 >nan.npy
bad 2 nan.npy nan.npy y.npy
says "row 2"
says "column 2"
npy '3, 2' 1 0 0 1 inf 1 >inf.npy
bad 2 inf.npy inf.npy y.npy
says "row 3"
says "column 1"
npy '3,' 1 nan 1 >nan-y.npy
bad 2 nan-y.npy A.npy nan-y.npy
says "row 2"

: >nothing.csv
bad 2 nothing.csv nothing.csv y.npy
printf 'a,b\n1,2\n3\n5,6\n' >ragged.csv
bad 2 ragged.csv ragged.csv y.npy
says "line 3"
printf 'a,b\n1,2\n3,\n5,6\n' >missing.csv
bad 2 missing.csv missing.csv y.npy
says "line 3"
printf 'a,b\n1,2\n3,4\n5,six\n' >word.csv
bad 2 word.csv word.csv y.npy
says "line 4"
printf 'a,b\n1,2\n3,4\n5,6\n' >fine.csv
bad 2 colour fine.csv --target colour
printf '%%%%MatrixMarket matrix coordinate real general\n3 2 1\n4 1 1\n' >range.mtx
bad 2 range.mtx range.mtx y.npy
printf '%%%%MatrixMarket matrix coordinate real general\n3 2 2\n1 1 1\n' >count.mtx
bad 2 count.mtx count.mtx y.npy
printf '1 2:1 1:1\n' >order.svm
bad 2 order.svm order.svm
printf 'hello' >packed.csv.gz
bad 2 packed.csv.gz packed.csv.gz y.npy
cp A.npy A.xyz
bad 2 A.xyz A.xyz y.npy

for spec in l1 l1: l1:-1 l1:abc l1:nan l1:1x ball:1 box:1,0 box:1 simplex:-1 group:1:0 nonneg:3 l1:1@nowhere; do
    refuse 2 solve A.npy y.npy --set $spec --out x.npy
    same "the old x.npy" "$(cat x.npy)" old
done
refuse 3 solve A.npy y.npy --set l1:1@nowhere.npy
refuse 2 solve A.npy y.npy --delta 0
says "delta"
refuse 2 solve A.npy y.npy --method magic
says "magic"
refuse 2 solve A.npy y.npy --x0 y.npy
says "y.npy"

# Outputs are tried before the work begins.
refuse 3 solve A.npy y.npy --out nowhere/x.npy
says "nowhere"
refuse 3 solve A.npy y.npy --trace nowhere/t.jsonl
mkdir folder.npy
refuse 2 solve A.npy y.npy --out folder.npy

# Columns that depend on each other: solved where they do so exactly, and within a horizon where they do so nearly.
awk 'BEGIN {
    print "one,a,b,c,x,twice,y"
    for (i = 1; i <= 60; i++) {
        g = i % 3; x = (i * 37 % 101 - 50) / 8
        printf "1,%d,%d,%d,%.17g,%.17g,%.17g\n", g == 0, g == 1, g == 2, x, 2 * x, (i * i % 17) + 0.25 * x
    }
}' >dummies.csv
run 0 solve dummies.csv --target y --json
same "stderr" "$(cat stderr)" ""
same "dependent columns" "$(get status) $(get gap_kind)" "solved proven"
sed '5s/^1,/1.0000000000000002,/' dummies.csv >nearly.csv
run 0 solve nearly.csv --target y --json
holds "nearness" "$(get nearness) > 0 && $(get nearness) < 1e-16"
says "columns 'one', 'a', 'b' and 'c' depend on each other but for rounding"
sed '5s/^1,/1.0000000000002,/' dummies.csv >nearly.csv
run 0 solve nearly.csv --target y --json
same "nearly dependent columns" "$(get status) $(get nearness)" "solved 0"
holds "horizon" "$(get horizon) > 100"
run 0 solve nearly.csv --target y --set l2:100 --json
