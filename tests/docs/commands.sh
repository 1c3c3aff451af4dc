#!/bin/sh
# Runs what the documents show: commands.sh SOURCE_TREE BUILD_TREE DOCUMENT...
#
# In a fenced block that opens with ```console or ```sh, a line "$ COMMAND" is a command and the lines up to the next
# one are what it prints, stdout and stderr together; blocks without such lines are left alone. All commands of a
# document run in order, in one empty folder where `data` and `examples` are those of the source tree, build/release is the
# build tree, and `gpis` is the one just built; only README.md, which people read first, has to put it on the PATH itself.
# What `export` sets holds for the commands after it. A command must succeed, unless "  # exits with N" stands behind it. Where output is shown it must match
# line by line and word by word, except that
#   - a time ("0.07 s") matches any time;
#   - numbers match to 4 digits, and any two below 1e-5: what is left is rounding, which differs between machines;
#   - a line "..." matches any number of lines, none too.
# A ```c or ```python block that follows the line <!-- file: NAME --> is written to NAME, so that the commands after it can
# compile or run it; cc finds gpis.h and libgpis of the build tree, and python3 is Debian's, with the package of the build tree.
set -u
tree=$1 build=$2
shift 2
root=$(mktemp -d "${TMPDIR:-/tmp}/gpis-docs.XXXXXX") || exit 1
trap 'rm -rf "$root"' EXIT
# The program keeps the speed of the machine there: usual figures, since a busy machine would choose other plans.
XDG_CACHE_HOME=$root/cache
mkdir -p "$XDG_CACHE_HOME/gpis" || exit 1
printf '{"threads": %d, "read_bytes": 12e9, "gradient_bytes": 10e9, "syrk_flops": 30e9, "memory": 4e9}' \
    "$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)" >"$XDG_CACHE_HOME/gpis/machine-$(uname -n).json"
mkdir "$root/bin" && ln -s /usr/bin/python3 "$root/bin" || exit 1
plain_path=$root/bin:$PATH
PYTHONPATH=$build/python PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg
export PYTHONPATH PYTHONDONTWRITEBYTECODE MPLBACKEND
CPATH=$tree/include LIBRARY_PATH=$build LD_LIBRARY_PATH=$build
export XDG_CACHE_HOME PATH CPATH LIBRARY_PATH LD_LIBRARY_PATH
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # tests may run as root; Open MPI requires these
export OMPI_MCA_btl_vader_single_copy_mechanism=none              # or it warns where containers forbid it

# Cuts a document into steps/NUMBER.command, .code (the exit code it must have), .shown and the files it names.
cut_up() {
    awk '
        /^<!-- file: .* -->$/ { file = $3; next }
        /^```/ && inside { inside = ""; if (file) close(file); file = ""; next }
        /^```(c|python)$/ && file { inside = "file"; next }
        /^```(console|sh)$/ { inside = "console"; base = ""; next }
        /^```/           { inside = "other"; next }
        inside == "file" { print > file }
        inside == "console" && /^\$ / {
            base = sprintf("steps/%03d", ++count)
            code = match($0, /  # exits with [0-9]+$/) ? substr($0, RSTART + 15) : 0
            command = RSTART > 0 ? substr($0, 1, RSTART - 1) : $0
            print substr(command, 3) > (base ".command")
            print code + 0 > (base ".code")
            printf "" > (base ".shown")
            next
        }
        inside == "console" && base { print > (base ".shown") }
    ' "$1"
}

plain() { sed -E 's/[0-9.]+ s\b/TIME/g' "$1"; }

# matches SHOWN GOT: says what does not, by the rules above.
matches() {
    awk 'function number(t) { return t ~ /^-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?$/ }
         function size(v) { return v < 0 ? -v : v }
         function same_word(a, b) {
             if (a == b) return 1
             if (!number(a) || !number(b)) return 0
             return size(a - b) <= 1e-4 * size(a) || (size(a) < 1e-5 && size(b) < 1e-5)
         }
         function same(a, b,   i, n, u, v) {
             n = split(a, u)
             if (split(b, v) != n) return 0
             for (i = 1; i <= n; i++) if (!same_word(u[i], v[i])) return 0
             return 1
         }
         NR == FNR { shown[++n] = $0; next }
         { got[++m] = $0 }
         END {
             j = 1
             for (i = 1; i <= n; i++) {
                 if (shown[i] == "...") { loose = 1; continue }
                 while (loose && j <= m && !same(shown[i], got[j])) j++
                 if (j > m || !same(shown[i], got[j])) { print "shown, not printed: " shown[i]; exit }
                 loose = 0; j++
             }
             if (!loose && j <= m) print "printed, not shown: " got[j]
         }' "$1" "$2"
}

failures=0 count=0
for document; do
    folder=$root/$(echo "$document" | tr '/' '_')
    mkdir -p "$folder/steps" "$folder/build" && cd "$folder" || exit 1
    ln -s "$tree/data" "$tree/examples" .
    ln -s "$build" build/release
    case $document in
    README.md) PATH=$plain_path ;;
    *) PATH=$build:$plain_path ;;
    esac
    : >exports
    cut_up "$tree/$document"
    for step in steps/*.command; do
        [ -f "$step" ] || continue
        step=${step%.command} count=$((count + 1))
        sh -c '. ./exports && . "./$1"' sh "$step.command" >"$step.got" 2>&1 </dev/null
        code=$?
        grep '^export ' "$step.command" >>exports
        trouble=
        [ "$code" = "$(cat "$step.code")" ] || trouble="exit code $code, not $(cat "$step.code")"
        if [ -z "$trouble" ] && [ -s "$step.shown" ]; then
            plain "$step.shown" >"$step.a"
            plain "$step.got" >"$step.b"
            trouble=$(matches "$step.a" "$step.b")
        fi
        [ -z "$trouble" ] && continue
        failures=$((failures + 1))
        printf 'FAILED: %s: $ %s\n  %s\n' "$document" "$(cat "$step.command")" "$trouble"
        sed 's/^/  | /' "$step.got"
    done
done
[ "$count" -gt 0 ] || { echo "no commands found"; exit 1; }
[ "$failures" = 0 ] || exit 1
echo "$count commands"
