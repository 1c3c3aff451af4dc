# HDF5 files by solve, check, plan and info: the problem of files.sh once more, and what is refused.
"$(dirname "$probe")/cli_h5" t.h5 || fail "no HDF5 file could be made"

for files in "t.h5:/A t.h5:/y" "t.h5:A t.h5:y" "t.h5:/deep/X t.h5:/y"; do
    run 0 solve $files --json --out x.npy
    holds "objective of $files" "($(get objective) - 0.15)^2 < 1e-16"
    same "shape of $files" "$(get rows) $(get cols)" "4 2"
    run 0 check ${files% *} ${files#* } x.npy --json
    run 0 plan $files
done
run 0 solve t.h5:/A t.h5:/Y --json
same "responses" "$(get responses)" 2

refuse 2 solve t.h5:/B t.h5:/y
says "t.h5:/B: there is nothing of that name in the file; it has: /A (4 x 2 float32), /Y (4 x 2 float64), /cube"
refuse 2 solve t.h5 t.h5:/y
says "which of its data sets?"
refuse 2 solve t.h5:/deep t.h5:/y
run 0 solve t.h5:/y t.h5:/y --json # one column
holds "objective" "$(get objective) < 1e-16"
refuse 2 solve t.h5:/cube t.h5:/y
says "3 dimensions"
refuse 2 solve t.h5:/text t.h5:/y
says "holds text"
refuse 2 solve t.h5:/A t.h5:/nothing
refuse 3 solve nowhere.h5:/A t.h5:/y
says "nowhere.h5"
refuse 2 solve t.h5:/A --target 1
head -c 3000 t.h5 >cut.h5
refuse 2 solve cut.h5:/A t.h5:/y
says "cut.h5"
echo text >word.h5
refuse 2 solve word.h5:/A t.h5:/y
says "is not an HDF5 file"

run 0 info t.h5
prints "/A  4 x 2, float32, chunks of 3 x 2, gzip"
prints "/deep/X  4 x 2, float64, compressed rows, 5 entries"
prints "not read; name a matrix"
run 0 info t.h5:/deep/X
prints "62.5 %"
run 0 info t.h5 t.h5:/A --json
"$probe" json stdout || fail "info --json is not JSON"
run 2 info cut.h5 t.h5:/A
prints "4 x 2"
same "lines on stderr" "$(wc -l <stderr)" 1
