# Small files that ask for the whole machine, and files that never end: refused quickly, with one line that says what
# would be needed, and with little memory taken on the way. Nobody gives --memory here.

# An address space of 12 GB makes it the same on any machine; sanitizers need more than that for themselves.
[ -n "$sanitized" ] || ulimit -v 12000000

# hostile CODE ARGUMENTS...: as refuse, with at most 300 MB resident.
hostile() {
    expected=$1
    shift
    command=$*
    promised 236 "$gpis" "$@"
    code=$?
    checks=$((checks + 1))
    [ "$code" = "$expected" ] || fail "exit code $code, expected $expected"
    same "lines on stderr" "$(wc -l <stderr)" 1
}

printf '1\n2\n3\n' >y.csv
banner='%%MatrixMarket matrix coordinate real general'
echo '1 2147483647:1' >wide.svm
printf '%s\n3 2000000000 1\n1 1 1\n' "$banner" >wide.mtx
printf '%s\n1000000000 3 1\n1 1 1\n' "$banner" >tall.mtx
printf '%s\n1000000000 2147483647 1\n1 1 1\n' "$banner" >both.mtx
for set in none l1:1 nonneg box:0,1 simplex:1 monotone l1:1@dct group:1:7; do
    hostile 3 solve wide.svm --set $set
    says "x of 2147483647 x 1 coefficients needs 128G of memory"
done
for method in newton pgd apgd gpis acc-gpis saga; do hostile 3 solve wide.svm --method $method; done
hostile 3 plan wide.svm
hostile 3 solve wide.mtx y.csv
says "x of 2000000000 x 1 coefficients needs 120G of memory"
hostile 3 solve tall.mtx y.csv
says "tall.mtx: to read it and to solve with it needs 30G of memory"
hostile 3 solve both.mtx y.csv
promised 236 "$gpis" info tall.mtx
same "exit code of info" $? 3
run 0 info wide.svm # the entries alone are small
prints "1 x 2147483647"

# What comes out of a small compressed file is measured as it comes.
zeros() { head -c "$1" /dev/zero; }
zeros 300000000 | tr '\0' 7 | gzip -1 >line.csv.gz
hostile 2 solve line.csv.gz --target 1
says "line.csv.gz: line 1 is longer than 256 MB"
if [ -z "$sanitized" ]; then
    yes 7 | head -n 90000000 | gzip -1 >rows.csv.gz
    (
        ulimit -v 900000 # 720 MB of numbers beside the program itself
        run 3 info rows.csv.gz
        says "more of memory are needed besides"
        says "are free here"
        echo $failures >count
    )
    failures=$((failures + $(cat count)))
fi

# Files that never end, or never begin.
ln -s /dev/zero endless.csv
ln -s /dev/zero endless.svm
for file in endless.csv endless.svm; do
    hostile 2 info $file
    says "line 1 holds a zero byte"
done
hostile 3 solve @/dev/zero
says "/dev/zero: a list of parts is a regular file, which this is not"
mkfifo pipe
hostile 3 solve @pipe # nobody ever writes to it
hostile 3 solve @.
zeros 1000000 >zeros
hostile 2 solve @zeros
says "zeros: line 1 holds a zero byte"
zeros 1000000 | tr '\0' a >long
hostile 2 solve @long
says "long: line 1 is too long"
truncate -s 1T sparse 2>/dev/null && hostile 2 solve @sparse
printf '1,2\n2,4\n' >small.csv
hostile 2 solve small.csv --target 2 --subject-to @/dev/zero
says "/dev/zero: line 1 holds a zero byte; constraints are text, one a line"
printf 'a.npy' >unfinished # a last line without its end counts
refuse 3 solve @unfinished
says "a.npy"
