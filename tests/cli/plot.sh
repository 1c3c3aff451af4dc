# gpis plot: formats, axes, bad traces.
run 0 gen syn1 --n 2000 --d 20 --sparsity 4 --cond 1e3 --quiet --out p
spec=$("$probe" get p/problem.json set)
run 0 solve p/A.npy p/y.npy --set "$spec" --quiet --trace newton.jsonl
run 0 solve p/A.npy p/y.npy --set "$spec" --quiet --method acc-gpis --trace acc_gpis.jsonl
for out in f.svg f.png f.pdf; do
    run 0 plot newton.jsonl acc_gpis.jsonl --out $out
    [ -s $out ] || fail "$out is empty"
done
grep -q "certified bound" f.svg || fail "the axis is not named"
grep -q "acc_gpis" f.svg || fail "a line is not named"
run 0 plot newton.jsonl --x passes --out passes.svg
grep -q ">passes<" passes.svg || fail "the axis is not passes"
run 1 solve p/A.npy p/y.npy --set "$spec" --quiet --certificate none --max-passes 9 --method apgd --trace apgd.jsonl
run 0 plot apgd.jsonl --x epochs --out best.svg

refuse 2 plot
refuse 2 plot newton.jsonl
refuse 2 plot newton.jsonl --out f.gif
says ".svg, .png or .pdf"
refuse 2 plot newton.jsonl --x hours --out f.svg
refuse 3 plot nowhere.jsonl --out f.svg
says "nowhere.jsonl"
echo hello >bad.jsonl
refuse 2 plot bad.jsonl --out f.svg
says "bad.jsonl, line 1"
: >empty.jsonl
refuse 2 plot empty.jsonl --out f.svg
refuse 3 plot newton.jsonl --out nowhere/f.svg

# ---- nothing in a name or in a trace is ever taken for a command ----------------------------------------------------

# drawn LABEL: the last figure, hostile.svg, is there and shows LABEL; and no command was run.
drawn() {
    checks=$((checks + 1))
    [ -s hostile.svg ] || fail "there is no figure"
    grep -qF -- "$1" hostile.svg || fail "the figure does not show '$1'"
    rm -f hostile.svg
    missing PWNED
}
newline='
'
mkdir hostile
touched() { # touched NAME LABEL: a trace of that name is drawn under LABEL
    cp newton.jsonl "hostile/$1"
    run 0 plot "hostile/$1" --out hostile.svg
    drawn "$2"
}
touched "a${newline}!touch PWNED${newline}b.jsonl" 'a?!touch PWNED?b'
touched "a'${newline}system \"touch PWNED\"${newline}'b.jsonl" "a'?system \"touch PWNED\"?'b"
touched '`touch PWNED`.jsonl' '`touch PWNED`'
touched '$(touch PWNED).jsonl' '$(touch PWNED)'
touched "'; system 'touch PWNED'; '.jsonl" "'; system 'touch PWNED'; '"
touched '"; system("touch PWNED"); ".jsonl' '"; system("touch PWNED"); "'
touched '| touch PWNED.jsonl' '| touch PWNED'
touched '@PWNED {^_:Bold x}\047\n\.jsonl' '@PWNED {^_:Bold x}\047\n\'
touched "END${newline}!touch PWNED.jsonl" 'END?!touch PWNED'
touched '<script>x&y<.jsonl' '&lt;script'
# Bytes that are not UTF-8 and escape sequences are shown as question marks.
touched "$(printf 'a\377\033[31mb\302\233c').jsonl" 'a??[31mb??c'
# A name longer than the legend is cut.
touched "$(printf '%0100d' 0).jsonl" "$(printf '%032d' 0)…"

# What a trace holds besides its numbers is not looked at; what is no number is refused.
sed 's/{/{"title": "x\\n!touch PWNED\\n`touch PWNED`", /' newton.jsonl >more.jsonl
run 0 plot more.jsonl --out hostile.svg
drawn more
echo '{"pass": "1\n!touch PWNED", "seconds": "`touch PWNED`", "objective": 1, "gap": 1}' >text.jsonl
refuse 2 plot text.jsonl --out hostile.svg
says "text.jsonl, line 1"
missing PWNED
missing hostile.svg
# A line of any length takes no memory to speak of.
head -c 3000000 /dev/zero | tr '\0' ' ' >long.jsonl
refuse 2 plot long.jsonl --out hostile.svg
refuse 2 plot /dev/zero --out hostile.svg

# The figure's own name is a name of a file, whatever it looks like; control characters are refused.
refuse 2 plot newton.jsonl --out "x${newline}!touch PWNED${newline}.svg"
says "control characters"
missing PWNED
refuse 2 plot newton.jsonl --out "$(printf 'x\033.svg')"
for out in '| touch PWNED; cat > hostile.svg' "'; system 'touch PWNED'; '.svg" '`touch PWNED`.svg' '$(touch PWNED).svg' \
    '"; system("touch PWNED"); ".svg' '-.svg' '| touch PWNED; cat .png' '\.pdf'; do
    run 0 plot newton.jsonl --out "./$out"
    [ -s "./$out" ] || fail "there is no figure of the name '$out'"
    missing PWNED
    missing hostile.svg
done

# A figure is there as a whole or not at all, and nothing is left beside it.
mkdir only
run 0 plot newton.jsonl --out only/f.svg
same "files" "$(ls -A only)" f.svg
mkdir bin home
printf '#!/bin/sh\ncase $1 in --version) exit 0 ;; esac\necho half\nexit 1\n' >bin/gnuplot
chmod +x bin/gnuplot
usual=$PATH PATH=$PWD/bin:$PATH
refuse 3 plot newton.jsonl --out only/g.svg
PATH=$usual
says "could not draw only/g.svg"
same "files" "$(ls -A only)" f.svg
# Start-up files of gnuplot are not read.
echo '!touch PWNED' >home/.gnuplot
cp home/.gnuplot .gnuplot
usual=$HOME HOME=$PWD/home
export HOME
run 0 plot newton.jsonl --out hostile.svg
HOME=$usual
drawn newton

# ---- axes -----------------------------------------------------------------------------------------------------------

# numbers FILE: how many labels are plain numbers, as those of the x axis are and those of the errors are not
numbers() { sed -n 's/.*<tspan[^>]*>\([-0-9.]*\)<\/tspan><\/text>.*/\1/p' "$1" | grep -c '^[0-9.]'; }
trace() { # trace FILE X...: a trace whose passes and seconds are these numbers, and whose errors fall
    file=$1 error=0.5
    shift
    : >"$file"
    for x in "$@"; do
        echo "{\"pass\": $x, \"seconds\": $x, \"epochs\": $x, \"objective\": 1.0, \"gap\": $error}" >>"$file"
        error=$(awk "BEGIN { print $error / 10 }")
    done
}
for range in "1 2" "1 2 3 4 5 6 7 8 9" "3 4" "9 11 12" "5" "1 10 100" "7 80 900" "1 100000" "2 3 4 5 6 7" "0 1 2" "0"; do
    trace range.jsonl $range
    for x in passes seconds; do
        run 0 plot range.jsonl --x $x --out range.svg
        holds "labels of the $x axis from $range" "$(numbers range.svg) >= 2"
    done
done
