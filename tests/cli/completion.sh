# Completion: what the program offers, and what bash and zsh make of it.
printf 'age,size of it,price low,price,"a ""b"""\n1,2,3,4,5\n2,3,4,5,6\n4,2,5,4,1\n' >table.csv
gzip -k table.csv
printf 'name;wind;pm\na;north;3\nb;west;\nc;west;4\n' >words.csv
mkdir folder

# offers WORDS... : the candidates are those in the file `wanted`, one a line
offers() {
    run 0 complete "$@"
    cut -f1 stdout >found
    cmp -s found wanted || fail "offers '$(tr '\n' ' ' <found)', not '$(tr '\n' ' ' <wanted)'"
}
echo solve >wanted
offers so
run 0 --help
sed -n 's/^  gpis \([a-z-]*\) .*/\1/p' stdout | awk '!seen[$0]++' >wanted
offers help ""
printf '%s\n' --max-passes --memory --method --missing --model --mpi >all
run 0 solve --help
grep -oE -- '--m[a-z-]+' stdout | sort -u | grep -xFf all >wanted
run 0 complete solve A.npy --m
grep -oE '^--m[a-z-]+' stdout | sort -u >found
cmp -s found wanted || fail "options that begin with --m: $(cat found)"
printf 'newton\n' >wanted
offers solve A.npy --method n
printf -- '--method=newton\n' >wanted
offers solve A.npy --method=n
printf 'srht\nsparse-sign\nsample\n' | sort >wanted
run 0 complete solve A.npy --sketch s
sort stdout >found
cmp -s found wanted || fail "sketches: $(cat found)"
printf 'any\nproven\nnone\n' >wanted
offers check --certificate ""
printf 'l1:\nl2:\nlinf:\n' >wanted
offers solve table.csv --set l
printf 'nonneg & simplex:\n' >wanted
offers solve table.csv --set 'nonneg & si'

# Columns: of a table, gzipped or not, with text in it; quoted where a list needs it.
printf 'age\n"size of it"\n"price low"\nprice\n%s\n' "'a \"b\"'" >wanted
offers solve table.csv --target ""
offers solve table.csv.gz --tol 1e-3 --target ""
printf 'price\n' >wanted
offers solve table.csv --target pr
: >wanted
offers solve --columns age,pr # no file is named yet
printf 'age,price\n' >wanted
offers solve table.csv --columns age,pr
printf 'name\nwind\npm\n' >wanted
offers info words.csv --categorical ""
printf 'nonneg[age,price\n' >wanted
offers solve table.csv --set 'nonneg[age,pr'
printf '2 age + price\n' >wanted
offers solve table.csv --subject-to '2 age + pr'
printf 'age\n:files\n' >wanted
offers solve table.csv --weights a
: >wanted
offers solve nowhere.csv --target ""
offers solve folder --target ""
offers explode --target ""
printf ':files\n' >wanted
offers solve ""
offers solve A.npy --out ""
printf ':folders\n' >wanted
offers gen syn1 --out ""
mkfifo pipe
offers gen --out ""
: >wanted
offers solve pipe --target "" # nobody writes to it: no waiting
refuse 2 complete

# bash: the function of the script fills COMPREPLY.
bash_gives() { # bash_gives WANTED WORD...: the last word is being typed
    wanted=$1
    shift
    command="(bash) $*"
    got=$(PATH=$(dirname "$gpis"):$PATH bash -c '
        . "$0"
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _gpis
        printf "%s\n" "${COMPREPLY[@]}" | sort | tr "\n" " "' "$tree/packaging/completion/gpis" "$@" 2>stderr)
    same "COMPREPLY" "$got" "$wanted"
    [ ! -s stderr ] || fail "bash complains"
}
bash_gives "solve " gpis so
bash_gives "--target " gpis solve table.csv --tar
bash_gives "newton " gpis solve A.npy --method = n
bash_gives "capped-simplex: " gpis solve A.npy --set = cap
bash_gives "age " gpis solve table.csv --target a
bash_gives "price " gpis solve table.csv --target "'price"
bash_gives 'nonneg\[age ' gpis solve table.csv --set 'nonneg[a'
bash_gives "nonneg[age " gpis solve table.csv --set "'nonneg[a"
bash_gives "table.csv table.csv.gz " gpis solve tab
bash_gives "table.csv table.csv.gz " gpis solve A.npy --out = tab
bash_gives "folder " gpis gen syn1 --out fo
bash_gives "3[age " gpis solve table.csv --set "'l1" : "3[a"

# zsh: in a shell of its own, typed at a terminal, as zsh completes nowhere else.
command=
if command -v zsh >/dev/null; then
    cat >.zshrc <<TEXT
PS1=
fpath=("$tree/packaging/completion" \$fpath)
PATH=$(dirname "$gpis"):\$PATH
autoload -Uz compinit && compinit -u -D
bindkey '^I' complete-word
show_line() { print -r -- "LINE<\$BUFFER>"; BUFFER=; zle accept-line; }
zle -N show_line
bindkey '^X' show_line
zle-line-init() { print READY; zle -D zle-line-init; }
zle -N zle-line-init
TEXT
    cat >typing <<'TEXT'
zmodload zsh/zpty
zpty -b shell "ZDOTDIR=$PWD zsh -d -i"
zpty -r shell out '*READY*'
for line in "$@"; do
    zpty -n -w shell "$line"$'\t\x18'
    zpty -r shell out '*LINE<*>*'
    print -r -- "$out"
done
TEXT
    timeout 120 zsh -f typing 'gpis so' 'gpis solve A.npy --cert' \
        'gpis solve A.npy --method=new' 'gpis solve table.csv --target pric' "gpis solve table.csv --set 'nonneg[ag" \
        'gpis gen syn1 --out fol' >typed 2>stderr
    for line in "gpis solve " "gpis solve A.npy --certificate " "gpis solve A.npy --method=newton " \
        "gpis solve table.csv --set 'nonneg[age" "gpis gen syn1 --out folder"; do
        checks=$((checks + 1))
        grep -qF "LINE<$line" typed || fail "zsh does not make '$line': $(tr -d '\r' <typed | tail -20)"
    done
fi
