# The committed results of the experiments hold: passes and epochs of the quick ones that are cheap, made again.
# The same program gives the same bits on one machine whatever the threads, but kernels differ between families of
# processors in their last bits, and a sum that ends a loop can fall on either side of its limit: a pass more or less, and
# with it a few epochs, is forgiven; anything beyond is a change of the algorithms.
run 0 reproduce syn1 syn2 magic04 --quick --methods gpis,acc-gpis,default --out r
cut -d, -f1-7 r/summary.csv >got
grep -E '^(problem|syn1|syn2|magic04),' "$tree/experiments/expected.csv" | grep -E '^problem|,(gpis|acc-gpis|default),' >want
same "header" "$(head -1 got)" "$(head -1 want)"
same "lines" "$(wc -l <got)" "$(wc -l <want)"
awk -F, 'NR == FNR { passes[$1,$3,$4,$5] = $6; epochs[$1,$3,$4,$5] = $7; next }
    FNR > 1 {
        key = $1 SUBSEP $3 SUBSEP $4 SUBSEP $5
        p = $6 - passes[key]; e = $7 / (epochs[key] > 0 ? epochs[key] : 1) - 1
        if (!(key in passes) || p > 1 || p < -1 || e > 0.3 || e < -0.3) {
            print "  " $0 ": expected " passes[key] " passes, " epochs[key] " epochs"
            bad = 1
        }
    }
    END { exit bad }' want got || fail "results differ from experiments/expected.csv"
