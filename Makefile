# A thin face on CMake: each target sets up what is missing, builds, runs.
PRESET ?= release
BUILD := build/$(PRESET)
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local

.PHONY: all setup build test demo bench install sanitize format check-format clean

all: build

setup:
	@scripts/setup

# A change of CMakeLists.txt is seen by the build itself, one of the presets here.
$(BUILD)/Makefile: CMakePresets.json | setup
	@cmake --preset $(PRESET) >/dev/null
	@touch $@

build: setup $(BUILD)/Makefile
	@cmake --build $(BUILD) -j $(JOBS) -- --no-print-directory -s

test: build
	@ctest --test-dir $(BUILD) --output-on-failure --progress -j $(JOBS)

demo: build
	@examples/demo $(BUILD)/gpis

# QUICK=1: a tenth of the rows. RESULTS=bench: results into the folder that is committed. BENCH: more for bench/solve.py.
bench: build
	@scripts/setup bench
	@$(BUILD)/bench/passes $(if $(QUICK),3 10)
	@$(BUILD)/bench/stream $(if $(QUICK),3 10,9 1) $(BUILD)
	@sh bench/sweeps $(BUILD)/gpis $(if $(QUICK),100000,1000000)
	@/usr/bin/python3 -B bench/solve.py $(BUILD) $(if $(QUICK),--part 10) $(if $(RESULTS),--out $(RESULTS)) $(BENCH)
	@/usr/bin/python3 -B bench/busy.py $(BUILD) $(if $(QUICK),--part 10 --rounds 3)
	@/usr/bin/python3 -B bench/scale.py $(BUILD) $(if $(QUICK),--part 10 --rounds 2)

sanitize:
	@$(MAKE) --no-print-directory test PRESET=sanitize

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

check-format: setup
	@git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror

clean:
	@rm -rf build
