# Where data may come from besides files with an ending: standard input, pipes, --format; and how reading them looks.
awk 'BEGIN { print "a,b,c,y"; for (i = 0; i < 60000; i++) { a = i * 7919 % 10007; b = i * 104729 % 997; c = i % 89
     print a / 7 "," b / 3 "," c "," a / 9 - b / 4 + c / 3 + i % 13 } }' >t.csv
run 0 gen syn1 --n 3000 --d 20 --sparsity 4 --out p --quiet
same_x() { cmp -s "$1" x.npy || fail "x is not that of the file"; }
# piped CODE FILE ARGUMENTS...: as run, with the file on standard input through a pipe
piped() {
    expected=$1 file=$2
    shift 2
    command="$* (piped)"
    cat "$file" | "$gpis" "$@" >stdout 2>stderr
    same "exit code" "$?" "$expected"
}

run 0 solve t.csv --target y --set nonneg --out csv.npy --quiet
run 0 solve p/A.npy p/y.npy --set l1:3 --out npy.npy --quiet

# Standard input is .csv without --format, gzipped or not; a file that is redirected is the same as a pipe.
piped 0 t.csv solve - --target y --set nonneg --out x.npy --quiet
same_x csv.npy
gzip -c t.csv >t.csv.gz
piped 0 t.csv.gz solve - --target y --set nonneg --out x.npy --quiet
same_x csv.npy
command="solve - (redirected)"
"$gpis" solve - --target y --set nonneg --out x.npy --quiet <t.csv || fail "standard input from a file"
same_x csv.npy

# It is read from where it stands, as others read it.
(read -r first && echo "a,b,c,y" >head.csv && "$gpis" solve - --target 4 --set nonneg --out x.npy --quiet) <t.csv ||
    fail "standard input from its middle"
# What does not fit in memory goes to a temporary file, and nothing of it stays.
mkdir tmp beside
TMPDIR=$work/tmp
export TMPDIR
piped 0 t.csv solve - --target y --set nonneg --out x.npy --quiet --memory 2M
same_x csv.npy
piped 0 p/A.npy solve - p/y.npy --format npy --set l1:3 --out x.npy --quiet
same_x npy.npy
piped 0 p/A.npy solve - p/y.npy --format .NPY --set l1:3 --out x.npy --quiet --memory 700K
same_x npy.npy
same "files in TMPDIR" "$(ls tmp)" ""
TMPDIR=$work/nowhere
piped 3 p/A.npy solve - p/y.npy --format npy
says "set TMPDIR"
piped 3 t.csv solve - --target y --memory 2M
says "set TMPDIR"
unset TMPDIR
"$gpis" solve - p/y.npy --format npy --set l1:3 --out x.npy --quiet <p/A.npy || fail "a .npy file that is redirected"
same_x npy.npy

# y and x from standard input; but one of them.
piped 0 p/y.npy solve p/A.npy - --format npy --set l1:3 --out x.npy --quiet
same_x npy.npy
od -An -v -t f8 -w8 -j 128 p/y.npy | tr -d ' ' >y.csv
piped 0 y.csv solve p/A.npy - --set l1:3 --quiet
piped 0 npy.npy check p/A.npy p/y.npy - --format npy --set l1:3 --quiet
piped 0 npy.npy solve p/A.npy p/y.npy --x0 - --format npy --set l1:3 --quiet
piped 0 t.csv plan - --target y --quiet
piped 0 t.csv info -
prints "60000 x 4"
refuse 2 solve - -
says "standard input can be read once only"
refuse 2 solve - p/y.npy --x0 -
refuse 2 info - -
refuse 2 check - p/y.npy -

# --format names what a file without a known ending is.
cp t.csv table
cp p/A.npy matrix
refuse 2 solve table --target y
says "--format csv"
run 0 solve table --target y --format csv --set nonneg --out x.npy --quiet
same_x csv.npy
run 0 solve matrix p/y.npy --format npy --set l1:3 --out x.npy --quiet
same_x npy.npy
printf '1.5 1:1\n2 2:1\n3 1:1 2:1\n1 1:1\n' >labels
run 0 solve labels --format svm --quiet
run 0 info labels --format libsvm
prints "4 x 2"
printf '1 2\t3\n4 5\t6\n7 8\t8\n' >tabs # "1 2" is one field between tabs, and no number
run 2 info tabs --format csv
refuse 2 solve table --target y --format xls
says "there is no format 'xls'; known are npy csv"
refuse 2 solve table p/y.npy --format npy
says "does not begin with the .npy signature"

# Trouble on standard input.
printf 'a,b\n1,2\n1,x\n' >bad
piped 2 bad solve - --target b
says "/dev/stdin: line 3, column 2 (b) is 'x'"
: >nothing
piped 2 nothing solve - --target b
says "/dev/stdin: is empty"
piped 2 nothing solve - p/y.npy --format npy
says "is empty"
head -c 5000 p/A.npy >short
piped 2 short solve - p/y.npy --format npy
says "was it cut short?"
yes | head -c 300000 | "$gpis" solve - --format npy >stdout 2>stderr
same "exit code for text as .npy" $? 2

# A pipe with a name, whose writer must not see it closed before all is read.
mkfifo pipe.csv
cat t.csv >pipe.csv &
run 0 solve pipe.csv --target y --set nonneg --out x.npy --quiet
wait $! || fail "the writer of the pipe has failed"
same_x csv.npy

# A checkpoint goes on with the same data, and with no others.
piped 0 t.csv solve - --target y --set nonneg --checkpoint keep --quiet
piped 0 t.csv solve - --target y --set nonneg --checkpoint keep --resume --out x.npy --json
same_x csv.npy
same "passes that the checkpoint answers" "$(get resumed_passes)" "$(get passes)"
sed '2s/.*/1,2,3,4/' t.csv >other.csv
piped 2 other.csv solve - --target y --set nonneg --checkpoint keep --resume
says "keep"

# Integers, bools and other floats in .npy files: here bytes, as A and as y.
npy_bytes() { # npy_bytes DESCR SHAPE HEX...
    text="{'descr': '$1', 'fortran_order': False, 'shape': ($2), }"
    shift 2
    bytes 93 && printf 'NUMPY' && bytes 01 00 76 00 && printf '%-117s\n' "$text" && bytes "$@"
}
npy '4, 2' 1 0 0 1 1 1 1 0 >A.npy
npy '4,' 1 0 1 1 >y.npy
run 0 solve A.npy y.npy --out floats.npy --quiet
for type in '|b1' '|i1' '|u1'; do
    npy_bytes "$type" '4, 2' 01 00 00 01 01 01 01 00 >Ai.npy
    npy_bytes "$type" '4,' 01 00 01 01 >yi.npy
    run 0 solve Ai.npy yi.npy --out x.npy --quiet
    same_x floats.npy
done
npy_bytes '>i2' '4, 2' 00 01 00 00 00 00 00 01 00 01 00 01 00 01 00 00 >Ai.npy
npy_bytes '<i4' '4,' 01 00 00 00 00 00 00 00 01 00 00 00 01 00 00 00 >yi.npy
run 0 solve Ai.npy yi.npy --out x.npy --quiet
same_x floats.npy
npy_bytes '<i4' '2,' ff ff ff ff 00 00 00 00 >lo.npy
npy_bytes '<f2' '2,' 00 40 00 40 >hi.npy # 2, 2
run 0 solve Ai.npy yi.npy --set box:lo.npy,hi.npy --quiet
run 0 info Ai.npy
prints "4 x 2"
npy_bytes '<i8' '1, 2' 01 00 00 00 00 00 00 00 01 00 00 00 00 00 20 00 >far.npy # 2^53 + 1
refuse 2 solve far.npy y.npy
says "far.npy: row 1, column 2 is an integer beyond 2^53"

# A cache that nobody asked for is announced, once, and not with --quiet.
cp t.csv beside
run 0 solve beside/t.csv --target y --memory 3M
same "lines on stderr" "$(wc -l <stderr)" 1
says "gpis: note: the numbers of beside/t.csv do not fit in memory and were written to $(ls beside/*.gpis-cache) (2 MB)"
says "--cache DIR"
run 0 solve beside/t.csv --target y --memory 3M
same "stderr of the next run" "$(cat stderr)" ""
rm beside/*.gpis-cache
run 0 solve beside/t.csv --target y --memory 3M --quiet
same "stderr with --quiet" "$(cat stderr)" ""
same "caches" "$(ls beside | wc -l)" 2
rm beside/*.gpis-cache
run 0 info beside/t.csv --memory 3M
says "note: the numbers of"
run 0 solve t.csv --target y --memory 3M --cache tmp
same "stderr with --cache" "$(cat stderr)" ""

# A signal while text is read ends the program at once, and the file that was to be a cache leaves nothing.
mkfifo slow.csv
(yes 1,2,3 | head -c 400000 && sleep 0.4 && yes 1,2,3 | head -c 400000 && sleep 2) >slow.csv 2>/dev/null &
writer=$!
command="solve slow.csv (interrupted)"
"$gpis" solve slow.csv --target 3 >stdout 2>stderr &
reader=$!
sleep 0.2
kill -TERM $reader
wait $reader
same "exit code" $? 143
same "stderr" "$(cat stderr)" ""
missing slow.csv.
kill $writer 2>/dev/null
wait $writer 2>/dev/null

# Bytes that are 320 MB as doubles, row by row and column by column: the promise of --memory holds.
npy_bytes '|u1' '400000,' >y_bytes.npy
yes "$(seq 1 4999)" | head -c 400000 >>y_bytes.npy
for order in False 'True '; do
    npy_bytes '|u1' '400000, 100' | sed "s/False/$order/" >wide.npy
    yes "$(seq 1 5000)" | head -c 40000000 >>wide.npy
    measured 24 0 solve wide.npy y_bytes.npy --set nonneg --out x.npy --json
    same "shape" "$(get rows) $(get cols) $(get status)" "400000 100 solved"
done
