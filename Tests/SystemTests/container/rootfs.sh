#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Prints the path of a small root file system with a real systemd, of this machine's own release so
# that binaries built here run there. Made once (about half a minute), then kept outside the
# checkout: $DARKROOM_TEST_CACHE, else $XDG_CACHE_HOME/darkroom-tests, else ~/.cache/darkroom-tests.
#
# rootfs.sh STAGE    STAGE: what `make install DESTDIR=STAGE PREFIX=/usr` made
set -euo pipefail

stage=${1:?usage: rootfs.sh STAGE}
cache=${DARKROOM_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/darkroom-tests}
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:?this system has no release name}")

# The packages with the shared libraries that our binaries need, from this machine's dpkg database.
libraries() {
  ldd "$stage"/usr/sbin/darkroomd "$stage"/usr/bin/darkroomctl \
    "$stage"/usr/libexec/darkroom/darkroom-worker "$stage"/usr/libexec/darkroom/darkroom-web 2>/dev/null |
    awk '/=> \// { print $3 }' | sort -u | while read -r file; do
    real=$(realpath "$file")
    # A database from before /lib and /usr/lib were merged knows the file by its short path.
    { dpkg -S "$real" || dpkg -S "${real#/usr}" || dpkg -S "/usr$real"; } 2>/dev/null || true
  done | cut -d: -f1 | sort -u
}

packages=$({ libraries; printf '%s\n' ca-certificates dbus systemd systemd-sysv; } | sort -u |
  paste -sd,)
key=$(printf '%s %s' "$suite" "$packages" | sha256sum | cut -c1-12)
root=$cache/rootfs-$suite-$key
if [ -d "$root" ]; then
  echo "$root"
  exit
fi

mkdir -p "$cache"
new=$(mktemp -d "$cache/new-XXXXXX")
trap 'rm -rf "$new"' EXIT
chmod 755 "$new"
# If no mirror is named, debootstrap takes its default.
debootstrap --variant=minbase --include="$packages" "$suite" "$new" \
  ${DARKROOM_TEST_MIRROR:+"$DARKROOM_TEST_MIRROR"} >"$new.log" 2>&1 || {
  tail -n 5 "$new.log" >&2
  echo "rootfs.sh: could not make a root file system; the whole story is in $new.log" >&2
  exit 1
}
rm -rf "$new.log" "$new"/var/cache/apt/archives/*.deb "$new"/var/lib/apt/lists/*
: >"$new/etc/machine-id"
mkdir -p "$new/var/log/journal" # so that the journal outlives a reboot
# Units that a container does not need and that would slow down its boot.
for unit in getty.target console-getty.service systemd-logind.service systemd-resolved.service \
  systemd-timesyncd.service systemd-networkd.service apt-daily.timer apt-daily-upgrade.timer \
  dpkg-db-backup.timer e2scrub_all.timer fstrim.timer; do
  ln -sfn /dev/null "$new/etc/systemd/system/$unit"
done
# Another script may have made the same one meanwhile, which is as good.
mv -T "$new" "$root" 2>/dev/null || [ -d "$root" ]
echo "$root"
