# flow: what a developer types. `make help` lists it.

PREFIX ?= /usr/local
SWIFT ?= swift
# C libraries the package links, as pkg-config-name:debian-package.
LIBRARIES := yaml-0.1:libyaml-dev
RELEASE := -c release --static-swift-stdlib
STRICT := -Xswiftc -warnings-as-errors
SWIFT_SOURCES := Package.swift Sources Tests bench

.PHONY: help setup build test test-thread test-address bench format lint install clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install the C libraries that are missing
	@bash .ci/setup $(LIBRARIES)

build: setup ## release build with the standard library linked in
	$(SWIFT) build $(RELEASE)

test: setup ## build and run every test, warnings being errors
	$(SWIFT) test $(STRICT)

test-thread: setup ## the tests under the thread sanitizer
	FLOW_TEST_DIVISOR=20 $(SWIFT) test $(STRICT) --sanitize=thread --scratch-path .build/thread

test-address: setup ## the tests under the address sanitizer
	FLOW_TEST_DIVISOR=5 ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test $(STRICT) --sanitize=address --scratch-path .build/address

bench: setup ## measure; bench/README.md says what and how
	$(SWIFT) run --package-path bench -c release --static-swift-stdlib ReactiveBench

format: ## rewrite the sources as .swift-format says
	$(SWIFT) format format --in-place --recursive --parallel $(SWIFT_SOURCES)

lint: ## complain where the sources differ from .swift-format
	$(SWIFT) format lint --strict --recursive --parallel $(SWIFT_SOURCES)

install: build ## install under PREFIX (default /usr/local)
	@echo "nothing to install yet: the flow command comes with the expression language" >&2; exit 1

clean: ## remove what was built
	rm -rf .build bench/.build
