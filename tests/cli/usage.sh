# Help, version, and how bad usage is met.
run 0 --help
prints "gpis solve"
same "stderr" "$(cat stderr)" ""
run 0 --version
same "version" "$(cat stdout | tr -d '0-9')" "gpis .."
for command_name in solve plan check info gen reproduce plot bounds; do
    run 0 $command_name --help
    prints "Usage: gpis $command_name"
    prints "Example:"
    same "stderr" "$(cat stderr)" ""
done
# help COMMAND is COMMAND --help.
run 0 help
cp stdout general
run 0 --help
cmp -s stdout general || fail "'help' and '--help' differ"
for command_name in solve plan check info gen reproduce plot bounds; do
    run 0 $command_name --help
    cp stdout own
    run 0 help $command_name
    cmp -s stdout own || fail "'help $command_name' is not '$command_name --help'"
done
refuse 2 help explode
says "unknown command 'explode'"
refuse 2 help solve plan
says "'plan' is one too many"
refuse 2
says "gpis --help"
refuse 2 explode
says "unknown command 'explode'"
refuse 2 --explode

# A word with a typing error: what was meant.
suggests() { # suggests WORD ARGUMENTS...
    word=$1
    shift
    refuse 2 "$@"
    says "did you mean $word?"
}
suggests "'solve'" sovle
suggests "'solve'" slve
suggests "'solve'" help solvee
suggests "'reproduce'" reporduce
suggests "'info'" inof
suggests --target solve A.csv --traget y
suggests --target solve A.csv --tarjet=y
suggests --max-passes solve A.npy --max-pases 3
suggests --method plan A.npy --metod newton
suggests --checkpoint solve A.npy --chekpoint f
suggests --memory info A.npy --memmory 1G
suggests --out gen syn1 --uot d
refuse 2 zzzzzz
grep -q "did you mean" stderr && fail "a word that is like none gets a suggestion"
refuse 2 solve A.npy --zzzzzz
grep -q "did you mean" stderr && fail "an option that is like none gets a suggestion"
refuse 2 solve A.npy --check f
says "ambiguous: --checkpoint or --checkpoint-every"

# The formats that solve takes are in its help.
run 0 solve --help
for format in .npy .csv .tsv .mtx .svm .libsvm FILE.h5:/path HDF5 @LIST; do prints $format; done
refuse 2 solve
says "gpis solve --help"
refuse 2 solve A.npy --explode
says "--explode"
refuse 2 solve A.npy --set
says "--set needs a value"
refuse 2 solve A.npy --json=1
says "--json takes no value"
refuse 2 solve A.npy y.npy z.npy
refuse 2 solve A.npy --tol abc
says "--tol"
refuse 2 solve A.npy --tol -1
refuse 2 solve A.npy --tol nan
refuse 2 solve A.npy --max-passes 1.5
refuse 2 solve A.npy --max-passes 99999999999999999999
refuse 2 solve A.npy --seed -3
refuse 2 solve A.npy --threads -1
for bytes in abc 3Q 10XB MB "" -5M 1e30 nan inf 5MM 0; do
    refuse 2 solve A.npy --memory "$bytes"
    says "--memory wants a number of bytes such as"
done
printf '1,2\n3,4\n5,7\n' >small.csv
for bytes in 300MB "300 MB" 300mb 300M 300MiB 1GiB 1gb 1.5G 51200k 51200KB 1T 1e9 800000000 800000000B; do
    run 0 info small.csv --memory "$bytes"
done
refuse 3 solve small.csv --target 2 --memory 1KB # 1024 bytes
says "only 1.0K"
refuse 2 solve A.npy --certificate maybe
says "any, proven or none"
refuse 2 solve A.csv y.npy --target 3
says "y is given twice"
refuse 2 solve A.npy y.npy --out x.txt
says ".npy"
refuse 2 check A.npy
refuse 2 check A.npy y.npy x.npy z.npy
refuse 2 info
refuse 2 gen
refuse 2 gen syn1
says "--out"
refuse 2 gen syn9 --out d
says "syn1, syn2, syn3, syn4, large, magic04 and year"
refuse 2 gen syn1 syn2 --out d
refuse 2 gen syn1 --k 3 --out d
says "syn1 has no option --k"
refuse 2 gen magic04 --cond 10 --out d
refuse 2 gen syn1 --n 5 --d 10 --out d
refuse 2 gen syn1 --n 50 --d 10 --sparsity 11 --out d
refuse 2 gen magic04 --d 9 --out d

# A full disk is reported.
if [ -e /dev/full ]; then
    "$gpis" --help >/dev/full 2>stderr
    same "exit code on a full disk" $? 3
fi

# What an option means elsewhere is not what it means here, and what a command refuses is not offered.
run 0 path --help
grep -q '(default l1)' stdout || fail "the default set of a path is not told"
run 0 predict --help
grep -q -- '--missing' stdout && fail "predict offers an option that it refuses"
