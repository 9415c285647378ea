# SPDX-License-Identifier: Apache-2.0
#
# A thin front for CMake. Each target installs the Debian packages it misses
# (as root or through sudo), builds and does its job:
#
#   make              release build; the tool is build/heddle
#   make demo         a lost update in eight lines of C: found and explained
#   make test         every test
#   make bench        every benchmark (bench-quick: a few minutes of it;
#                     TABLES='reach subjects': these alone)
#   make install      into PREFIX (/usr/local), below DESTDIR if that is set
#   make deb          build/heddle_<version>_amd64.deb
#   make fuzz         the readers, for ten minutes
#   make format tidy clean

BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
CMAKE_FLAGS ?=
CTEST_FLAGS ?=
packages = cmake/install-packages.sh
sources = find src include tests examples bench subjects -path bench/cache \
	-prune -o -name '*.[ch]' -print

build: packages-build
	@$(MAKE) --no-print-directory compile

# After packages: cmake and ninja may not have been there before.
compile:
	@test -f $(BUILD)/build.ninja || \
		cmake -S . -B $(BUILD) -G Ninja $(CMAKE_FLAGS)
	@cmake --build $(BUILD) -j $(JOBS) $(TARGETS:%=--target %)

packages-%:
	@$(packages) build $*

# Configured anew: an earlier build may not have had cmocka.
test: packages-test
	@cmake -S . -B $(BUILD) -G Ninja $(CMAKE_FLAGS) > /dev/null
	@$(MAKE) --no-print-directory compile
	ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure \
		--no-tests=error $(CTEST_FLAGS)

# No tests: somebody waits to see it.
demo: packages-build
	@$(MAKE) --no-print-directory compile TARGETS='heddle guest'
	BUILD=$(abspath $(BUILD)) examples/demo.sh

bench bench-quick: packages-bench
	@$(MAKE) --no-print-directory compile
	BUILD=$(abspath $(BUILD)) bench/bench.sh $(if $(findstring quick,$@),--quick) \
		$(TABLES)

install: build
	cmake --install $(BUILD) --prefix $(PREFIX)

deb: packages-deb
	@$(MAKE) --no-print-directory compile
	cd $(BUILD) && cpack -G DEB
	@rm -rf $(BUILD)/_CPack_Packages

format: packages-test
	@$(sources) | xargs clang-format-14 -i

tidy: packages-test
	@$(MAKE) --no-print-directory compile
	BUILD=$(abspath $(BUILD)) SOURCE=$(CURDIR) bash tests/structure/tidy.sh

fuzz: packages-test
	BUILD=$(abspath $(BUILD)) bash tests/fuzz/run.sh 600

clean:
	rm -rf $(BUILD)

.PHONY: build compile test demo bench bench-quick install deb fuzz format tidy \
	clean
