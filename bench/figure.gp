# Time of every solver in units of one plain read of A: one strip a problem, fastest possible at the line.
# Set by report.py: data, labels, picture, kind, solvers, strips, machine.
if (kind eq 'svg') {
    set terminal svg size 980, 140 + 92 * strips font 'sans,13' background 'white'
} else {
    set terminal pngcairo size 1470, 210 + 138 * strips font 'sans,13' fontscale 1.35
}
set output picture
set title "Time to a relative error of 1e-10, in reads of A\n{/*0.8 gpis stops at a certificate; the others know nothing of theirs}"
set label 1 machine at screen 0.99, 0.012 right font ',9' textcolor rgb '#666666'
set logscale x
set xrange [0.5:*]
set yrange [0.4:strips + 0.6]
set xlabel 'time / time of one plain threaded read of A'
set format x '%g'
set grid xtics linecolor rgb '#dddddd' linetype 1
set border 3
set tics nomirror out
set key outside right top Left reverse samplen 1 spacing 1.25 width -2
set lmargin 22

# names of the strips, and lines between them
strip(i) = system(sprintf("awk -F'\\t' '$1 == %d { print $2 }' '%s'", i, labels))
set ytics ()
do for [i = 1:strips] {
    set ytics add (strip(i) i) scale 0
    if (i > 1) { set arrow from graph 0, first i - 0.5 to graph 1, first i - 0.5 nohead linecolor rgb '#bbbbbb' }
}
set arrow from 1, 0.4 to 1, strips + 0.6 nohead linewidth 2.5 linecolor rgb '#444444'
set label 2 'read limit' at 0.93, strips + 0.5 right font ',10' textcolor rgb '#444444'

array colour[11] = ['#d62728', '#ff9896', '#c7a0dc', '#9467bd', '#5e3c86', '#1f77b4', '#17becf', '#2ca02c', '#ff7f0e', '#8c564b', '#7f7f7f']
array shape[11] = [7, 7, 9, 11, 13, 5, 5, 15, 9, 11, 13]

# A solver's points: full where it reached the accuracy, a cross where not, an arrow where the limit ended it.
reached(c) = strcol(3) eq 'ok' ? column(c) : NaN
missed(c) = strcol(3) eq 'inaccurate' ? column(c) : NaN
late(c) = strcol(3) eq 'limit' ? column(c) : NaN
plot data index solvers using 1:2:(0.42) skip 1 with yerrorbars pointtype -1 linewidth 2 linecolor rgb '#444444' dashtype 3 \
         title 'target', \
     for [i = 0:solvers - 1] data index i using (reached(1)):2 with points pointtype shape[i + 1] \
         pointsize (i == 0 ? 1.7 : 1.1) linecolor rgb colour[i + 1] title columnheader(1), \
     for [i = 0:solvers - 1] data index i using (missed(1)):2 skip 1 with points pointtype 2 linewidth 2 pointsize 1.1 \
         linecolor rgb colour[i + 1] notitle, \
     for [i = 0:solvers - 1] data index i using (late(1)):2:(late(1) * 0.6):(0) skip 1 with vectors filled head \
         linewidth 2.5 linecolor rgb colour[i + 1] notitle, \
     NaN with points pointtype 2 linewidth 2 linecolor rgb '#444444' title '1e-10 not reached', \
     NaN with lines linewidth 2.5 linecolor rgb '#444444' title 'arrow: out of time'
