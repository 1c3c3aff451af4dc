#!/bin/sh
# What `make demo` takes on a machine where nothing was built yet: demo.sh SOURCE_TREE
# It configures without the tests, so that their packages may be missing, and builds the program and the library alone.
set -u
tree=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/gpis-demo.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# What make would do for a build tree that does not exist.
for target in demo install; do
    make -C "$tree" -n $target BUILD="$work/none" >"$work/plan" 2>&1 || fail "make -n $target: $(cat "$work/plan")"
    grep -q -- '-DGPIS_BUILD_TESTS=OFF' "$work/plan" || fail "make $target configures the tests"
    grep 'cmake --build' "$work/plan" | grep -qv -- '--target program' && fail "make $target builds more than the program"
    grep -q -- '--target program' "$work/plan" || fail "make $target does not build the program"
    grep -x 'scripts/setup' "$work/plan" && fail "make $target installs the packages of the tests"
done

# A machine without cmocka: the program can be configured, the tests cannot.
pkg_config=$(command -v pkg-config) || { echo "no pkg-config" && exit 1; }
cat >"$work/pkg-config" <<TEXT
#!/bin/sh
case "\$*" in *cmocka*) exit 1 ;; esac
exec "$pkg_config" "\$@"
TEXT
chmod +x "$work/pkg-config"
configure() { # configure TESTS
    cmake -S "$tree" -B "$work/build" -G "Unix Makefiles" -DPKG_CONFIG_EXECUTABLE="$work/pkg-config" \
        -DGPIS_BUILD_TESTS="$1" >"$work/log" 2>&1
}
configure OFF || fail "the program needs cmocka to be configured: $(tail -n 5 "$work/log")"
needs() { sed -n "s|^CMakeFiles/\\($1\\)\\.dir/all: \\(.*\\)/all\$|\\2|p" "$work/build/CMakeFiles/Makefile2"; } # of a target
needs program | grep -q 'gpis_program' || fail "there is no target 'program' that builds the program"
needs 'program\|gpis_[a-z]*' | grep -E '^(tests|bench)/' && fail "the target 'program' builds tests or benchmarks"
configure ON && fail "tests are configured without cmocka, and nothing is reported"

# With the tests' packages, the same tree has them too.
sed -i '/cmocka/d' "$work/pkg-config"
configure ON || fail "the tree of the program cannot take the tests in: $(tail -n 5 "$work/log")"
grep -q '^all: tests/all' "$work/build/CMakeFiles/Makefile2" || fail "the tests are not built"

[ "$failures" = 0 ]
