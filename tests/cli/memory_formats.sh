# --memory is a promise for every kind of source: rows that take 120 MB, 16 MB allowed. All kinds hold the same problem.
rows=150000 columns=100
[ -z "$sanitized" ] || rows=30000
tools=$(dirname "$probe")

# solved KIND ARGUMENTS...: under the budget, with the objective that the first kind had
solved() {
    kind=$1
    shift
    measured 16 0 solve "$@" --set l1:3 --tol 1e-12 --json
    [ -n "${objective:-}" ] || objective=$(get objective)
    holds "objective of $kind" "($(get objective) - $objective)^2 <= (2e-12 * $objective)^2"
    holds "rows and columns of $kind" "$(get rows) == $rows && $(get cols) == $columns"
}

"$tools/cli_rows" csv t.csv $rows $columns || fail "no table could be made"
solved "a table, parsed" t.csv --target $((columns + 1))
same "caches" "$(ls | grep -c 'gpis-cache$')" 1
solved "a table, from its cache" t.csv --target $((columns + 1))
measured 16 0 info t.csv
rm -f t.csv*

"$tools/cli_rows" svm t.svm $rows $columns || fail "no LIBSVM file could be made"
solved "LIBSVM, parsed" t.svm
solved "LIBSVM, from its cache" t.svm
rm -f t.svm*

if [ -x "$tools/cli_h5" ]; then
    "$tools/cli_h5" t.h5 $rows $columns || fail "no HDF5 file could be made"
    solved "HDF5, gzipped chunks" t.h5:/A t.h5:/y
    solved "HDF5, compressed rows" t.h5:/X t.h5:/y
    measured 16 0 info t.h5:/A
    rm -f t.h5
fi

command="a solve with rows made on demand"
promised 16 "$tools/cli_rows" solve $((16 * 1024 * 1024)) $rows $columns
same "exit code" "$?" 0
holds "objective of rows on demand" "($(cat stdout) - $objective)^2 <= (2e-12 * $objective)^2"
