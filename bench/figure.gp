# Time of every solver in units of one plain read of A: one strip a problem, the best possible at the line.
# Set by report.py: data, picture, kind, machine; solvers and problems, lists of quoted names.
strips = words(problems)
count = words(solvers)
height = 130 + 88 * (strips > 3 ? strips : 3)
if (kind eq 'svg') {
    set terminal svg size 1080, height font 'sans,13' background 'white'
} else {
    set terminal pngcairo size 1620, 1.5 * height font 'sans,13' fontscale 1.35
}
set output picture
set title "Time to a relative error of 1e-10 of the objective, in reads of A" font ',16'
set label 1 machine at screen 0.99, 0.015 right font ',9' textcolor rgb '#666666'
set logscale x
set xrange [0.5:*]
set yrange [0.4:strips + 0.6]
set xlabel 'time / time of one plain threaded read of A'
set format x '%g'
set grid xtics linecolor rgb '#dddddd' linetype 1
set border 3
set tics nomirror out
set key outside right top vertical maxrows 20 Left reverse samplen 1 spacing 1.2
set lmargin 20
set ytics ()
do for [i = 1:strips] {
    set ytics add (word(problems, i) i) scale 0
    if (i > 1) { set arrow from graph 0, first i - 0.5 to graph 1, first i - 0.5 nohead linecolor rgb '#bbbbbb' }
}
set arrow from 1, 0.4 to 1, strips + 0.6 nohead linewidth 2.5 linecolor rgb '#444444'
set label 2 'read limit' at 1.1, 0.5 left font ',10' textcolor rgb '#444444'

colours = '#d62728 #ff9896 #c7a0dc #9467bd #5e3c86 #1f77b4 #1f77b4 #2ca02c #ff7f0e #8c564b #7f7f7f'
shapes = '7 7 9 11 13 5 4 15 9 11 13'

# A solver's points: full where it reached the accuracy (0), a cross where not (1), an arrow where out of time (2).
pick(code) = column(3) == code ? column(1) : NaN
plot data index count using 1:2:(0.42) with yerrorbars pointtype -1 linewidth 2 dashtype 3 linecolor rgb '#444444' \
         title 'target of gpis', \
     for [i = 1:count] data index i - 1 using (pick(0)):2 with points pointtype int(word(shapes, i)) \
         pointsize (i == 1 ? 1.8 : 1.2) linecolor rgb word(colours, i) title word(solvers, i), \
     for [i = 1:count] data index i - 1 using (pick(1)):2 with points pointtype 2 linewidth 2 pointsize 1.2 \
         linecolor rgb word(colours, i) notitle, \
     for [i = 1:count] data index i - 1 using (pick(2)):2:(0.6 * pick(2)):(0) with vectors filled head \
         linewidth 2.5 linecolor rgb word(colours, i) notitle, \
     NaN with points pointtype 2 linewidth 2 linecolor rgb '#444444' title '1e-10 not reached', \
     NaN with lines linewidth 2.5 linecolor rgb '#444444' title 'arrow: out of time'
