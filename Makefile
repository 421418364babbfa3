# darkroom
#
#   make run        build, then develop a sample list
#   make cluster    a list developed by three nodes on this machine: one is killed, and the standby of their ledger promoted
#   make test       build and run the tests of the sources
#   make test-release  build what is installed, and test it: the package, the units under systemd, the short campaigns
#   make try        the tests of some modules, with as little building as they need: ONLY=Chain,Record, and FILTER=
#   make check      format, lint, warnings, the rules of CONTRIBUTING.md
#   make bench      benchmarks, mostly ratios against peers in the same run
#   make fuzz       mutated input for every reader of untrusted bytes, SECONDS=60 each; INPUTS=1000000000: so many in
#                   all targets together, without a look at the paths that they take
#   make mutants    plants bugs, one at a time: the test that names each must fail; ONLY=12,17
#   make coverage   the tests of the store, the recovery and the parsers: no region of their sources is missed
#   make simulate   LIVES=10000000 simulated lives of lists, WORLDS=10000000 small worlds of all that meets at a
#                   list, STATES=10000000 disks after a power cut, and files of 16 to 64 KiB with every bit
#                   flipped; SEED= replays a failure of the first three.
#                   CLUSTERS=10000 simulated clusters and one of NODES=1000; calls of a node to PostgreSQL that are
#                   cut after every byte
#   make torture    MINUTES=90 of faults against the release programs; SEED= replays a run
#   make sanitize   the tests of pictures, lists, downloads and threads under the sanitizers
#   make STATIC=1   the same programs, with all libraries inside the worker, see darkroomd(8)
#   make deb        a Debian package in .build/deb
#   make install    install all files, with DESTDIR= and PREFIX=/usr, see README.md
#
# By default SwiftPM lets a target import modules that it does not depend on, so every build here enables the
# check. The installed programs contain the Swift runtime and do not need it on the machine. SwiftPM reads STATIC
# from the environment.

PREFIX ?= /usr/local
DESTDIR ?=
SYSTEMD ?= $(PREFIX)/lib/systemd
USER_UNITS ?= $(PREFIX)/lib/systemd/user
# journalctl looks for catalogs only here, whatever the prefix.
CATALOGS ?= /usr/lib/systemd/catalog
SYSCONFDIR ?= /etc
# The shells look for completions only here, whatever the prefix.
ifeq ($(PREFIX),/usr)
BASH_COMPLETIONS ?= /usr/share/bash-completion/completions
ZSH_COMPLETIONS ?= /usr/share/zsh/vendor-completions
FISH_COMPLETIONS ?= /usr/share/fish/vendor_completions.d
else
BASH_COMPLETIONS ?= /usr/local/share/bash-completion/completions
ZSH_COMPLETIONS ?= /usr/local/share/zsh/site-functions
FISH_COMPLETIONS ?= $(SYSCONFDIR)/fish/completions
endif
# Empty: the programs keep their symbols. debian/rules separates them.
STRIP ?= -s

SWIFT = swift
export STATIC
STRICT = --explicit-target-dependency-import-check error
# A local rpath would add two dozen folders to the library search, none of which exists.
RELEASE = $(SWIFT) build -c release --static-swift-stdlib --disable-local-rpath $(STRICT)
DEBUG = $(SWIFT) build --build-tests $(STRICT)
TEST = Tests/run $(SWIFT) test --skip-build
BIN = .build/release

# The packages that a fresh Debian 12 lacks: C libraries and, for tests, a container with a real systemd.
BUILD_PACKAGES = libjpeg-dev libpng-dev libexpat1-dev libcurl4-openssl-dev libssl-dev libmicrohttpd-dev libsystemd-dev \
	libpq-dev pkg-config python3
TEST_PACKAGES = $(BUILD_PACKAGES) postgresql pgbouncer systemd-container debootstrap systemd dbus openssl nghttp2-server \
	iproute2 nftables e2fsprogs xfsprogs btrfs-progs util-linux rsync bindfs $(DEB_PACKAGES) \
	bash-completion zsh fish tinyproxy-bin prometheus prometheus-node-exporter \
	chromium chromium-driver fonts-dejavu-core nginx
DEB_PACKAGES = debhelper dpkg-dev lintian

SWIFT_SOURCES = Package.swift Sources Tests

.PHONY: all build run test test-release check bench install uninstall clean build-packages test-packages format
.PHONY: try release cluster programs all-programs deb deb-packages install-files fuzz mutants coverage simulate torture sanitize

all: build

build: release

# Installs missing packages. Upgrades what is there only if they cannot be had otherwise, and asks first on a terminal.
INSTALL_MISSING = @etc/install-packages $(1)

build-packages:
	$(call INSTALL_MISSING,$(BUILD_PACKAGES))

test-packages:
	$(call INSTALL_MISSING,$(TEST_PACKAGES))

deb-packages:
	$(call INSTALL_MISSING,$(DEB_PACKAGES))

release: build-packages programs

# For debian/rules, which installs no packages.
programs:
	DARKROOM_ONLY=programs $(RELEASE)

# With the programs of benchmarks and tests.
all-programs: build-packages
	$(RELEASE)

# Only darkroom itself: the package needs no Swift on the machine.
deb: build-packages deb-packages
	rm -rf .build/deb && mkdir -p .build/deb
	dpkg-checkbuilddeps
	debian/rules clean
	DEB_RULES_REQUIRES_ROOT=no debian/rules binary DEBS=$(CURDIR)/.build/deb
	lintian --fail-on error,warning --tag-display-limit 0 .build/deb/darkroom_*.deb
	@ls .build/deb/*.deb

run: release
	@etc/sample/run $(BIN)

cluster: release
	$(call INSTALL_MISSING,postgresql)
	@etc/cluster/try $(BIN)

test: test-packages
	$(DEBUG)
	Tests/groups $(SWIFT) test --skip-build

test-release: test-packages
	$(RELEASE)
	$(DEBUG)
	rm -rf .build/stage
	$(MAKE) --no-print-directory install-files DESTDIR=$(CURDIR)/.build/stage PREFIX=/usr
	$(MAKE) --no-print-directory deb
	DARKROOM_STAGE=$(CURDIR)/.build/stage DARKROOM_PACKAGE=$$(echo $(CURDIR)/.build/deb/darkroom_*.deb) \
	  $(TEST) --filter '^SystemTests\.'
	Tests/Torture/run --short $(BIN)

# One process for all of them: Tests/groups keeps apart what must not share a process.
FILTER ?=
try: build-packages
	@[ -n "$(ONLY)" ] || { echo "make try ONLY=Chain, or several with commas; FILTER= runs some of their tests"; exit 64; }
	DARKROOM_ONLY=$(ONLY) $(DEBUG)
	DARKROOM_ONLY=$(ONLY) $(TEST) $(if $(FILTER),--filter '$(FILTER)')

check: build-packages
	$(SWIFT) format lint --strict --recursive --parallel $(SWIFT_SOURCES)
	$(DEBUG)
	$(SWIFT) test --skip-build --filter '^RepositoryTests|^DarkroomdTests\.(Page|SettingsDocument)Tests'

format:
	$(SWIFT) format format --in-place --recursive --parallel $(SWIFT_SOURCES)

bench: all-programs
	@Benchmarks/run $(BIN)

SECONDS ?= 60
TARGETS ?=
fuzz: build-packages
ifdef INPUTS
	DARKROOM_FUZZ=1 $(RELEASE) --product darkroom-mutate
	@INPUTS=$(INPUTS) SEED=$(or $(SEED),1) TARGETS="$(TARGETS)" Tests/Fuzz/mutate
else
	@SECONDS_EACH=$(SECONDS) TARGETS="$(TARGETS)" Tests/Fuzz/run
endif

# The short forms are part of `make test-release`.
MINUTES ?= 90
CAMPAIGNS ?=
torture: all-programs
	@Tests/Torture/moto .build/moto
	@MOTO=$(wildcard .build/moto/bin/moto_server) CAMPAIGNS="$(CAMPAIGNS)" SEED=$(SEED) Tests/Torture/run $(BIN) $(MINUTES)

# The bugs are built once, in a copy of the tree. Tests of the tree itself do not take part.
ONLY ?=
mutants: test-packages
	@ONLY="$(ONLY)" Tests/Mutants/run

# A build of its own; Tests/coverage says which sources, and which regions no test can reach.
coverage: build-packages
	@Tests/coverage

# The long form of what `make test` does with 100,000 lives and small files. The modules at work are optimised in that
# build as well (Package.swift, `hot`).
LIVES ?= 10000000
WORLDS ?= 10000000
STATES ?= 10000000
SIMULATED = ^DarkroomdTests\.(List|Joint)Simulation|^ChainTests\.(Owner|FilterTurns)|^RecordTests\.(CrashSimulation|JournalDamage|Snapshot|ResultRow)
CLUSTERS ?= 10000
NODES ?= 1000
SIMULATED_CLUSTERS = ^DarkroomdTests\.LeaseSimulation|^ClusterTests\.LostAnswer
simulate: export LIVES := $(LIVES)
simulate: export WORLDS := $(WORLDS)
simulate: export STATES := $(STATES)
simulate: export CLUSTERS := $(CLUSTERS)
simulate: export NODES := $(NODES)
simulate: export DAMAGE = long
simulate: export LOSSES = long
simulate: test-packages
	$(DEBUG)
	$(SWIFT) test --skip-build \
		--filter '$(SIMULATED)|^CatalogTests\.Damage|$(SIMULATED_CLUSTERS)'

# Each sanitizer has a separate build. UBSan covers the C code; Swift has its own checks. Left out: workers
# under AddressSanitizer, whose shadow memory exceeds their memory limit; crashes of workers under
# ThreadSanitizer, which catches them before the kernel does, and the count of what they leave, to which its
# symbolizer adds; and the simulated power cuts, which use one thread and are slow. The ThreadSanitizer groups
# run one after another, since long tests starve the others of threads.
ADDRESS = $(SWIFT) test --sanitize address --scratch-path .build/address \
	-Xcc -fsanitize=undefined -Xcc -fno-sanitize-recover=undefined
THREAD = $(SWIFT) test --sanitize thread --scratch-path .build/thread
TRANSFERS = ^EdgeTests\.(Transfer|HostileOrigin)
sanitize: export LSAN_OPTIONS = suppressions=$(CURDIR)/Tests/Fuzz/leaks.txt:print_suppressions=0
sanitize: export TSAN_OPTIONS = \
	suppressions=$(CURDIR)/Tests/Fuzz/races.txt:handle_segv=0:print_suppressions=0
sanitize: build-packages
	$(ADDRESS) --filter '^(FilterTests|CatalogTests|FuzzTests|DownloadTests)\.|DigestTests|$(TRANSFERS)'
	$(THREAD) --filter '^ChainTests\.'
	$(THREAD) --filter '^RecordTests\.' --skip CrashSimulation
	$(THREAD) --filter '^DownloadTests\.|$(TRANSFERS)'
	$(THREAD) --filter '^SteerTests\.|DigestTests|WorkerStateTests|WorkerPoolTests' --skip misbehav

# Builds nothing: the environment of sudo has no Swift, and root would own the build products.
install:
	@[ -x $(BIN)/darkroomd ] || { echo "run 'make' first"; exit 1; }
	$(MAKE) --no-print-directory install-files

UNITS = darkroom.service darkroom@.service darkroom-hooks.service darkroom-hooks@.service \
	darkroom-hooks.path darkroom-hooks@.path darkroom-web.socket darkroom-web.service
# The paths of the programs in the units follow PREFIX.
PLACED = sed -e 's|/usr/sbin/darkroomd|$(PREFIX)/sbin/darkroomd|g' \
	-e 's|/usr/libexec/darkroom|$(PREFIX)/libexec/darkroom|g'

# Printed by the program: the shells know what the program does.
COMPLETION = install -D -m 0644 /dev/null $(2) && $(BIN)/darkroomctl completion $(1) > $(2)

install-files:
	install -D $(STRIP) -m 0755 $(BIN)/darkroomd $(DESTDIR)$(PREFIX)/sbin/darkroomd
	install -D $(STRIP) -m 0755 $(BIN)/darkroomctl $(DESTDIR)$(PREFIX)/bin/darkroomctl
	install -D $(STRIP) -m 0755 $(BIN)/darkroom-worker $(DESTDIR)$(PREFIX)/libexec/darkroom/darkroom-worker
	install -D $(STRIP) -m 0755 $(BIN)/darkroom-web $(DESTDIR)$(PREFIX)/libexec/darkroom/darkroom-web
	install -d $(DESTDIR)$(SYSTEMD)/system $(DESTDIR)$(USER_UNITS) $(DESTDIR)$(CATALOGS)
	for unit in $(UNITS); do \
	  $(PLACED) systemd/$$unit > $(DESTDIR)$(SYSTEMD)/system/$$unit || exit 1; \
	done
	$(PLACED) systemd/darkroom.user.service > $(DESTDIR)$(USER_UNITS)/darkroom.service
	install -m 0644 systemd/darkroom.catalog $(DESTDIR)$(CATALOGS)/darkroom.catalog
	install -D -m 0644 systemd/darkroom.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/darkroom.conf
	install -D -m 0644 systemd/darkroom.tmpfiles $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/darkroom.conf
	install -d $(DESTDIR)$(SYSCONFDIR)/darkroom/darkroomd.conf.d
	install -D -m 0644 etc/darkroomd.conf $(DESTDIR)$(PREFIX)/share/darkroom/darkroomd.conf
	for page in man/*; do \
	  install -D -m 0644 $$page $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/} || exit 1; \
	done
	$(call COMPLETION,bash,$(DESTDIR)$(BASH_COMPLETIONS)/darkroomctl)
	$(call COMPLETION,zsh,$(DESTDIR)$(ZSH_COMPLETIONS)/_darkroomctl)
	$(call COMPLETION,fish,$(DESTDIR)$(FISH_COMPLETIONS)/darkroomctl.fish)

# Removes programs, manual pages and units. Settings, lists, prints and the user are kept, and their places
# printed.
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/sbin/darkroomd $(DESTDIR)$(PREFIX)/bin/darkroomctl
	rm -f $(DESTDIR)$(PREFIX)/libexec/darkroom/darkroom-worker $(DESTDIR)$(PREFIX)/libexec/darkroom/darkroom-web
	[ ! -d $(DESTDIR)$(PREFIX)/libexec/darkroom ] || rmdir $(DESTDIR)$(PREFIX)/libexec/darkroom
	for unit in $(UNITS); do rm -f $(DESTDIR)$(SYSTEMD)/system/$$unit; done
	rm -f $(DESTDIR)$(USER_UNITS)/darkroom.service $(DESTDIR)$(CATALOGS)/darkroom.catalog
	rm -f $(DESTDIR)$(PREFIX)/share/darkroom/darkroomd.conf
	[ ! -d $(DESTDIR)$(PREFIX)/share/darkroom ] || rmdir $(DESTDIR)$(PREFIX)/share/darkroom
	rm -f $(DESTDIR)$(PREFIX)/lib/sysusers.d/darkroom.conf $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/darkroom.conf
	for page in man/*; do rm -f $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/}; done
	rm -f $(DESTDIR)$(BASH_COMPLETIONS)/darkroomctl $(DESTDIR)$(FISH_COMPLETIONS)/darkroomctl.fish
	rm -f $(DESTDIR)$(ZSH_COMPLETIONS)/_darkroomctl
	@echo
	@echo "Not removed:"
	@echo "  settings  $(DESTDIR)$(SYSCONFDIR)/darkroom"
	@echo "  lists     $(DESTDIR)/var/spool/darkroom"
	@echo "  prints    $(DESTDIR)/var/lib/darkroom/prints"
	@echo "  state     $(DESTDIR)/var/lib/darkroom/state"
	@echo "  cache     $(DESTDIR)/var/cache/darkroom"
	@echo "  instances $(DESTDIR)/var/lib/darkroom@*"
	@echo "  user      darkroom, and the group darkroom with its members"
	@echo "To remove all of this, including the prints, as root:"
	@echo "  systemctl stop darkroom darkroom-hooks.path darkroom-web.socket; systemctl daemon-reload; journalctl --update-catalog"
	@echo "  rm -r $(DESTDIR)$(SYSCONFDIR)/darkroom $(DESTDIR)/var/spool/darkroom $(DESTDIR)/var/lib/darkroom $(DESTDIR)/var/cache/darkroom"
	@echo "  userdel darkroom; getent group darkroom && groupdel darkroom"

clean:
	rm -rf .build .run
