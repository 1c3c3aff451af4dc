# examples/demo works from any folder and leaves nothing behind.
mkdir tmp
TMPDIR=$PWD/tmp "$tree/examples/demo" "$gpis" >stdout 2>stderr
same "exit code" $? 0
same "stderr" "$(cat stderr)" ""
prints "objective"
prints "certificate"
prints "nonzeros"
prints "passes"
prints "fAlpha"
same "what is left" "$(ls tmp)" ""
