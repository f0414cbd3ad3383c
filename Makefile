# Targets for developers; `make help` lists them.

PREFIX ?= /usr/local
SWIFT ?= swift
# The C libraries that the package links, as pkg-config-name:debian-package, and those that it only loads, as
# name.so:debian-packages, of which distributions have one.
LIBRARIES := 'libgumbo.so:libgumbo1|libgumbo3|libgumbo2' libcurl:libcurl4-openssl-dev libmicrohttpd:libmicrohttpd-dev oniguruma:libonig-dev sqlite3:libsqlite3-dev yaml-0.1:libyaml-dev libxml-2.0:libxml2-dev zlib:zlib1g-dev
# What tests run beside flow, as bin/program:debian-package, and load.
TEST_TOOLS := bin/curl:curl bin/git:git bin/openssl:openssl bin/ps:procps bin/python3:python3 bin/script:bsdutils libpq.so:libpq5
# Worth seven megabytes: functions that nothing calls are left out one by one, also public ones, equal ones are
# kept once, nothing is exported, relocations are packed (lld can, glibc 2.36 reads them), no stack is unwound, and the
# regular expressions of the standard library are out of reach (Sources/System/Texts/TextSearch.swift).
SMALL := -Xswiftc -Xfrontend -Xswiftc -function-sections -Xswiftc -use-ld=lld -Xlinker --icf=safe \
  -Xlinker --no-export-dynamic -Xlinker -O2 -Xlinker -z -Xlinker pack-relative-relocs \
  -Xlinker --no-eh-frame-hdr -Xlinker --build-id=none -Xlinker -T -Xlinker $(CURDIR)/packaging/discard.ld \
  -Xswiftc -Xfrontend -Xswiftc -internalize-at-link \
  -Xswiftc -Xfrontend -Xswiftc -disable-implicit-string-processing-module-import
RELEASE := -c release --static-swift-stdlib $(SMALL)
# The folder of the release build. SwiftPM locks it, so CI uses another one to build beside the tests.
RELEASE_PATH ?= .build
FLOW := $(RELEASE_PATH)/release/flow
STRICT := -Xswiftc -warnings-as-errors
# Of debug builds. Without an index of the sources they take a sixth less: see Tests/XCTMain.swift.
DEBUG := $(STRICT) --disable-index-store
DEBUG_FLOW := .build/debug/flow
FOR ?= 45s
# A virtual environment for Python packages.
PAGE_TOOLS ?= .build/page-tools
SITE_TOOLS ?= .build/site-tools
PAGE ?= 127.0.0.1:8787
PAGES := $(patsubst %,pipelines/%.yaml,upcoming-launches new-launches spacex-launches spacex-rockets apod-album)
SECONDS ?= 60
SEEDS ?= 1000
ROUNDS ?= 7
KILLS ?= 500
MINUTES ?= 30
RECORDS ?= 250000
DAYS ?= 30
SLOWEST ?= 30
HOOK ?= lint
# Read only where it is needed: the folder in which the Debian package is made has no sources.
VERSION = $(shell sed -n 's/.*static let version = "\(.*\)".*/\1/p' Sources/flow/Commands/Help/VersionCommand.swift)
# Where systemd units and the completions of zsh are, which distributions see differently.
UNITS ?= $(PREFIX)/lib/systemd/system
ZSH ?= $(PREFIX)/share/zsh/site-functions
# Empty to keep symbols.
STRIP ?= -s
DIST = flow-$(VERSION)-linux-$(shell uname -m)
# The runtime's own backtrace hangs in the fuzzer.
FUZZ := SWIFT_BACKTRACE=enable=no Tests/Fuzz/.build/release
FUZZ_OPTIONS := -max_total_time=$(SECONDS) -rss_limit_mb=2048 -timeout=20 -artifact_prefix=Tests/Fuzz/.build
# What make run prints at the end: how many changes, of which kinds.
SUMMARY = [inputs] | (map(.at[:10]) | unique | length) as $$days \
  | def number(condition): map(select(condition)) | length; def moved($$path): .type == "changed" and any(.diff[]; .path == $$path); \
  "\(length) changes on \($$days) simulated days: \(number(.type == "added")) launches announced, \(number(moved("/net"))) rescheduled, \(number(moved("/status"))) with a new status, \(number(.type == "removed")) gone."
SWIFT_SOURCES := Package.swift Sources Tests Examples bench

.PHONY: help setup setup-tests setup-cluster setup-postgres setup-mqtt setup-redis build run page install install-files uninstall dist deb rpm release check-install clean check \
	test-one build-tests test examples docs setup-page test-page site test-site shots gallery times lint lint-workflows format install-hook \
	test-long sanitize test-thread test-address months simulate crash cluster attack soak fuzz differential build-bench bench

help: ## list the targets
	@awk -F ':.*## ' '/^## / { printf "\n%s\n", substr($$0, 4) } \
	  /^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

## Use it

setup: ## install missing C libraries
	@bash .ci/setup $(LIBRARIES)

setup-tests: ## the same, and what the ordinary tests need beside them
	@bash .ci/setup $(LIBRARIES) $(TEST_TOOLS)

setup-cluster: ## install libnats and nats-server, which tests with real NATS servers need
	@bash .ci/setup-cluster

setup-postgres: ## install PostgreSQL, of which tests start servers of their own
	@bash .ci/setup-postgres

setup-mqtt: ## install Mosquitto, of which tests start servers of their own
	@bash .ci/setup-mqtt

setup-redis: ## install Redis, of which tests start servers of their own
	@bash .ci/setup-redis

build: setup ## release build, with a static standard library
	$(SWIFT) build $(RELEASE) --scratch-path $(RELEASE_PATH) --product flow

# With the debug build, which is there three times as soon, simulates as fast, and is the one that the tests go on with.
run: setup ## run new-launches under the simulated sky, without a network; FOR=45s
	@echo "Building flow without optimisation; the first time that takes two minutes on two cores."
	$(SWIFT) build --product flow $(DEBUG)
	$(DEBUG_FLOW) run pipelines/new-launches.yaml --sky --speed 21600 --page=127.0.0.1:0 --for $(FOR)
	@echo
	@$(DEBUG_FLOW) eval -rn '$(SUMMARY)' out/sky/new-launches.jsonl
	@echo
	@echo "They are in out/sky/new-launches.jsonl. Next, try:"
	@echo "  $(DEBUG_FLOW) tail -n 5 out/sky/new-launches.jsonl                # the last changes again"
	@echo "  $(DEBUG_FLOW) run --sky --once pipelines/upcoming-launches.yaml    # a table of what comes next"
	@echo "  $(DEBUG_FLOW) run pipelines/new-launches.yaml                     # the real launches, every six hours"
	@echo "  $(DEBUG_FLOW) new launches -o launches.yaml                       # a pipeline of your own"
	@echo "  make install                                                # the fast one: six minutes, as flow in /usr/local"

page: build ## the shipped pipelines with pages, under the simulated sky: a live page at PAGE=127.0.0.1:8787
	$(FLOW) run --sky --speed 600 --page=$(PAGE) --page-pictures $(PAGES)

install: build install-files ## install under PREFIX (default /usr/local)

install-files: ## the same, of a binary that is built
	@PREFIX="$(PREFIX)" UNITS="$(UNITS)" ZSH="$(ZSH)" STRIP="$(STRIP)" sh packaging/install "$(FLOW)" "$(DESTDIR)"

uninstall: ## remove what make install has installed
	rm -f $(addprefix $(DESTDIR),$(PREFIX)/bin/flow $(addprefix $(PREFIX)/share/man/,man1/flow.1 man5/flow-pipeline.5 \
	  man7/flow-nodes.7) $(PREFIX)/share/bash-completion/completions/flow $(ZSH)/_flow \
	  $(PREFIX)/share/fish/vendor_completions.d/flow.fish $(UNITS)/flow@.service)
	rm -rf $(DESTDIR)$(PREFIX)/share/flow $(DESTDIR)$(PREFIX)/share/doc/flow

dist: build ## a tarball of what make install installs, and its checksum, in .build/dist
	rm -rf .build/dist
	BINDIR=/usr/local/bin MORE="LICENSE CHANGELOG.md" $(MAKE) install-files DESTDIR=$(CURDIR)/.build/dist/$(DIST) PREFIX= \
	  UNITS=/lib/systemd/system
	cd .build/dist && tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$$(git log -1 --format=%ct)" \
	  -cf - $(DIST) | gzip -9n >$(DIST).tar.gz && rm -r $(DIST) && sha256sum $(DIST).tar.gz >SHA256SUMS && cat SHA256SUMS

deb: build ## a Debian package, in .build/deb (needs debhelper; checked by lintian where it is installed)
	@bash packaging/deb "$(abspath $(FLOW))"

rpm: build ## an RPM package, in .build/rpm (needs rpmbuild)
	@bash packaging/rpm "$(abspath $(FLOW))"

release: ## the files of a release in .build/dist: tarball, packages, container image, bill of materials, checksums; VERSION=0.3.0
	@bash packaging/release "$(if $(filter command,$(firstword $(origin VERSION))),$(VERSION))"
	$(MAKE) build
	@bash packaging/release "$(VERSION)" "$(abspath $(FLOW))"

check-install: ## install below .build/install, and check each part with the programs that read it
	@bash packaging/check "$(abspath $(FLOW))"

clean: ## remove build products
	rm -rf .build Tests/Fuzz/.build

## While you work

check: setup-tests ## lint, the tests of modules that differ from main, the contract tests of nodes, the Tidy tests
	@SWIFT="$(SWIFT)" bash .ci/check

test-one: setup-tests ## build and run only some test targets: SUITE=StoreTests,JSONTests [FILTER=KilledTests]
	@SWIFT="$(SWIFT)" bash .ci/test-one "$(SUITE)" "$(FILTER)"

build-tests: setup-tests ## build all tests, and run none
	$(SWIFT) build --build-tests $(DEBUG)

test: build-tests ## build and run all ordinary tests; LONG=brief for the long runs in brief, too
	@SWIFT="$(SWIFT)" LONG="$(LONG)" bash .ci/test

examples: ## build and test the programs in Examples, which use Reactive from outside
	$(SWIFT) test --package-path Examples $(STRICT) --scratch-path .build/examples

# With a folder of its own: what is compiled is the same, but only then are the symbols written.
docs: ## build the documentation of Reactive and ReactiveTesting, without a warning, in .build/docs/site
	mkdir -p .build/docs/symbols .build/docs/site
	$(SWIFT) build --target ReactiveTesting --scratch-path .build/docs $(addprefix -Xswiftc ,-emit-symbol-graph \
	  -emit-symbol-graph-dir $(CURDIR)/.build/docs/symbols -symbol-graph-minimum-access-level public \
	  -emit-extension-block-symbols)
	set -e; for module in Reactive ReactiveTesting; do \
	  mkdir -p .build/docs/symbols/$$module; cp .build/docs/symbols/$$module[.@]* .build/docs/symbols/$$module; \
	  docc convert Sources/$$module/$$module.docc --fallback-display-name $$module --fallback-bundle-identifier flow.$$module \
	    --additional-symbol-graph-dir .build/docs/symbols/$$module --output-path .build/docs/site/$$module --warnings-as-errors; \
	done

setup-page: ## what test-page needs: Chromium from Debian, playwright and axe-core from PyPI
	@bash .ci/setup-page $(PAGE_TOOLS)

test-page: setup setup-page ## drive Chromium through the pages; SHOTS=FOLDER keeps screenshots
	$(SWIFT) build --product flow $(DEBUG)
	$(PAGE_TOOLS)/bin/python Tests/Browser/page.py .build/debug/flow $(if $(SHOTS),--shots $(SHOTS))
	$(PAGE_TOOLS)/bin/python Tests/Browser/pick.py .build/debug/flow $(if $(SHOTS),--shots $(SHOTS))

site: setup ## the documentation site in .build/site; ITS=FLOW takes another binary than the debug build, ADDRESS is where it will be
	@bash .ci/setup-site $(SITE_TOOLS)
	$(if $(ITS),,$(SWIFT) build --product flow $(DEBUG))
	NO_MKDOCS_2_WARNING=1 $(SITE_TOOLS)/bin/python packaging/docs-site/build $(or $(ITS),$(DEBUG_FLOW)) .build/site $(ADDRESS)

test-site: site setup-page ## read the documentation site in Chromium; SHOTS=FOLDER keeps screenshots
	$(PAGE_TOOLS)/bin/python Tests/Browser/site.py .build/site $(if $(SHOTS),--shots $(SHOTS))

shots: build setup-page ## draw the screenshots of the README
	$(PAGE_TOOLS)/bin/python Tests/Browser/shots.py $(FLOW) docs

gallery: setup ## record the week of the gallery, and write its page and pictures (needs chromium)
	$(SWIFT) build --product flow $(DEBUG)
	python3 docs/gallery/record.py $(DEBUG_FLOW)
	python3 docs/gallery/draw.py $(DEBUG_FLOW)

times: setup-tests ## run tests serially and list the slowest; SLOWEST=30 [FILTER=StoreTests]
	$(SWIFT) build --build-tests $(DEBUG)
	$(SWIFT) test --skip-build $(DEBUG) --disable-xctest --enable-swift-testing --no-parallel $(if $(FILTER),--filter $(FILTER)) --xunit-output .build/times.xml >.build/times.log \
	  || { tail -n 40 .build/times.log; false; }
	@sed -nE 's/.*<testcase classname="([^"]*)" name="([^"]*)" time="([0-9.e-]+)".*/\3 \1.\2/p' .build/times-swift-testing.xml \
	  | sort -rg | head -n $(SLOWEST) | awk '{ $$1 = sprintf("%7.2f s ", $$1); print }'

lint: ## check the sources against .swift-format
	$(SWIFT) format lint --strict --recursive --parallel $(SWIFT_SOURCES)

lint-workflows: ## check .github/workflows against their schema, and by actionlint where it can be installed
	@bash .ci/lint-workflows .build/workflow-tools

format: ## format the sources in place
	$(SWIFT) format format --in-place --recursive --parallel $(SWIFT_SOURCES)

install-hook: ## run make lint before each commit; HOOK=check for make check
	@hook="$$(git rev-parse --git-path hooks)/pre-commit" && mkdir -p "$$(dirname "$$hook")" \
	  && printf '#!/bin/sh\nexec make %s\n' '$(HOOK)' >"$$hook" && chmod +x "$$hook" && echo "$$hook: make $(HOOK)"

## Long runs

test-long: ## all long runs: tests at ten times the scale, months, simulate, crash, fuzz, bench
	FLOW_TEST_SCALE=10 FLOW_MONTH_DAYS=$(DAYS) $(MAKE) test LONG=brief
	$(MAKE) simulate crash fuzz bench

months: setup-tests ## the shipped pipelines for DAYS=30 simulated days
	FLOW_MONTH_DAYS=$(DAYS) $(SWIFT) test $(DEBUG) --disable-xctest --enable-swift-testing --filter MonthTests

simulate: setup-tests ## pipelines on a simulated disk with crashes, in virtual time; SEEDS=1000, beginning at FLOW_FIRST
	SWIFT_DETERMINISTIC_HASHING=1 FLOW_SEEDS=$(SEEDS) $(SWIFT) test $(DEBUG) --disable-xctest --enable-swift-testing --filter 'SimulationTests.SimulationTests|OutageSimulationTests|ClusterSimulationTests'

crash: setup-tests ## kill pipelines KILLS times (500), also at named points, and check for lost output; FLOW_SEED=1
	FLOW_CRASH_POINTS=1 FLOW_CRASH_KILLS=$(KILLS) $(SWIFT) test $(DEBUG) --disable-xctest --enable-swift-testing --scratch-path .build/crash --filter CrashTests

attack: setup-tests ## signals of every kind, at random and named points, on every topology, for MINUTES=30; FLOW_SEED=1
	FLOW_CRASH_POINTS=1 FLOW_ATTACK_MINUTES=$(MINUTES) $(SWIFT) test $(DEBUG) --disable-xctest --enable-swift-testing --scratch-path .build/crash --filter CrashTests

cluster: setup setup-cluster ## workers over three NATS servers, killed and frozen for SECONDS
	FLOW_CLUSTER_SECONDS=$(SECONDS) $(SWIFT) test $(DEBUG) --disable-xctest --enable-swift-testing --filter 'ClusterRunTests|ClusterFileTests|ClusterChaosTests'

soak: setup-tests ## one pipeline for MINUTES=30: reloads, taps and kills; nothing is lost, memory and descriptors stay
	FLOW_SOAK_MINUTES=$(MINUTES) $(SWIFT) test $(DEBUG) --disable-xctest --enable-swift-testing --filter SoakTests

fuzz: setup ## fuzz the readers and the language, for SECONDS each (60)
	mkdir -p Tests/Fuzz/.build/corpus
	$(SWIFT) build --package-path Tests/Fuzz -c release --sanitize=fuzzer -Xswiftc -enable-testing
	$(FUZZ)/FuzzReading $(FUZZ_OPTIONS)/reading -max_len=2048 Tests/Fuzz/.build/corpus
	$(FUZZ)/FuzzDecoders $(FUZZ_OPTIONS)/decoders -max_len=2048
	$(FUZZ)/FuzzFormats $(FUZZ_OPTIONS)/formats -max_len=256
	$(FUZZ)/FuzzPrograms $(FUZZ_OPTIONS)/programs -max_len=256 -dict=Tests/Fuzz/programs.dict

differential: build ## compare with libjq 1.8 (pip install jq): random programs over random inputs; COUNT=2000
	python3 Tests/Differential/programs.py --count $(or $(COUNT),2000)

# Serially: tests that wait for a core in use by a slow neighbour would exceed their time limits.
sanitize: test-thread test-address ## the tests under both sanitizers

test-thread: setup-tests ## the tests under the thread sanitizer
	FLOW_TEST_SCALE=0.05 $(SWIFT) test $(DEBUG) --disable-xctest --enable-swift-testing --no-parallel --sanitize=thread --scratch-path .build/thread

# A frame of it is several times as large: 15 000 observers that free one another need more than 8 MB of stack.
test-address: setup-tests ## the tests under the address sanitizer
	ulimit -s 65536; FLOW_TEST_SCALE=0.2 ASAN_OPTIONS=detect_leaks=0:suppressions=$(CURDIR)/Tests/address.supp $(SWIFT) test $(DEBUG) --disable-xctest --enable-swift-testing --no-parallel --sanitize=address --scratch-path .build/address

# In the folder of the release build, whose modules it uses, so that they are compiled once. SwiftPM keeps its plan there
# too, and would take that of one package for the other's.
build-bench: setup ## build what measures Reactive and Store, and run nothing
	rm -f $(RELEASE_PATH)/release/description.json
	$(SWIFT) build --package-path bench $(RELEASE) --scratch-path $(RELEASE_PATH)
	rm -f $(RELEASE_PATH)/release/description.json

bench: build build-bench ## run the benchmarks, see bench/README.md; ROUNDS=7 RECORDS=250000
	$(RELEASE_PATH)/release/ReactiveBench $(ROUNDS)
	python3 bench/jobs/run.py --records $(RECORDS) --rounds $(ROUNDS) $(FLOW)
	python3 bench/jobs/pipelines.py --records $(RECORDS) --rounds $(ROUNDS) $(FLOW)
	python3 bench/jobs/nodes.py --records $$(( $(RECORDS) * 2 / 5 )) --rounds $(ROUNDS) $(FLOW)
	python3 bench/jobs/state.py --records $(RECORDS) --rounds $(ROUNDS) $(FLOW) $(RELEASE_PATH)/release/StoreBench
	python3 bench/jobs/nats.py --records $(RECORDS) --rounds $(ROUNDS) $(FLOW)
	python3 bench/jobs/sql.py --records $(RECORDS) --rounds $(ROUNDS) $(FLOW)
	python3 bench/jobs/cluster.py --records $(RECORDS) --rounds $(ROUNDS) $(FLOW)
	python3 bench/jobs/many.py $(if $(filter 1,$(ROUNDS)),--quick) $(FLOW)
	python3 bench/jobs/page.py --records $(RECORDS) --rounds $(ROUNDS) $(FLOW)
