# flow: what a developer types. `make help` lists it.

PREFIX ?= /usr/local
SWIFT ?= swift
# C libraries the package links, as pkg-config-name:debian-package.
LIBRARIES := libcurl:libcurl4-openssl-dev libmicrohttpd:libmicrohttpd-dev oniguruma:libonig-dev sqlite3:libsqlite3-dev yaml-0.1:libyaml-dev zlib:zlib1g-dev
RELEASE := -c release --static-swift-stdlib
STRICT := -Xswiftc -warnings-as-errors
SECONDS ?= 60
SEEDS ?= 1000
ROUNDS ?= 7
KILLS ?= 500
RECORDS ?= 250000
# The runtime's own backtrace hangs inside the fuzzer.
FUZZ := SWIFT_BACKTRACE=enable=no Tests/Fuzz/.build/release
FUZZ_OPTIONS := -max_total_time=$(SECONDS) -rss_limit_mb=2048 -timeout=20 -artifact_prefix=Tests/Fuzz/.build
SWIFT_SOURCES := Package.swift Sources Tests bench

.PHONY: help setup build run test test-thread test-address crash simulate bench fuzz differential format lint install clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install the C libraries that are missing
	@bash .ci/setup $(LIBRARIES)

build: setup ## release build with the standard library linked in
	$(SWIFT) build $(RELEASE)

run: build ## watch new-launches under the simulated sky for three quarters of a minute; no network for it
	@rm -f out/new-launches.jsonl
	.build/release/flow run pipelines/new-launches.yaml --sky --speed 21600 --for 45s
	@echo
	@echo "What was told is in out/new-launches.jsonl:"
	.build/release/flow tail -n 5 out/new-launches.jsonl

test: setup ## build and run every test, warnings being errors
	$(SWIFT) test $(STRICT)

test-thread: setup ## the tests under the thread sanitizer
	FLOW_TEST_SCALE=0.05 $(SWIFT) test $(STRICT) --sanitize=thread --scratch-path .build/thread

test-address: setup ## the tests under the address sanitizer
	FLOW_TEST_SCALE=0.2 ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test $(STRICT) --sanitize=address --scratch-path .build/address

crash: setup ## kill pipelines KILLS times (default 500), at named points too, and look for what is lost; FLOW_SEED=1
	FLOW_CRASH_POINTS=1 FLOW_CRASH_KILLS=$(KILLS) $(SWIFT) test $(STRICT) --scratch-path .build/crash --filter CrashTests

simulate: setup ## whole pipelines on a disk that crashes, in virtual time; SEEDS=1000, from FLOW_FIRST on
	SWIFT_DETERMINISTIC_HASHING=1 FLOW_SEEDS=$(SEEDS) $(SWIFT) test $(STRICT) --filter SimulationTests.SimulationTests

differential: build ## compare with libjq 1.8 (pip install jq): random programs over random inputs; COUNT=2000
	python3 Tests/Differential/programs.py --count $(or $(COUNT),2000)

bench: build ## measure; bench/README.md says what and how; ROUNDS=7 RECORDS=250000
	$(SWIFT) build --package-path bench $(RELEASE)
	bench/.build/release/ReactiveBench $(ROUNDS)
	python3 bench/jobs/run.py --records $(RECORDS) --rounds $(ROUNDS) .build/release/flow
	python3 bench/jobs/pipelines.py --records $(RECORDS) --rounds $(ROUNDS) .build/release/flow
	python3 bench/jobs/state.py --records $(RECORDS) --rounds $(ROUNDS) .build/release/flow bench/.build/release/StoreBench

fuzz: setup ## fuzz the readers, then the language, for SECONDS each (default 60)
	mkdir -p Tests/Fuzz/.build/corpus
	$(SWIFT) build --package-path Tests/Fuzz -c release --sanitize=fuzzer --product FuzzReading
	$(FUZZ)/FuzzReading $(FUZZ_OPTIONS)/reading -max_len=2048 Tests/Fuzz/.build/corpus
	$(SWIFT) build --package-path Tests/Fuzz -c release --sanitize=fuzzer --product FuzzPrograms
	$(FUZZ)/FuzzPrograms $(FUZZ_OPTIONS)/programs -max_len=256 -dict=Tests/Fuzz/programs.dict

format: ## rewrite the sources as .swift-format says
	$(SWIFT) format format --in-place --recursive --parallel $(SWIFT_SOURCES)

lint: ## complain where the sources differ from .swift-format
	$(SWIFT) format lint --strict --recursive --parallel $(SWIFT_SOURCES)

install: build ## install under PREFIX (default /usr/local)
	install -D -m 755 .build/release/flow $(DESTDIR)$(PREFIX)/bin/flow

clean: ## remove what was built
	rm -rf .build bench/.build Tests/Fuzz/.build
