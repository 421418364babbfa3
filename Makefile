# darkroom
#
#   make run        build, then develop a sample list before your eyes
#   make test       everything that is tested, on a machine of any kind
#   make check      format, lint, warnings, the rules of the house
#   make bench      figures, as ratios against peers in the same run
#   make install    DESTDIR= PREFIX=/usr  put everything in its place (see README)
#
# Rules of the house: SwiftPM does not keep targets from importing what they did not declare, so every
# build here asks for it; what is installed has the Swift runtime inside and needs none on the machine.

PREFIX ?= /usr/local
DESTDIR ?=
SYSTEMD ?= $(PREFIX)/lib/systemd
SYSCONFDIR ?= /etc

SWIFT = swift
STRICT = --explicit-target-dependency-import-check error
RELEASE = $(SWIFT) build -c release --static-swift-stdlib $(STRICT)
DEBUG = $(SWIFT) build --build-tests $(STRICT)
BIN = .build/release

# What a fresh Debian 12 lacks: the C libraries and, for tests, a container with a real systemd.
BUILD_PACKAGES = libjpeg-dev libpng-dev libexpat1-dev libcurl4-openssl-dev pkg-config python3
TEST_PACKAGES = $(BUILD_PACKAGES) systemd-container debootstrap systemd dbus man-db openssl

SWIFT_SOURCES = Package.swift Sources Tests

.PHONY: all build run test check bench install uninstall clean build-packages test-packages format
.PHONY: release system-test

all: build

build: release

release: build-packages
	$(RELEASE)

run: release
	@etc/sample/run $(BIN)

test: test-packages
	$(RELEASE)
	$(DEBUG)
	rm -rf .build/stage
	$(MAKE) --no-print-directory install-files DESTDIR=$(CURDIR)/.build/stage PREFIX=/usr
	DARKROOM_BIN=$(CURDIR)/$(BIN) DARKROOM_STAGE=$(CURDIR)/.build/stage $(SWIFT) test --skip-build

check: build-packages
	$(SWIFT) format lint --strict --recursive --parallel $(SWIFT_SOURCES)
	$(DEBUG)
	$(SWIFT) test --skip-build --filter RepositoryTests

format:
	$(SWIFT) format format --in-place --recursive --parallel $(SWIFT_SOURCES)

bench: release
	@Benchmarks/run $(BIN)

install: release
	$(MAKE) --no-print-directory install-files

# Paths inside the unit and the man pages follow PREFIX.
install-files:
	install -D -m 0755 $(BIN)/darkroomd $(DESTDIR)$(PREFIX)/sbin/darkroomd
	install -D -m 0755 $(BIN)/darkroomctl $(DESTDIR)$(PREFIX)/bin/darkroomctl
	install -D -m 0755 $(BIN)/darkroom-worker $(DESTDIR)$(PREFIX)/libexec/darkroom/darkroom-worker
	install -d $(DESTDIR)$(SYSTEMD)/system $(DESTDIR)$(SYSTEMD)/catalog
	sed 's,/usr/,$(PREFIX)/,g' systemd/darkroom.service > $(DESTDIR)$(SYSTEMD)/system/darkroom.service
	install -m 0644 systemd/darkroom.catalog $(DESTDIR)$(SYSTEMD)/catalog/darkroom.catalog
	install -D -m 0644 systemd/darkroom.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/darkroom.conf
	install -D -m 0644 systemd/darkroom.tmpfiles $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/darkroom.conf
	install -D -m 0644 etc/darkroomd.conf $(DESTDIR)$(SYSCONFDIR)/darkroom/darkroomd.conf

clean:
	rm -rf .build .run
