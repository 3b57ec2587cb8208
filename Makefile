# make run     a living list on this terminal            make check   lint, build and every test
# make build   everything, optimised                     make install the service (PREFIX, DESTDIR)
# make cluster a list in PostgreSQL on three listds, in two network namespaces (as root)
# make bench | bench-json | curves | soak | check-boot | check-python | deb | lint | pictures | plugins | uninstall | clean
#
# Variables: DIR, DURATION (run); PREFIX, DESTDIR (install); JOBS (how many compilers at once).

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: build run check lint test test-debug test-broker test-plugins test-optimised test-service plugins check-boot \
    check-python pictures cluster bench bench-json curves soak install uninstall deb clean bootstrap-%

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
DESTDIR ?=
DIR ?=
DURATION ?=
export PREFIX DESTDIR JOBS

SWIFT := scripts/swift
# A crashed test must not wait for a backtrace that nobody reads, nor a hanging one stop the whole check.
export SWIFT_BACKTRACE ?= enable=no
# Tests run one at a time: they share one event loop and two cores, and a busy machine must not make one run out of time.
TEST := scripts/run-tests $(SWIFT) test --disable-xctest --no-parallel -j $(JOBS)
PLUGINS := --package-path Plugins --scratch-path .build/shipped-plugins
OPTIMISED := -c release -Xswiftc -enable-testing --scratch-path .build/testing-release
FORMATTED := $(wildcard Package.swift Sources Tests Plugins Benchmarks Examples)

build: bootstrap-build
	$(SWIFT) build -c release -j $(JOBS)
	scripts/build-plugins

run: bootstrap-run build
	scripts/run "$(DIR)" $(DURATION)

check: bootstrap-check lint test check-python

# The optimiser keeps one core busy for minutes, and a module waits for it: the debug build runs on the other core meanwhile.
test:
	scripts/side-by-side "$(MAKE) test-debug" "$(MAKE) test-optimised"
	$(MAKE) test-service

test-debug: test-plugins
	$(SWIFT) build --build-tests -j $(JOBS)
	$(TEST) --skip-build
	$(MAKE) test-broker

# Some of the integration tests on dbus-broker; `make soak` runs all of them there.
ON_BROKER := Mirror|Lifecycle|Descriptor|Stranger|RestrictedAdapter|Polkit|Introspection|Credit|Limits|ListctlReconnect
ON_BROKER := $(ON_BROKER)|Following[A-Za-z]*|ActionBus|NearEndBus|ChangeSelectionBus|VisibleRangeBus|Rename
test-broker:
	if [ "$$(id -u)" = 0 ] || [ -S /run/systemd/journal/socket ]; then \
	    LISTD_TEST_BUS=broker $(TEST) --skip-build --filter 'IntegrationTests\.($(ON_BROKER))Tests/'; \
	else \
	    echo "SKIPPED: the tests on dbus-broker, which needs root or a journal"; \
	fi

# The plugins of a debug build are those that the tests below load.
test-plugins:
	CONFIGURATION=debug scripts/build-plugins
	$(TEST) $(PLUGINS)

# Besides the engine's tests, that the programs compile as `make run` builds them: whole modules see other imports than files.
test-optimised:
	LISTD_TARGETS=engine $(TEST) $(OPTIMISED)
	$(SWIFT) build -c release --scratch-path .build/optimised -j $(JOBS) --product listd
	$(SWIFT) build -c release --scratch-path .build/optimised -j $(JOBS) --product listctl

test-service:
	scripts/run-scripts Tests/service

lint:
	$(SWIFT) format lint --strict --parallel --recursive $(FORMATTED)
	scripts/check-boundaries
	scripts/check-structure
	scripts/check-rules
	scripts/check-references
	scripts/check-how-to
	scripts/check-commits
	scripts/add-license --check
	for script in .ci/run $$(grep -rlE '^#!/bin/bash' scripts Tests); do bash -n "$$script"; done

plugins:
	scripts/build-plugins

# The pictures of the documents, from a real run of the build in BUILT.
pictures: bootstrap-check $(if $(BUILT),,build)
	scripts/make-pictures

# The Python package, with the listd of the debug build or the one in LISTD.
check-python: bootstrap-python
	scripts/check-python

# The package in a booted systemd: of a release build, or of the build in BUILT (as BUILT=.build/debug after a check).
check-boot: bootstrap-boot bootstrap-deb $(if $(BUILT),,build)
	scripts/build-deb
	scripts/run-scripts Tests/boot

# The rows about the bus measure the optimised listd of this checkout.
bench bench-json: bootstrap-run
	$(SWIFT) build -c release -j $(JOBS) --product listd >&2
	$(SWIFT) run -c release -j $(JOBS) --package-path Benchmarks --scratch-path .build/benchmarks \
	    Benchmarks $(if $(filter bench-json,$@),--json)

# Two PostgreSQL servers and three viewers of one list, on this terminal.
cluster: bootstrap-cluster build
	scripts/cluster

# How times and memory grow: docs/curves/*.svg, and the figures as tables for docs/limits.md. Takes about a quarter of an hour, and 5 GiB.
curves: bootstrap-run
	$(SWIFT) build -c release -j $(JOBS) --product listd >&2
	$(SWIFT) run -c release -j $(JOBS) --package-path Benchmarks --scratch-path .build/benchmarks \
	    Benchmarks --curves $(CURDIR)/docs/curves

# Too slow for `check`: the tests tagged `soak`, and the scripts under Tests/Soak.
soak: bootstrap-check bootstrap-python plugins build
	LISTD_SOAK=1 LISTD_TEST_TIME=7200 $(TEST)
	scripts/run-scripts Tests/Soak
	LISTD_SOAK=1 LISTD=$(CURDIR)/.build/release/listd scripts/check-python

install: bootstrap-install
	scripts/install

uninstall:
	scripts/install --remove

deb: bootstrap-deb build
	scripts/build-deb

clean:
	rm -rf .build build Plugins/*/.build Benchmarks/.build Sources/*/.build

bootstrap-%:
	@scripts/bootstrap $*
