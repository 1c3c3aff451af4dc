# Models and predictions: the same encoding of new rows, R^2 and RMSE, and refusals. A model may come from anywhere.

cat >t.csv <<'END'
id;age;city;dose;y
1;23,5;"Ber;lin";1;3,1
2;31;Rome;2;4,2
3;44;Oslo;1,5;5,5
4;52;Rome;3;7,1
5;38;"Ber;lin";2,2;4,9
6;29;Oslo;2,7;5,2
END
table="t.csv --target y --categorical city --exclude id --missing mean"

# On the rows of the fit, predictions leave the residuals of the fit: the same R^2, RMSE and sum of squares.
run 0 solve $table --intercept --set nonneg --model m.json --json
r2=$(get r2) rmse=$(get rmse) objective=$(get objective)
run 0 predict t.csv m.json --target y --json
holds "R^2" "($(get r2) - $r2)^2 < 1e-24"
holds "RMSE" "($(get rmse) - $rmse)^2 < 1e-24"
run 0 predict t.csv m.json
same "lines" "$(wc -l <stdout)" 7
same "header" "$(head -n 1 stdout)" prediction
tail -n +2 stdout >predicted
printf '3.1\n4.2\n5.5\n7.1\n4.9\n5.2\n' >y
holds "the sum of squares" "($(paste predicted y | awk '{ s += ($1 - $2)^2 } END { printf "%.15g", s }') - $objective)^2 < 1e-20"
run 0 predict t.csv m.json --out p.csv --quiet
tail -n +2 p.csv | cmp -s - predicted || fail "--out has other predictions than are printed"
run 0 predict t.csv m.json --out p.npy --target y
prints "R^2"
run 0 info p.npy
prints "6 x 1"

# Columns are found by name, in any order; others do not matter; missing fields become the means of the model.
printf 'dose;extra;city;age\n1;x;"Ber;lin";23,5\n2;y;Rome;31\n' >other.csv
run 0 predict other.csv m.json
same "predictions of the same rows" "$(tail -n +2 stdout)" "$(head -n 2 predicted)"
sed 's/;31;/;;/' t.csv >gap.csv
run 0 predict - m.json <gap.csv
says "1 missing fields are the means"
run 0 predict gap.csv m.json
same "a row that is complete" "$(sed -n 2p stdout)" "$(head -n 1 predicted)"
gzip -k t.csv
run 0 predict t.csv.gz m.json
same "gzipped" "$(tail -n +2 stdout)" "$(cat predicted)"

# An offset and weights from a file do what the same numbers do as a column of the table.
printf 'o;w\n1;1\n0,5;2\n0;0\n2;1\n-1;3\n0;1\n' | paste -d';' t.csv - >more.csv
printf '1\n0.5\n0\n2\n-1\n0\n' >o.csv
printf '1\n2\n0\n1\n3\n1\n' >w.csv
run 0 predict more.csv m.json --offset o --weights w --target y --json --out column.csv
r2=$(get r2) rmse=$(get rmse)
run 0 predict t.csv m.json --offset o.csv --weights w.csv --target y --json --out file.csv
same "R^2 and RMSE with files" "$(get r2) $(get rmse)" "$r2 $rmse"
cmp -s column.csv file.csv || fail "an offset from a file has other predictions"
holds "the offset" "($(sed -n 5p file.csv) - $(sed -n 4p predicted) - 2)^2 < 1e-24"
refuse 2 predict t.csv m.json --offset nothing.csv
says "has no column of this name, and there is no such file"
head -n 3 o.csv >short.csv
refuse 2 predict t.csv m.json --offset short.csv
says "is 3 x 1, but --offset wants 6 x 1"
refuse 2 predict t.csv m.json --weights age --target y
says "cannot be the target, weights or offset too"
cp o.csv o.npy
refuse 2 predict t.csv m.json --offset o.npy --out o.npy
says "--offset and --out are the same file"
cmp -s o.csv o.npy || fail "the offset was written over"
run 0 summarize $table --out t.summary --quiet
refuse 2 predict t.summary m.json
says "gpis: t.summary is a summary, which has no rows to predict"
refuse 2 predict t.csv m.json --mpi
refuse 2 merge t.csv --out u.npz --mpi

# Refused by row and column.
sed 's/Oslo/Paris/' t.csv >paris.csv
refuse 2 predict paris.csv m.json
says "line 4, column 3 (city) is 'Paris'"
cut -d';' -f1-3 t.csv >narrow.csv
refuse 2 predict narrow.csv m.json
says "has no column 'dose'"
printf '1;23;3;Rome\n2;31;5;Oslo\n' >headless.csv
refuse 2 predict headless.csv m.json
says "text in column 4 ('Oslo'), where the table before has numbers; without a header columns go by their numbers"
refuse 2 predict t.csv m.json --exclude age
says "as the model has it"
refuse 2 predict t.csv m.json --out t.csv
refuse 2 predict t.csv m.json --out p.txt
refuse 2 predict t.csv
refuse 3 predict t.csv nothing.json
refuse 2 predict t.csv t.csv
says "is not JSON"

# Several responses, no names; weights and offset are columns of a table.
run 0 gen syn1 --n 300 --d 15 --out p
run 0 solve p/A.npy p/y.npy --model n.json --json
r2=$(get r2)
run 0 predict p/A.npy n.json --out q.npy
run 0 solve p/A.npy q.npy --json
holds "nothing is left of the predictions" "$(get objective) < 1e-18"
refuse 2 predict p/y.npy n.json
says "1 columns, but the model n.json has 15"
awk 'BEGIN { print "a,b,w,o,y"; for (i = 0; i < 50; i++) print i % 7 "," i % 5 * 1.5 "," i % 3 "," i % 4 "," i % 11 + i % 7 }' >w.csv
run 0 solve w.csv --target y --weights w --offset o --intercept --model w.json --json
r2=$(get r2) rmse=$(get rmse)
run 0 predict w.csv w.json --target y --weights w --offset o --json
holds "R^2 with weights and offset" "($(get r2) - $r2)^2 < 1e-20"
holds "RMSE with weights and offset" "($(get rmse) - $rmse)^2 < 1e-20"
run 0 predict w.csv w.json
says "made with an offset"

# Larger than memory: 24 MB of numbers in 16 MB.
run 0 gen syn1 --n 30000 --d 100 --out large
run 0 solve large/A.npy large/y.npy --model l.json --quiet
measured 16 0 predict large/A.npy l.json --out l.csv
same "rows" "$(wc -l <l.csv)" 30001

# A table in Latin-1, whose letters are no UTF-8, has its names and levels in the model byte by byte.
printf 'gr\366\337e,farbe,y\n1,r\366t,1\n2,blau,3\n3,r\366t,2\n4,blau,5\n5,100%%,9\n' >latin.csv
run 0 solve latin.csv --target y --categorical farbe --intercept --model latin.json --quiet
run 0 predict latin.csv latin.json --target y
prints 'R^2'
printf 'gr\366\337e,farbe\n1,r\374t\n' >other.csv
refuse 2 predict other.csv latin.json

# Hostile models: one line, no crash, nothing believed.
hostile() {
    printf '%s' "$1" >h.json
    refuse 2 predict t.csv h.json
}
hostile '{'
hostile '[]'
hostile '{"gpis_model": 2}'
hostile '{"gpis_model": 1, "columns": 1000000000000, "responses": 1, "coefficients": [[1]]}'
hostile '{"gpis_model": 1, "columns": 1, "responses": 2, "coefficients": [[1, 2], [1]]}'
hostile '{"gpis_model": 1, "columns": 2, "responses": 2, "coefficients": [[1, 2], [1]]}'
hostile '{"gpis_model": 1, "columns": 1, "responses": 1, "coefficients": [["x"]]}'
hostile '{"gpis_model": 1, "columns": 1, "responses": 1, "coefficients": [[1e999]]}'
hostile '{"gpis_model": 1, "columns": 1, "responses": 1, "coefficients": [[1]], "names": ["a", "b"]}'
hostile '{"gpis_model": 1, "columns": 1, "responses": 1, "coefficients": [[1]], "names": [7]}'
hostile '{"gpis_model": 1, "columns": 1, "responses": 1, "coefficients": [[1]], "names": "x"}'
hostile '{"gpis_model": 1, "columns": 1, "responses": 1, "coefficients": [[1]], "intercept": 5}'
says "the intercept is not a finite number"
hostile '{"gpis_model": 1, "columns": 1, "responses": 1, "coefficients": [[1]], "encoding": 5}'
says "its 'encoding' is no text"
hostile '{"gpis_model": 1, "columns": 1, "responses": 1, "coefficients": [[1]], "encoding": "gpis-encoding 1 mean 1 6 0\nnumber 99999999999999999999 age\n"}'
hostile '{"gpis_model": 1, "columns": 1, "responses": 1, "coefficients": [[1]], "intercept": [null], "encoding": null}'
hostile '{"gpis_model": 1, "columns": 7, "responses": 1, "coefficients": [[1],[1],[1],[1],[1],[1],[1]], "encoding": "gpis-encoding 1 mean 1 6 0\nnumber 2 age\nmean 6 0 406b300000000000 0000000000000000\n"}'
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "[" }' >h.json
refuse 2 predict t.csv h.json

# The model is whole or not there.
refuse 3 solve $table --model nowhere/m.json
missing nowhere
refuse 2 solve $table --model t.csv
