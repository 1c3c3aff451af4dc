# Text from files, file names and arguments commands no terminal: control characters, also those of UTF-8, and what is
# not UTF-8 at all are masked wherever they could be printed. Good UTF-8 stays as it is.
bad=$(printf 'a\033]0;t\007\033[31m\177\302\233b\377\342\200\256c') # title, colour, DEL, CSI of C1, a byte, an override

clean() { # both streams hold nothing but lines of ASCII
    for stream in stdout stderr; do
        checks=$((checks + 1))
        [ "$(LC_ALL=C tr -d '\n -~' <$stream | wc -c)" = 0 ] || fail "$stream holds what could command a terminal"
    done
}

# Names of columns; a quoted one has a line end in it.
{
    printf '"%s","two\nlines",%s,y\n' "$bad" 'plain'
    awk 'BEGIN { for (i = 0; i < 40; i++) print i % 7 "," i % 5 * i "," i % 3 "," i % 11 }'
} >t.csv
run 0 solve t.csv --target y
clean
prints "a?]0;t??[31m???b????c"
prints "two?lines"
same "lines of the summary" "$(sed -n '/^  name /,$p' stdout | wc -l)" 4
run 0 solve t.csv --target y --json
clean
run 0 info t.csv
clean
same "lines of columns" "$(grep -c 'two?lines' stdout)" 1
run 0 info t.csv --json # not UTF-8, so not JSON: masked there too; what JSON can hold comes through
clean
prints '"two\nlines"'
prints '"a?]0;t??[31m???b????c"'
printf 'a,%s\n1,x\n' "$bad" >field.csv
refuse 2 solve field.csv --target a
clean
refuse 2 solve t.csv --target "x$bad"
clean

# Names in UTF-8 are shown.
sed '1,2s/plain/größe/' t.csv >utf8.csv
run 0 solve utf8.csv --target y
prints "größe"
run 0 info utf8.csv --json
prints 'gr\u00F6\u00DFe'

# Names of files: as data, as output, in a set, in a list, for generated problems.
folder="f$bad
g"
mkdir "$folder" || exit 77
npy '3, 2' 1 0 0 1 1 1 >"$folder/A.npy"
npy '3,' 1 0 1 >"$folder/y.npy"
npy '2, 2' 1 0 0 1 >"$folder/U.npy"
for command_name in solve plan; do
    for output in "" --json; do
        run 0 $command_name "$folder/A.npy" "$folder/y.npy" --set "l1:1@\"$folder/U.npy\"" $output
        clean
    done
done
run 0 solve "$folder/A.npy" "$folder/y.npy" --out "$folder/x.npy" --trace "$folder/t"
clean
prints "x             f"
run 0 check "$folder/A.npy" "$folder/y.npy" "$folder/x.npy" --set "l1:1@\"$folder/U.npy\"" --tol 1e-2 --json
clean
run 0 info "$folder/A.npy"
clean
run 0 info "$folder/A.npy" --json
clean
run 3 info "$folder/none.npy" --json
clean
for arguments in "$folder/none.npy" "@$folder/none" "$folder/A.npy $folder/none.npy"; do
    refuse 3 solve "$arguments"
    clean
done
refuse 3 solve "$folder/A.npy" "$folder/y.npy" --out "$folder/none/x.npy"
clean
run 0 solve "$folder/A.npy" "$folder/y.npy" --checkpoint "$folder/c" --resume
clean
says "note: there is no checkpoint f"
refuse 2 solve "$folder/A.npy" "$folder/y.npy" --set l1:1 --checkpoint "$folder/c" --resume
clean
run 0 gen syn2 --n 50 --d 5 --sparsity 2 --out "$folder/p"
clean
same "lines of gen" "$(wc -l <stdout)" 2
# ... whose command can be pasted: nothing in the name is taken for more than a name.
run 0 gen syn2 --n 50 --d 5 --sparsity 2 --out "it's \`touch pasted\` \$(touch pasted)"
sed -n "s|^solve it: gpis|'$gpis'|p" stdout >pasted.sh
sh pasted.sh >stdout 2>stderr || fail "the command that gen prints does not run"
[ ! -e pasted ] || fail "the command that gen prints runs what is in a name"

# Arguments.
for arguments in "$bad" "--$bad" "solve --$bad" "solve A.npy --method=$bad" "solve A.npy --tol=$bad" "plot $bad --out x.svg" \
    "bounds $bad" "reproduce $bad --out r" "gen $bad --out r" "solve --set=$bad --set=1" "plot --x=$bad"; do
    (
        IFS=' '
        set -f
        "$gpis" $arguments >stdout 2>stderr
    )
    command="$arguments"
    same "lines on stderr" "$(wc -l <stderr)" 1
    clean
done

# Names inside an HDF5 file.
if [ -x "$(dirname "$probe")/cli_h5" ]; then
    "$(dirname "$probe")/cli_h5" "$folder/t.h5" "$bad" || fail "no HDF5 file could be made"
    for output in "" --json; do
        run 0 info "$folder/t.h5" $output
        clean
        run 0 solve "$folder/t.h5:/$bad" "$folder/t.h5:/${bad}y" $output
        clean
    done
    refuse 2 solve "$folder/t.h5:/none"
    clean
    cp "$folder/t.h5" t.h5
    refuse 2 solve t.h5 "$folder/y.npy"
    clean
fi
