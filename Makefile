# SPDX-License-Identifier: Apache-2.0
# Targets for users. Meson and ninja do the build; each build variant has its own directory.
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
# Debian releases: make check-debian SUITES=trixie
SUITES ?= bookworm trixie
# Words that select tests or benchmark tables: make test T="arena utf8"
T ?=
# Where packages are written: make deb DIST=/tmp/dist
DIST ?= dist
# Words of test files that are left out: make asan WITHOUT=crash/
WITHOUT ?=
# Set: programs that failed run once more, alone (docs/testing.md)
AGAIN ?=

TESTS = scripts/run-tests $(T) $(addprefix --without ,$(WITHOUT)) $(if $(AGAIN),--again)

help: ## show these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build build/haft, the libraries and the tests
	@scripts/deps build
	@scripts/build build -Dprefix=$(PREFIX)

run: ## demo: an agent that writes a report about this source tree
	@scripts/deps build
	@TARGETS="haft libexec/haft/guard" scripts/build build -Dprefix=$(PREFIX)
	@scripts/demo

test: build ## run all tests (T="words" selects)
	@scripts/deps test || echo "Tests that need missing packages are skipped." >&2
	@$(TESTS)

test-llm: build ## test with a real model: llama.cpp and SmolLM2 (T="words" selects)
	@scripts/llm $(T)

check-mcp: build ## the official MCP suite for client and server, and bad servers (needs npm)
	@HAFT_LONG=1 scripts/run-tests --jobs 1 $(addprefix --script tests/mcp/,conformance.py \
		conformance_client.py servers_test.py hostile_test.py idle_test.py)

check-studio: build ## the studio in a browser: every view and act, 100,000 runs
	@scripts/deps studio
	@HAFT_LONG=1 scripts/run-tests --jobs 1 studio/ serve/studio clients/haft

check-sim: build ## 20,000 simulated worlds; in some runs, every allocation fails once
	@HAFT_LONG=1 scripts/run-tests sim/

check-crash: build ## kill -9 at every write, 1,000 random kills, 10,000 waiting runs
	@HAFT_LONG=1 scripts/run-tests --jobs 1 crash/ engine/paused cli/worker cli/migrate sqlite/share \
		serve/mcp_http

check-debian: ## make run and make test on fresh Debian 12 and 13 (needs root and debootstrap)
	@scripts/check-debian $(SUITES)

check-packages: build release ## each package in a clean place, two equal builds (needs root)
	@scripts/deps deb amalgamation systems abi
	@scripts/check-packages $(DIST) $(T)
	@scripts/release --equal $(DIST)

check-all: check-sim check-crash check-debian check-packages
check-all: check-bindings test check-mcp check-studio
check-all: lint clang asan tsan valgrind coverage analyze fuzz test-llm ## all checks

bench: ## compare with other libraries, ripgrep and a plain loop in C
	@scripts/deps build bench
	@scripts/build build-bench -Dbench=true
	@scripts/bench build-bench $(T)

bench-peers: ## compare with other agent runtimes (needs ../shared and npm)
	@scripts/bench-peers

wheel: ## the Python package, build/bindings/haft-*.whl (needs cffi from PyPI)
	@scripts/build-wheel

npm: ## the npm package, build/bindings/haft-*.tgz (needs node-api-headers from npm)
	@scripts/build-npm

check-bindings: build ## build both packages and test them in clean places
	@scripts/build-wheel || [ $$? -eq 3 ]
	@scripts/build-npm || [ $$? -eq 3 ]
	@HAFT_LONG=1 scripts/run-tests --jobs 1 bindings/

install: build ## install under DESTDIR and PREFIX (/usr/local)
	@DESTDIR=$(DESTDIR) meson install -C build --no-rebuild --quiet

amalgamation: ## libhaft-core as one file: dist/haft-core.c and dist/haft.h
	@scripts/deps build
	@TARGETS=src/case_schema_text.c scripts/build build-core -Dtests=false
	@scripts/amalgamate build-core $(DIST)

deb: ## Debian packages of the last commit: haft, libhaft0, libhaft-dev, in dist/
	@scripts/deps build deb
	@scripts/deb $(DIST)

dist: deb ## a tarball of haft with its libraries and loader, in dist/
	@scripts/dist $(DIST)

release: ## all packages of the last commit, with their checksums, in dist/
	@scripts/deps build deb
	@scripts/release $(DIST)

abi: ## compare the ABI of haft.h with the recorded one; fails if programs may break
	@scripts/deps build abi
	@scripts/abi || [ $$? -eq 4 ]

lint: build ## check layout (clang-format) and code (clang-tidy)
	@scripts/deps lint bench
	@scripts/build build-bench -Dbench=true
	@scripts/lint build-bench

fmt: ## format all C files (needs clang-format 14)
	@scripts/deps lint
	@git ls-files -co --exclude-standard '*.c' '*.h' '*.cpp' | xargs clang-format-14 -i

asan: ## tests with the address and undefined-behaviour sanitizers
	@scripts/deps build
	@scripts/build build-asan -Db_sanitize=address,undefined
	@$(TESTS) --build build-asan --no-house

tsan: ## tests with the thread sanitizer
	@scripts/deps build
	@scripts/build build-tsan -Db_sanitize=thread
	@$(TESTS) --build build-tsan --no-house

valgrind: build ## tests under valgrind
	@scripts/deps check
	@$(TESTS) --valgrind

clang: ## build and tests with clang
	@scripts/deps build check
	@CC=clang scripts/build build-clang
	@$(TESTS) --build build-clang --no-house

coverage: ## line coverage of the library; fails below 95 %
	@scripts/deps build check
	@# Some code has threads: non-atomic counters can become negative, which gcovr rejects.
	@scripts/build build-cov -Db_coverage=true -Doptimization=0 -Dc_args=-fprofile-update=atomic
	@scripts/coverage build-cov

analyze: ## build with gcc's static analyzer
	@scripts/deps build
	@scripts/build build-analyze -Danalyzer=true

fuzz: ## fuzz each target for FUZZ_SECONDS
	@scripts/deps build check
	@CC=clang scripts/build build-fuzz -Dfuzzers=true -Db_sanitize=address,undefined
	@scripts/fuzz build-fuzz $(FUZZ_SECONDS)

clean: ## remove every build directory
	@rm -rf build build-asan build-tsan build-clang build-cov build-analyze build-fuzz build-bench \
	  build-release build-llm build-core build-deb dist

.PHONY: help build run wheel npm check-bindings test test-llm check-mcp check-studio check-sim \
        check-crash check-debian check-packages check-all bench bench-peers install amalgamation \
        deb dist release abi lint fmt asan tsan valgrind clang coverage analyze fuzz clean
.DEFAULT_GOAL = help
