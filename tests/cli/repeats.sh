# Options that would be lost without a word: given twice, without what they need, or over another file of the same run.
npy '3, 2' 1 0 0 1 1 1 >A.npy
npy '3,' 1 0 1 >y.npy
npy '2,' 1 0 >x0.npy
printf 'a,b,y\n1,0,1\n0,1,0\n1,1,1\n' >t.csv

# twice COMMAND OPTION FIRST SECOND ARGUMENTS...: refused by name, with both values
twice() {
    name=$1 option=$2 first=$3 second=$4
    shift 4
    refuse 2 "$name" "$@" "--$option" "$first" "--$option" "$second"
    says "--$option is given twice, as '$first' and as '$second'"
    refuse 2 "$name" "--$option=$first" "$@" "--$option=$second"
    says "--$option is given twice"
}
twice solve tol 1e-3 1e-4 A.npy y.npy
twice plan bounds a b A.npy y.npy
twice check seed 1 2 A.npy y.npy x0.npy
missing x.npy

# Every option with a value, as the help of each command lists them: no command has one that is forgotten.
for name in solve plan check info gen bounds reproduce plot; do
    run 0 "$name" --help
    sed -n 's/^ *\(-[a-zA-Z], \)\{0,1\}--\([a-z0-9-]*\)=.*/\2/p' stdout >options
    holds "options of $name" "$(wc -l <options) > 1"
    while read -r option; do
        case $option in set | subject-to | penalty) continue ;; esac # of which all count
        refuse 2 "$name" "--$option" 1 "--$option" 2
        says "--$option is given twice, as '1' and as '2'"
    done <options
done

# Nothing is lost where the text is the same, or where a flag is repeated; what follows -- is no option.
run 0 solve A.npy y.npy --set l1:1 --set l1:1 --json --json --quiet --quiet
refuse 2 solve A.npy y.npy --set l1:1 -- --set l1:2
says "one too many"
# A name that getopt completes is the same option.
refuse 2 solve A.npy y.npy --certif any --certificate proven
says "--certificate is given twice"

# What an option needs.
refuse 2 solve A.npy y.npy --checkpoint-every 3
says "--checkpoint-every needs --checkpoint FILE"
refuse 2 solve t.csv y.npy --target y
says "y is given twice"
printf 't.csv y.npy\n' >parts
refuse 2 solve @parts --target y
says "y is given twice: by --target and by the list parts"
refuse 2 bounds --m 100 --d 10 --cond 10 --theta 3 --delta 0.1
says "--theta and --delta"
run 0 bounds --m 100 --d 10 --cond 10 --tol 1e-3
says "note: --tol is ignored"
refuse 2 reproduce syn1 --year-file t.csv --out r
says "--year-file is for year"

# One file for two things.
refuse 2 solve A.npy y.npy --out x.npy --trace ./x.npy
says "--out and --trace are the same file"
refuse 2 solve A.npy y.npy --out x.npy --checkpoint x.npy
says "--out and --checkpoint are the same file"
cp A.npy before.npy
ln -s A.npy link.npy
refuse 2 solve A.npy y.npy --out link.npy
says "A and --out are the same file"
cmp -s A.npy before.npy || fail "A was written over"
refuse 2 solve A.npy y.npy --trace y.npy
says "y and --trace are the same file"
run 0 solve A.npy y.npy --x0 x0.npy --out x0.npy --quiet
run 0 solve A.npy y.npy --trace /dev/null --checkpoint c --quiet

# A check ends by itself, with or without a certificate to look for.
run 1 check A.npy y.npy x0.npy --set l1:1 --certificate none --json
same "method" "$(get method)" check
