# The options of the library's table, as the program offers them: listed, explained, checked, and named in messages.
npy '3, 2' 1 0 0 1 1 1 >A.npy
npy '3,' 1 0 1 >y.npy
npy '2,' 1 0 >x.npy
table=$tree/src/base/option_table.c

# rows: a line "NAME WHERE FALLBACK" for each row of the table, as its source has it
awk '/\{\{\.name = /{name = $0; gsub(/.*name = "|".*/, "", name); fallback = ""}
    /\.where = /{where = $0; gsub(/.*where = |,.*/, "", where); gsub(/ /, "", where)}
    /\.fallback = /{fallback = $0; gsub(/.*fallback = "|".*/, "", fallback)}
    /^     GPIS_HELD/{print name, where, fallback}' "$table" >rows
holds "rows of the table" "$(wc -l <rows) > 20"

# The help of each command lists its options, with their defaults, and no others of the table.
takes() { # takes COMMAND WHERE: whether the command has an option that counts there
    case $1:$2 in
    solve:*) true ;;
    plan:SOLVE | check:SOLVE | check:PLAN) false ;;
    info:OPEN*) true ;;
    info:*) false ;;
    *) true ;;
    esac
}
for name in solve plan check info; do
    run 0 $name --help
    tr -s ' \n' '  ' <stdout >flat
    while read -r option where fallback; do
        if takes $name "$where"; then
            grep -qE -- "--$option[= ]" flat || fail "$name --help lacks --$option"
            case $fallback in '' | no) continue ;; esac
            sed "s/.*--$option=//; s/ --.*//" flat | grep -qF "(default $fallback)" ||
                fail "$name --help does not say that the default of --$option is $fallback"
        else
            grep -qE -- " --$option[= ]" flat && fail "$name --help has --$option"
        fi
    done <rows
done
run 0 solve --help
prints "Problem:"
prints "Accuracy:"
prints "Method:"
prints "Running:"
prints "Output:"

# What an option does not take is said with its range.
refuse 2 solve A.npy y.npy --tol x
says "--tol wants a number from 0 to 1, not 'x'"
refuse 2 solve A.npy y.npy --delta 0.6
says "--delta wants a number from 1e-300 to 0.5, not '0.6'"
refuse 2 plan A.npy y.npy --batch 0
says "--batch wants a whole number from 1 to 9223372036854775807, not '0'"
refuse 2 check A.npy y.npy x.npy --threads 5000
says "--threads wants a whole number from 0 to 4096, not '5000'"
refuse 2 solve A.npy y.npy --restart never
says "--restart is gradient, function or none, not 'never'"
refuse 2 solve A.npy y.npy --inner 3,x
says "--inner wants whole numbers from 1 to 1000000000 with commas between, not '3,x'"
refuse 2 solve A.npy y.npy --inner "$(seq -s, 65)"
says "--inner takes at most 64 numbers"
refuse 2 info A.npy --memory ""
says "--memory wants a number of bytes such as"

# Messages of the library name the program's options.
refuse 3 solve A.npy y.npy --memory 1K
says "--memory"
run 0 solve A.npy y.npy --checkpoint c --quiet
refuse 2 solve A.npy y.npy --checkpoint c
says "c: is there already; add --resume to go on from it, or remove it"
refuse 2 solve A.npy y.npy --checkpoint c --resume --inner 5 --quiet
says "c: was made with --inner as many as the sketch is worth, not 5"
refuse 2 solve A.npy y.npy --checkpoint c --resume --tol 1e-3
says "c: was made with --tol 1e-08, not 0.001"
refuse 2 solve A.npy y.npy --certificate none
says "give --max-passes or --time-limit"
cp A.npy A
refuse 2 solve A y.npy
says "others need a format (--format csv)"
run 2 info A --json
"$probe" json stdout || fail "info --json is not JSON"
prints "(--format csv)"
