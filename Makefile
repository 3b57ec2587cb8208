# make run     a living list on this terminal            make check   lint, debug build, every test
# make gallery lists on a desktop; pictures without one
# make test    tests alone: all, or those of FILTER      make install the service (PREFIX, DESTDIR)
# make build   listd, listctl and the plugins, optimised
# make cluster a list in PostgreSQL on three listds, in two network namespaces (as root)
# make bench | bench-json | curves | soak | deb | lint | pictures | uninstall | clean
# make test-service | check-python | check-glib | check-gtk | check-gallery | check-optimised | check-broker | check-boot   parts of `make check` and of .ci/run
#
# Variables: DIR, DURATION (run); PICTURES (gallery); FILTER (test); PREFIX, DESTDIR (install); JOBS (how many compilers and test programs at once).

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: build run gallery check lint test test-service check-optimised check-broker check-boot check-python check-glib check-gtk check-gallery pictures cluster bench \
    bench-json curves soak install uninstall deb clean bootstrap-%

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
DESTDIR ?=
DIR ?=
DURATION ?=
FILTER ?=
PICTURES ?= build/pictures
export PREFIX DESTDIR JOBS PICTURES

SWIFT := scripts/swift
# A crashed test must not wait for a backtrace that nobody reads.
export SWIFT_BACKTRACE ?= enable=no
OPTIMISED := -c release -Xswiftc -enable-testing --scratch-path .build/testing-release -j $(JOBS)
FORMATTED := $(wildcard Package.swift Sources Tests Plugins Benchmarks Examples)

build: bootstrap-build
	scripts/build release shipped

run: bootstrap-run
	scripts/build debug shown
	scripts/run "$(DIR)" $(DURATION)

# A window with lists, or pictures of it in PICTURES when there is no display.
gallery: bootstrap-gallery
	scripts/build release shipped
	scripts/gallery

# The scripts and the clients use what is built, as the tests do, and all of them wait for much.
# A line with $(MAKE) would run even with `make -n`.
check: bootstrap-check bootstrap-python bootstrap-glib bootstrap-gtk bootstrap-gallery lint
	scripts/build debug tests
	scripts/side-by-side "scripts/run-tests .build/debug/listdPackageTests.xctest" "make test-service check-python" "make check-glib check-gtk check-gallery"

test: bootstrap-check
	scripts/test "$(FILTER)"

# Scripts that use what `make test` has built.
test-service:
	scripts/run-scripts --jobs $(JOBS) Tests/service

# The engine's tests with -O, and all programs and plugins as `make build` compiles them: whole modules see other imports than files.
# Both need ListKit, which is compiled once for them.
check-optimised: bootstrap-check
	@echo "Compiling everything but most tests, optimised: from nothing, about 6 minutes on two idle cores."
	LISTD_TESTS="ListKitTests PluginAPITests" $(SWIFT) build $(OPTIMISED) --product listdPackageTests
	scripts/run-tests .build/testing-release/release/listdPackageTests.xctest
	$(SWIFT) build $(OPTIMISED) --target Shipped

# Some of the integration tests on dbus-broker, with what `make test` has built; `make soak` runs all of them there.
ON_BROKER := Mirror|Lifecycle|Descriptor|Stranger|RestrictedAdapter|Polkit|Introspection|Credit|Limits|ListctlReconnect
ON_BROKER := $(ON_BROKER)|Following[A-Za-z]*|ActionBus|NearEndBus|ChangeSelectionBus|VisibleRangeBus|Rename
check-broker:
	if [ "$$(id -u)" = 0 ] || [ -S /run/systemd/journal/socket ]; then \
	    LISTD_TEST_BUS=broker scripts/run-tests --filter 'IntegrationTests\.($(ON_BROKER))Tests/' \
	        .build/debug/listdPackageTests.xctest; \
	else \
	    echo "SKIPPED: THE TESTS ON DBUS-BROKER (make check-broker): they need root or a journal."; \
	fi

lint:
	$(SWIFT) format lint --strict --parallel --recursive $(FORMATTED)
	scripts/check-boundaries
	scripts/check-structure
	scripts/check-rules
	scripts/check-references
	scripts/check-how-to
	scripts/check-commits
	scripts/add-license --check
	scripts/make-gallery-pictures --check
	for script in .ci/run $$(grep -rlE '^#!/bin/bash' scripts Tests); do bash -n "$$script"; done

# The pictures of the documents, from a real run of the build in BUILT.
pictures: bootstrap-check bootstrap-gallery $(if $(BUILT),,build)
	scripts/make-pictures
	scripts/make-gallery-pictures

# The Python package, with the listd of the debug build or the one in LISTD.
check-python: bootstrap-python
	scripts/check-python

# The library for GLib programs, with the listd of the debug build or the one in LISTD.
check-glib: bootstrap-glib
	scripts/check-glib

# The widgets for GTK programs, on a display of their own.
check-gtk: bootstrap-gtk
	scripts/check-gtk

# The gallery, with the listd of the debug build or the one in LISTD.
check-gallery: bootstrap-gallery
	scripts/check-gallery

# The package in a booted systemd: of a release build, or of the build in BUILT (as BUILT=.build/debug after a check).
check-boot: bootstrap-boot bootstrap-deb $(if $(BUILT),,build)
	scripts/build-deb
	scripts/run-scripts Tests/boot

# The rows about the bus measure the optimised listd of this checkout.
bench bench-json: bootstrap-run
	@echo "Compiling listd and the benchmarks, optimised: from nothing, about 6 minutes on two idle cores." >&2
	$(SWIFT) build -c release -j $(JOBS) --product listd >&2
	$(SWIFT) run -c release -j $(JOBS) --package-path Benchmarks --scratch-path .build/benchmarks \
	    Benchmarks $(if $(filter bench-json,$@),--json)

# Two PostgreSQL servers and three viewers of one list, on this terminal.
cluster: bootstrap-cluster build
	scripts/cluster

# How times and memory grow: docs/curves/*.svg, the figures as tables for docs/limits.md, and what each call costs beside
# many of everything. Takes about 20 minutes, and 5 GiB.
curves: bootstrap-run
	@echo "Compiling listd and the benchmarks, optimised: from nothing, about 6 minutes on two idle cores."
	$(SWIFT) build -c release -j $(JOBS) --product listd >&2
	$(SWIFT) run -c release -j $(JOBS) --package-path Benchmarks --scratch-path .build/benchmarks \
	    Benchmarks --curves $(CURDIR)/docs/curves
	Benchmarks/growth

# Too slow for `check`: the tests tagged `soak`, and the scripts under Tests/Soak.
soak: bootstrap-check bootstrap-python bootstrap-glib bootstrap-gtk bootstrap-deb build
	LISTD_SOAK=1 LISTD_TEST_TIME=7200 scripts/test
	scripts/build release shipped
	scripts/run-scripts Tests/Soak
	LISTD_SOAK=1 LISTD=$(CURDIR)/.build/release/listd scripts/check-python
	LISTD_SOAK=1 LISTD=$(CURDIR)/.build/release/listd scripts/check-glib
	LISTD_SOAK=1 LISTD=$(CURDIR)/.build/release/listd scripts/check-gtk

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
