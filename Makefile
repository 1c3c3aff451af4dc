# A thin face on CMake: each target sets up what is missing, builds, runs.
PRESET ?= release
BUILD := build/$(PRESET)
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local

.PHONY: all setup setup-program program python build test demo examples docs bench install sanitize fuzz stress combined tsan format check-format clean

all: build

setup:
	@scripts/setup

setup-program:
	@scripts/setup program

# A change of CMakeLists.txt is seen by the build itself, one of the presets here. The program alone is configured without
# the tests, whose packages may be missing; a tree that has them keeps them.
$(BUILD)/Makefile: CMakePresets.json | setup-program
	@cmake --preset $(PRESET) $(if $(wildcard $(BUILD)/tests/Makefile),,-DGPIS_BUILD_TESTS=OFF) >/dev/null
	@touch $@

$(BUILD)/tests/Makefile: CMakePresets.json | setup
	@cmake --preset $(PRESET) >/dev/null
	@touch $@ $(BUILD)/Makefile

# The program and the libraries, without tests and benchmarks.
program: setup-program $(BUILD)/Makefile
	@cmake --build $(BUILD) -j $(JOBS) --target program -- --no-print-directory -s

# The Python package in the tree: PYTHONPATH=build/release/python.
python: program
	@scripts/setup python
	@cmake $(BUILD) >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target python_package -- --no-print-directory -s

build: setup $(BUILD)/tests/Makefile
	@cmake --build $(BUILD) -j $(JOBS) -- --no-print-directory -s

test: build
	@ctest --test-dir $(BUILD) --output-on-failure --progress -j $(JOBS)

demo: program
	@examples/demo $(BUILD)/gpis
	@echo
	@echo 'The program is $(BUILD)/gpis. To call it by its name in this shell: export PATH=$$PWD/$(BUILD):$$PATH'

# Real data from file to figure, into build/examples. DATA: where the folders of data/ are, with what does not come with
# gpis; the head of each script says what it needs.
EXAMPLES := index-tracking magic04 beijing-air blogfeedback unmixing
DATA ?= data
examples: program
	@scripts/setup install
	@for name in $(EXAMPLES); do \
	    printf '\n== %s\n' "$$name"; \
	    examples/$$name $(BUILD)/gpis build/examples/$$name $(DATA) || [ $$? = 77 ] || exit 1; \
	done

# All documents as one site, which opens from disk: build/site/index.html.
docs: program
	@scripts/setup docs
	@/usr/bin/python3 -B docs/site/build.py . $(BUILD) build/site
	@/usr/bin/python3 -B tests/docs/site.py build/site
	@echo "open build/site/index.html"

# QUICK=1: a tenth of the rows. RESULTS=bench: results into the folder that is committed, and the constants of the cost
# model into src/cost, where they are compiled, but not with QUICK. BENCH: more for bench/solve.py.
bench: build
	@scripts/setup bench
	@$(BUILD)/bench/passes $(if $(QUICK),3 10)
	@$(BUILD)/bench/stream $(if $(QUICK),3 10,9 1) $(BUILD)
	@/usr/bin/python3 -B bench/tables.py $(BUILD) $(if $(QUICK),--part 10)
	@/usr/bin/python3 -B bench/path.py $(BUILD) $(if $(QUICK),--part 10)
	@sh bench/sweeps $(BUILD)/gpis $(if $(QUICK),100000,1000000)
	@/usr/bin/python3 -B bench/constants.py $(BUILD) \
		$(if $(QUICK),--rounds 3,$(if $(filter bench,$(RESULTS)),--out src/cost/constants.c))
	@/usr/bin/python3 -B bench/regret.py $(BUILD) $(if $(QUICK),--entries 4e6) $(if $(RESULTS),--out $(RESULTS)/regret.csv)
	@/usr/bin/python3 -B bench/solve.py $(BUILD) $(if $(QUICK),--part 10) $(if $(RESULTS),--out $(RESULTS)) $(BENCH)
	@$(BUILD)/bench/small $(if $(QUICK),2,9)
	@/usr/bin/python3 -B bench/rows.py $(BUILD) $(if $(QUICK),--rounds 2 --n 20000)
	@/usr/bin/python3 -B bench/busy.py $(BUILD) $(if $(QUICK),--part 10 --rounds 3)
	@/usr/bin/python3 -B bench/scale.py $(BUILD) $(if $(QUICK),--part 10 --rounds 2)
	@/usr/bin/python3 -B bench/python.py $(BUILD) $(if $(QUICK),--part 10)

sanitize:
	@$(MAKE) --no-print-directory test PRESET=sanitize

# FUZZ_SECONDS: for all readers together. FUZZ_ONLY: the names of some of them, as npy; all of them are in tests/fuzz.
FUZZ_SECONDS ?= 120
fuzz:
	@scripts/setup clang
	@cmake --preset fuzz >/dev/null
	@cmake --build build/fuzz -j $(JOBS) --target fuzzers -- --no-print-directory -s
	@sh tests/fuzz/run build/fuzz $(FUZZ_SECONDS) $(JOBS) $(FUZZ_ONLY)

# STRESS_SEED: other problems. STRESS_CASE: the problem of that number alone, with all that is known about its answer.
# STRESS_COUNT: so many problems, but no more than STRESS_SECONDS allow. STRESS_LIMIT: seconds of processor time for a solve. STRESS_MARKDOWN: the document that gets the counts.
STRESS_SECONDS ?= 120
STRESS_SEED ?= 1
stress: setup $(BUILD)/tests/Makefile
	@cmake --build $(BUILD) -j $(JOBS) --target stress -- --no-print-directory -s
	@OMP_WAIT_POLICY=passive $(BUILD)/tests/stress/stress --seed $(STRESS_SEED) $(if $(STRESS_CASE),--case $(STRESS_CASE),\
	    --seconds $(STRESS_SECONDS) --jobs $(JOBS) $(if $(STRESS_COUNT),--count $(STRESS_COUNT)) $(if $(STRESS_LIMIT),--limit $(STRESS_LIMIT)) \
	    $(if $(STRESS_MARKDOWN),--markdown $(STRESS_MARKDOWN)))
	@$(if $(STRESS_CASE),true,$(MAKE) --no-print-directory combined)

# Sets, terms and penalties together: tests/combined. COMBINED_COUNT: so many problems.
COMBINED_COUNT ?= 1000
combined: setup $(BUILD)/tests/Makefile
	@cmake --build $(BUILD) -j $(JOBS) --target combined -- --no-print-directory -s
	@OMP_WAIT_POLICY=passive $(BUILD)/tests/combined/combined --seed $(STRESS_SEED) --count $(COMBINED_COUNT)

# The tests that use threads, under clang's thread sanitizer.
tsan:
	@scripts/setup clang
	@cmake --preset tsan >/dev/null
	@cmake --build build/tsan -j $(JOBS) --target thread_tests -- --no-print-directory -s
	@ctest --test-dir build/tsan -L threads --output-on-failure --progress -j $(JOBS)

# Without root the program is installed without what is missing: mpirun, figures. It is configured once more, since what is
# installed here may not have been there the first time.
install: $(BUILD)/Makefile
	@scripts/setup install || { scripts/setup program && echo "setup: going on without these"; }
	@cmake $(BUILD) >/dev/null
	@$(MAKE) --no-print-directory program
	@cmake --install $(BUILD) --prefix "$(PREFIX)"

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

check-format: setup
	@git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror

clean:
	@rm -rf build
