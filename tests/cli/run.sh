#!/bin/sh
# Runs one case of this folder: run.sh CASE GPIS PROBE SOURCE_TREE
# A case is a script of checks; it runs in an empty folder of its own and fails when one check fails.
set -u
case_name=$1 gpis=$2 probe=$3 tree=$4
here=$(cd "$(dirname "$0")" && pwd)
gpis=$(readlink -f "$gpis")
work=$(mktemp -d "${TMPDIR:-/tmp}/gpis-cli.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
XDG_CACHE_HOME=$work/cache # where the speed of the machine is kept
export XDG_CACHE_HOME
checks=0 failures=0

# ---- what cases are written with -----------------------------------------------------------------------------------

fail() {
    failures=$((failures + 1))
    echo "FAILED ($case_name): $*"
    [ -z "${command:-}" ] || echo "  after:  gpis $command"
    [ ! -s stderr ] || sed 's/^/  stderr: /' stderr
}

# run CODE ARGUMENTS...: runs gpis, which must exit with CODE; output in the files stdout and stderr.
run() {
    expected=$1
    shift
    command=$*
    "$gpis" "$@" >stdout 2>stderr
    code=$?
    checks=$((checks + 1))
    [ "$code" = "$expected" ] || fail "exit code $code, expected $expected"
}

# refuse CODE ARGUMENTS...: as run, and the trouble is one line on stderr, nothing on stdout.
refuse() {
    run "$@"
    [ "$(wc -l <stderr)" = 1 ] || fail "stderr has $(wc -l <stderr) lines, expected one"
    grep -q '^gpis: ' stderr || fail "the message does not start with 'gpis: '"
    [ ! -s stdout ] || fail "something is on stdout"
}

# promised BYTES-IN-MB COMMAND...: what COMMAND has resident stays within that and 64 MB; output as with run. Sanitizers
# take memory of their own. Returns the exit code.
grep -q __asan_init "$gpis" && sanitized=yes || sanitized=
promised() {
    budget=$1
    shift
    "$probe" rss rss "$@" >stdout 2>stderr
    code=$?
    [ -n "$sanitized" ] || holds "resident memory in KB" "$(cat rss) <= ($budget + 64) * 1024"
    return $code
}

# measured BUDGET CODE ARGUMENTS...: as run, under --memory BUDGET (in MB), a promise
measured() {
    expected=$2 budget=$1
    shift 2
    command="$* --memory ${budget}M"
    promised "$budget" "$gpis" "$@" --memory "${budget}M"
    same "exit code" "$?" "$expected"
}

says() { # says TEXT: the last message holds TEXT
    checks=$((checks + 1))
    grep -qF -- "$1" stderr || fail "stderr does not say '$1'"
}

prints() { # prints TEXT: the last output holds TEXT
    checks=$((checks + 1))
    grep -qF -- "$1" stdout || fail "stdout does not hold '$1'"
}

same() { # same WHAT GOT EXPECTED
    checks=$((checks + 1))
    [ "$2" = "$3" ] || fail "$1 is '$2', expected '$3'"
}

holds() { # holds WHAT EXPRESSION: an expression of numbers that awk finds true
    checks=$((checks + 1))
    awk "BEGIN { exit !($2) }" || fail "$1: not true that $2"
}

missing() { # missing FILE: it is not there, and nothing that is named like it either
    checks=$((checks + 1))
    for file in "$1"*; do
        [ ! -e "$file" ] || fail "$file is there"
    done
}

get() { "$probe" get stdout "$1"; } # get KEY: of the JSON object on stdout

# bytes HEX...: writes these bytes
bytes() { for byte in "$@"; do printf "\\$(printf %03o "0x$byte")"; done; }

# npy SHAPE VALUE...: a float64 .npy file on stdout; values are 0 or 1 only (their bytes are easy to write)
npy() {
    text="{'descr': '<f8', 'fortran_order': False, 'shape': ($1), }"
    shift
    bytes 93 && printf 'NUMPY' && bytes 01 00 76 00 && printf '%-117s\n' "$text"
    for value in "$@"; do
        case $value in
        0) bytes 00 00 00 00 00 00 00 00 ;;
        1) bytes 00 00 00 00 00 00 f0 3f ;;
        nan) bytes 00 00 00 00 00 00 f8 7f ;;
        inf) bytes 00 00 00 00 00 00 f0 7f ;;
        esac
    done
}

. "$here/$case_name.sh"

[ "$failures" = 0 ] || exit 1
echo "$case_name: $checks checks"
