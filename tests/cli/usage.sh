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
refuse 2
says "gpis --help"
refuse 2 explode
says "unknown command 'explode'"
refuse 2 --explode
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
refuse 2 solve A.npy --certificate maybe
says "any, proven or none"
refuse 2 solve A.csv y.npy --target 3
says "y is given twice"
refuse 2 solve A.npy y.npy --out x.csv
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

# A full disk is told.
if [ -e /dev/full ]; then
    "$gpis" --help >/dev/full 2>stderr
    same "exit code on a full disk" $? 3
fi
