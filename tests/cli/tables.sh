# Tables as they are: text columns, missing fields, lists of columns, other dialects, standard input; the same x under
# --memory, through the cache, by parts and by ranks.
awk 'BEGIN { print "\"id\",\"wd\",\"temp\",\"rain\",\"y\""
     w[0] = "N"; w[1] = "SE"; w[2] = "\"W, far\""; w[3] = "NE"
     for (i = 0; i < 30000; i++) { t = i * 7919 % 1009 / 8; r = i * 104729 % 97 / 4; k = i * 31 % 4
         y = 2 * t - r + 10 * k + i % 13
         print "\"r" i "\"," w[k] "," (i % 50 == 7 ? "NA" : t) "," (i % 70 == 9 ? "" : r) "," (i % 1000 == 3 ? "?" : y) } }' >t.csv
table="--target y --exclude id --categorical wd"

# What is wrong is said at once, with what to do.
refuse 2 solve t.csv --target y
says "text in 'id', column 1 ('r0'), 'wd', column 2 ('N'): name the columns in --categorical, or leave them out with --exclude"
refuse 2 solve t.csv $table
says "line 5, column 5 (y) is missing; fill it in, or choose --missing drop or mean"
refuse 2 solve t.csv --target y --missing some
says "--missing is error, drop or mean, not 'some'"
refuse 2 solve t.csv --target y --exclude idd
says "--exclude: there is no column 'idd'"

# Levels and counts are told.
run 0 info t.csv $table --missing drop
prints "wd: N (the reference), NE, W, far, SE"
prints "left out   1059 rows"
run 0 solve t.csv $table --missing drop --out drop.npy --json
run 0 solve t.csv $table --missing mean --out mean.npy
says "missing fields are the means of their columns"
says "'wd' with 'N'"

# By hand: the same table in numbers, complete rows only.
echo "temp,rain,ne,w,se,y" >plain.csv
sed -e 's/"W, far"/W/' t.csv | awk -F, 'NR > 1 && $3 != "NA" && $4 != "" && $5 != "?" {
    print $3 "," $4 "," ($2 == "NE") "," ($2 == "W") "," ($2 == "SE") "," $5 }' >>plain.csv
run 0 solve plain.csv --target y --columns 'ne,w,se,temp,rain' --out x.npy --quiet
cmp -s drop.npy x.npy || fail "levels and complete rows made by hand give another x"

# The same under --memory, from the cache, by parts, by ranks, and through a pipe; the options are in the cache's key.
mkdir folder
for missing in drop mean; do
    run 0 solve t.csv $table --missing $missing --memory 3M --cache folder --out x.npy --quiet
    cmp -s $missing.npy x.npy || fail "rows from the cache change x, with --missing $missing"
    run 0 solve t.csv $table --missing $missing --cache folder --out x.npy --quiet
    cmp -s $missing.npy x.npy || fail "the cache changes x, with --missing $missing"
    "$gpis" solve - $table --missing $missing --out x.npy --quiet <t.csv || fail "standard input"
    cmp -s $missing.npy x.npy || fail "standard input changes x, with --missing $missing"
done
same "caches" "$(ls folder | wc -l)" 2
run 0 solve t.csv --target y --exclude id --categorical 'wd=SE|N|NE|"W, far"' --missing drop --cache folder --out other.npy --quiet
cmp -s drop.npy other.npy && fail "other levels give the same x"
same "caches" "$(ls folder | wc -l)" 3

head -n 9001 t.csv >part1.csv
{ head -n 1 t.csv; tail -n +9002 t.csv | head -n 2; } >part2.csv # two levels only
{ head -n 1 t.csv; tail -n +9004 t.csv; } >part3.csv
printf 'part1.csv\npart2.csv\npart3.csv\n' >parts.txt
run 0 info t.csv $table --missing mean --json
whole=$(sed -n 's/.*"filled": \([0-9]*\).*/\1/p' stdout)
run 0 solve @parts.txt $table --missing mean --json
same "fields filled in the parts" "$(sed -n 's/.*"filled": \([0-9]*\).*/\1/p' stdout)" "$whole"
sed -n 's/.*"objective": \([0-9.]*\).*/\1/p' stdout >parts.objective
run 0 solve t.csv $table --missing mean --json
sed -n 's/.*"objective": \([0-9.]*\).*/\1/p' stdout >whole.objective
same "objective of the parts to eight digits" "$(cut -c 1-8 parts.objective)" "$(cut -c 1-8 whole.objective)"

# y in another file cannot follow rows that are left out.
tail -n +2 t.csv | awk '{ print NR }' >y.csv
run 2 solve t.csv y.csv --exclude id,y --categorical wd --missing drop
says "rows are left out; y has to be a column of the table then (--target)"

# Other dialects, the same numbers.
tail -n +2 plain.csv | head -n 500 >n.csv
run 0 solve n.csv --target 6 --out x.npy --quiet
tr ',.' ';,' <n.csv | sed 's/$/\r/' >semicolon.csv
tr ',' '|' <n.csv >pipe.txt
tr ',' '\t' <n.csv | gzip >tab.tsv.gz
sed 's/,/#/g' n.csv >hash.data
for file in semicolon.csv pipe.txt tab.tsv.gz; do
    run 0 solve $file --target 6 --out other.npy --quiet
    cmp -s x.npy other.npy || fail "$file gives another x"
done
run 0 solve hash.data --delimiter '#' --target 6 --out other.npy --quiet
cmp -s x.npy other.npy || fail "--delimiter gives another x"
refuse 2 solve drop.npy y.csv --columns 1
says "--columns is for tables in text"

# Wide characters take two columns of a terminal, and accents that are written after their letter none.
printf '日本,abcd,ne\314\201e,y\n1,2,5,7\n2,1,3,5\n3,5,1,2\n4,4,4,9\n2,2,7,3\n' >wide.csv
run 0 solve wide.csv --target y
line_of() { printf '  %s  %11s' "$1" "$(sed -n "s/^  $1  *//p" stdout)"; }
nee=$(printf 'ne\314\201e')
same "a wide name" "$(grep '^  日本' stdout)" "$(line_of 日本)"
same "a combined letter" "$(grep "^  $nee" stdout)" "$(line_of "$nee" | sed "s/$nee/& /")"
