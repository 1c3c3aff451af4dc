# gpis reproduce: files, page, usage, without gnuplot, interrupted.
refuse 2 reproduce
refuse 2 reproduce syn1
says "--out DIR"
refuse 2 reproduce syn9 --out r
says "syn1, syn2, syn3, syn4, magic04, year, bounds and all"
refuse 2 reproduce magic04 --methods magic --out r
says "unknown 'magic'"
newline='
'
refuse 2 reproduce magic04 --quick --out "r${newline}!touch PWNED"
says "control characters"
missing PWNED
run 3 reproduce year --year-file nowhere.txt --quick --out r
says "nowhere.txt"

run 0 reproduce magic04 --quick --out r
same "stdout" "$(cat stdout)" ""
says "[1 of 8] magic04, f*"
says "[7 of 8] magic04, SAGA b=100, at most 2 s of processor time:"
says "[8 of 8] magic04, default (not paper's)"
same "files" "$(cd r && ls | tr '\n' ' ')" "index.html magic04-epochs.png magic04-epochs.svg magic04-seconds.png \
magic04-seconds.svg magic04.csv summary.csv "
same "header" "$(head -1 r/magic04.csv)" "problem,method,seed,pass,seconds,epochs,objective,relative_error,processor_seconds"
for method in gpis acc-gpis apgd saga-10 saga-50 saga-100 default; do
    # Errors fall, and the last one is at the goal.
    awk -F, -v m=$method '$2 == m { if (n++ && $8 > last) bad = 1; last = $8 } END { exit bad || !n || last > 1e-10 }' \
        r/magic04.csv || fail "the trace of $method is not what it should be"
    # Both clocks run on.
    awk -F, -v m=$method '$2 == m { if ($5 < wall || $9 < cpu) bad = 1; wall = $5; cpu = $9 } END { exit bad || !(cpu > 0) }' \
        r/magic04.csv || fail "the clocks of $method are not what they should be"
    grep -q "^magic04,1902,$method,0,1e-10," r/summary.csv || fail "$method is not in the summary"
    # It takes milliseconds, so it was run several times.
    awk -F, -v m=$method '$3 == m && $10 >= 2 { found = 1 } END { exit !found }' r/summary.csv ||
        fail "$method was not repeated"
done
for text in "<svg" "</html>" "reach 1e-10 first in wall-clock time" "Processor" "SAGA b=50" \
    "19000 x (10 + 40)" "1902 x 50" "Load: the runs had" "load average" "differ by" \
    "gpis solve, not in the paper" "anything closer is a tie" "Verdicts compare processor time"; do
    grep -qF "$text" r/index.html || fail "the page does not hold '$text'"
done
# Nothing touches the right edge of a figure, where it would be cut off: no line, no marker, and no letter of a label (a
# letter being 0.6 of its height wide on average).
for figure in r/*.svg; do
    awk '/viewBox/ { match($0, /viewBox="0 0 [0-9]+/); width = substr($0, RSTART + 13, RLENGTH - 13) }
        /translate\(/ { match($0, /translate\([0-9.]+/); x = substr($0, RSTART + 10, RLENGTH - 10)
            match($0, /font-size="[0-9.]+/); size = substr($0, RSTART + 11, RLENGTH - 11)
            left = /text-anchor="start"/; if (x + 0 > width - 2) bad = 1 }
        /<text>/ && left { text = $0; gsub(/<[^>]*>/, "", text); gsub(/^[ \t]+/, "", text)
            if (x + 0.6 * size * length(text) > width) bad = 1 }
        / d=/ { line = $0
            while (match(line, /[ML ][0-9.]+,/)) {
                if (substr(line, RSTART + 1, RLENGTH - 2) + 0 > width - 2) bad = 1
                line = substr(line, RSTART + RLENGTH)
            } }
        END { exit bad || !width }' "$figure" || fail "$figure: something is cut off at the right"
done
grep -q 'src="http\|href="http' r/index.html && fail "the page is not self-contained"

# The stand-in is called so everywhere; a real file is not. (A file of the right form stands for the real one here.)
run 0 reproduce year --quick --methods acc-gpis --out s
same "CSV" "$(ls s/*.csv | tr '\n' ' ')" "s/summary.csv s/year-stand-in.csv "
for file in s/index.html s/year-stand-in-seconds.svg; do
    grep -qi "stand-in" $file || fail "$file does not say that it is a stand-in"
done
run 0 reproduce year --quick --methods acc-gpis --year-file "$tree/data/year/year_random5000.csv.gz" --out t
same "CSV" "$(ls t/*.csv | tr '\n' ' ')" "t/summary.csv t/year.csv "
grep -qi "stand-in" t/index.html t/year-seconds.svg && fail "real data is called a stand-in"

# Without gnuplot: one line, exit 3, the CSV files all the same.
mkdir bin
ln -s "$(command -v sh)" bin/sh
usual=$PATH PATH=$PWD/bin
run 3 reproduce magic04 --quick --methods gpis --out u
PATH=$usual
says "apt-get install gnuplot-nox"
same "lines that start with gpis:" "$(grep -c '^gpis: ' stderr)" 1
same "files" "$(cd u && ls | tr '\n' ' ')" "index.html magic04.csv summary.csv "

# Ctrl-C: what there is, is written.
"$gpis" reproduce syn2 --out v >stdout 2>stderr &
job=$! command="reproduce syn2 (SIGINT)" tries=0
until grep -q "APGD" stderr || [ $tries = 600 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
kill -s INT $job
wait $job
same "exit code" $? 130
for file in syn2.csv syn2-epochs.png index.html summary.csv; do [ -s v/$file ] || fail "v/$file is missing"; done

# The dictionary of syn2 goes through a file, which is not left behind; the name of the folder is just a name.
run 0 reproduce syn2 --quick --methods acc-gpis --out "u@v, w'\"<b>&"
same "files" "$(ls "u@v, w'\"<b>&" | tr '\n' ' ')" "index.html summary.csv syn2-epochs.png syn2-epochs.svg \
syn2-seconds.png syn2-seconds.svg syn2.csv "

# With several threads it is the wall clock that decides, and the page says so.
run 0 reproduce magic04 --quick --threads 2 --methods gpis --out w
grep -qF "Verdicts compare wall-clock time" w/index.html || fail "the page does not say what the verdicts go by"

# The theorems: what was measured is below what they bound, for every sketch size and every number of inner iterations.
run 0 reproduce bounds --quick --out x
same "files" "$(ls x | tr '\n' ' ')" "bounds-inner.png bounds-inner.svg bounds-m.png bounds-m.svg bounds.csv index.html \
summary.csv "
awk -F, 'NR > 1 { f[$1, $2, $3] = $4; if ($2 == "measured-gaussian" || $2 == "measured-gpis") at[$1, $3] }
    END {
        for (key in at) {
            split(key, part, SUBSEP)
            a = part[1]; x = part[2]; count++
            if (a == "m" && !(f[a,"measured-gaussian",x] <= f[a,"direct",x])) bad = 1
            if (a == "m" && !(f[a,"measured-gaussian",x] <= f[a,"proposition-2",x])) bad = 1
            if (a == "inner" && !(f[a,"measured-gpis",x] <= f[a,"theorem-1",x])) bad = 1
            if (a == "inner" && !(f[a,"measured-gpis",x] <= f[a,"theorem-2",x])) bad = 1
            if (a == "inner" && !(f[a,"measured-acc-gpis",x] <= f[a,"theorem-3",x])) bad = 1
        }
        exit bad || count < 10
    }' x/bounds.csv || fail "a round contracted less than a theorem promises"
# With many rows and inner iterations the theorems do promise something.
awk -F, '$2 ~ /^(proposition-2|direct|theorem-1|theorem-3)$/ && $4 < 1 { seen[$2] } END { for (k in seen) n++; exit n != 4 }' \
    x/bounds.csv || fail "a bound promises nothing anywhere"
