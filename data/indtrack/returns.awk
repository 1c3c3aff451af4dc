# Weekly returns p[t+1]/p[t] - 1 of an index-tracking file as CSV: awk -f returns.awk indtrack1.txt >returns.csv
# The file holds N, then T, then N + 1 series of T + 1 prices, of which the first is the index; line ends mean nothing.
{ for (i = 1; i <= NF; i++) value[count++] = $i }
END {
    n = value[0]
    prices = value[1] + 1
    line = "index"
    for (s = 1; s <= n; s++) line = line ",s" s
    print line
    for (t = 0; t + 1 < prices; t++) {
        line = ""
        for (s = 0; s <= n; s++) {
            at = 2 + s * prices + t
            line = line (s > 0 ? "," : "") sprintf("%.12g", value[at + 1] / value[at] - 1)
        }
        print line
    }
}
