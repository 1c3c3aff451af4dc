# gpis reproduce: files, page, usage, without gnuplot, interrupted.
refuse 2 reproduce
refuse 2 reproduce syn1
says "--out DIR"
refuse 2 reproduce syn9 --out r
says "syn1, syn2, syn3, syn4, magic04, year and all"
refuse 2 reproduce magic04 --methods magic --out r
says "unknown 'magic'"
run 3 reproduce year --year-file nowhere.txt --quick --out r
says "nowhere.txt"

run 0 reproduce magic04 --quick --out r
same "stdout" "$(cat stdout)" ""
says "[1 of 7] magic04, f*"
says "[7 of 7] magic04, SAGA b=100, at most 2 s:"
same "files" "$(cd r && ls | tr '\n' ' ')" "index.html magic04-epochs.png magic04-epochs.svg magic04-seconds.png \
magic04-seconds.svg magic04.csv summary.csv "
same "header" "$(head -1 r/magic04.csv)" "problem,method,seed,pass,seconds,epochs,objective,relative_error"
for method in gpis acc-gpis apgd saga-10 saga-50 saga-100; do
    # Errors fall, and the last one is at the goal.
    awk -F, -v m=$method '$2 == m { if (n++ && $8 > last) bad = 1; last = $8 } END { exit bad || !n || last > 1e-10 }' \
        r/magic04.csv || fail "the trace of $method is not what it should be"
    grep -q "^magic04,1902,$method,0,1e-10," r/summary.csv || fail "$method is not in the summary"
done
for text in "<svg" "</html>" "reach 1e-10 first in wall-clock time" "Processor" "SAGA b=50"; do
    grep -qF "$text" r/index.html || fail "the page does not hold '$text'"
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
