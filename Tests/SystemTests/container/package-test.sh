#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The Debian package on a real systemd: installed, upgraded in the middle of a list, removed, installed again, purged;
# with an instance, and with a daemon of a user's own. See README.md.
#
# package-test.sh DEB    DEB: made by `make deb`
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/machine.sh"

deb=${1:-}
why=$(machine_can) || { echo "skipped: $why"; exit 77; }
[ "$deb" = --can ] && exit 0
[ -e "$deb" ] || { echo "skipped: there is no package $deb"; exit 77; }
machine_own "$here/package-test.sh" "$@"

. "$here/assertions.sh"
packages=$(mktemp -d)
stage=$packages/stage
dpkg-deb -x "$deb" "$stage"
. "$here/scene.sh"

# repacked VERSION: the package under another version.
repacked() {
  rm -rf "$packages/tree"
  dpkg-deb -R "$deb" "$packages/tree"
  sed -i "s/^Version: .*/Version: $1/" "$packages/tree/DEBIAN/control"
  # As the settings of another version would differ.
  echo "# $1" >>"$packages/tree/usr/share/darkroom/darkroomd.conf"
  dpkg-deb -Znone -b "$packages/tree" "$machine_root/var/tmp/darkroom-$1.deb" >/dev/null
}
version=$(dpkg-deb -f "$deb" Version)
earlier=0.0.9
repacked "$earlier"
cp "$deb" "$machine_root/var/tmp/darkroom-$version.deb"
rm -rf "$packages"

run_dpkg() { run env DEBIAN_FRONTEND=noninteractive dpkg "$@" >>"$machine_folder/dpkg.log" 2>&1; }
install_package() { run_dpkg --install "/var/tmp/darkroom-$1.deb"; }
installed() { run dpkg-query -W -f '${db:Status-Status} ${Version}' darkroom 2>/dev/null; }
state_of() { run systemctl show -P ActiveState "$1"; }
in_instance() { run runuser -u visitor -- "$@"; }
# The socket is open again, and starts its service for a visitor.
answers() { run bash -c 'exec 3<>/dev/tcp/127.0.0.1/8473 && printf "GET / HTTP/1.0\r\n\r\n" >&3 && grep -q ^HTTP <&3'; }
socket_works() { [ "$(state_of darkroom-web.socket)" = active ] && answers; }
is_done() { run test -e "/var/lib/darkroom@archive/done/$1.plist"; }

# --- install ------------------------------------------------------------------------------------

machine_up || { echo "not ok - the container boots"; exit 1; }
install_package "$earlier" || { cat "$machine_folder/dpkg.log"; echo "not ok - a version is installed"; exit 1; }
pass "an earlier version is installed"
is "$(dpkg-deb --info "$deb" conffiles 2>/dev/null)$(run dpkg-query -W -f '${Conffiles}' darkroom)" "" \
  "no file of the package is a settings file about which an upgrade could ask"
run test ! -e /etc/darkroom/darkroomd.conf -a -d /etc/darkroom/darkroomd.conf.d -a -e /usr/share/darkroom/darkroomd.conf
check "the template of the settings is apart from them"
is "$(show ActiveState)" active "and runs"
is "$(run stat -c '%U:%G %a' $inbox)" "darkroom:darkroom 3772" "the inbox belongs to the group"
run journalctl --list-catalog "$id_ready" 2>/dev/null | grep -q 'is ready'
check "journald knows its catalog"
run useradd --create-home --groups darkroom,systemd-journal visitor
run test ! -e /etc/systemd/user/default.target.wants/darkroom.service
check "no user has a daemon unasked"

# --- an instance --------------------------------------------------------------------------------

run systemctl start darkroom@nowhere 2>/dev/null
check_not "an instance without settings does not start"
run systemctl reset-failed darkroom@nowhere
printf '[Hooks]\nOnFinished=/usr/local/bin/tell\n' >"$machine_root/etc/darkroom/archive.conf"
printf '#!/bin/sh\nsystemd-cat -t told sh -c "cat $DARKROOM_RESULTS >/dev/null && echo $DARKROOM_LIST_NAME"\n' \
  >"$machine_root/usr/local/bin/tell"
chmod 0755 "$machine_root/usr/local/bin/tell"
run systemctl enable -q --now darkroom@archive
check "an instance with settings does"
is "$(run stat -c '%U:%G %a' /var/lib/darkroom@archive/inbox)" "darkroom:darkroom 3772" \
  "its inbox belongs to the group"
is "$(run stat -c %a /var/lib/darkroom@archive/state)" 700 "its state does not"
set_gate 1000
write_list aside 3
in_instance cp /home/visitor/aside.plist /var/lib/darkroom@archive/inbox/
eventually is_done aside
check "a member of the group drops a list there, and it is finished"
in_instance darkroomctl --root /var/lib/darkroom@archive show aside | grep -q aside
check "darkroomctl --root asks the instance"
told() { journal -t told -o cat | grep -qx aside; }
eventually told
check "its hook is run, and reads the results"
is "$(prints aside)" 0 "the other daemon has no part in it"
run systemctl stop darkroom@archive
run darkroomd --root /var/lib/darkroom@archive 2>/dev/null
is $? 77 "root does not work on the state of the user darkroom"
is "$(run find /var/lib/darkroom@archive /var/lib/darkroom -user root)" "" "and leaves no file there"
run systemctl start darkroom@archive
check "the instance starts again"

# --- the pages ----------------------------------------------------------------------------------

is "$(state_of darkroom-web.socket)" inactive "no page is served unasked"
run systemctl enable -q --now darkroom-web.socket
check "an administrator enables the pages"
socket_works
check "and the address answers"

# --- a daemon of a user's own -------------------------------------------------------------------

own() { run runuser -u visitor -- env XDG_RUNTIME_DIR=/run/visitor "$@"; }
run systemd-run -q --unit=visitor -p User=visitor -p Delegate=yes -p RuntimeDirectory=visitor -p Type=notify \
  -E XDG_RUNTIME_DIR=/run/visitor -E HOME=/home/visitor /lib/systemd/systemd --user
own systemctl --user start darkroom
check "a user starts a daemon of their own"
own cp /home/visitor/aside.plist /home/visitor/darkroom/inbox/ &&
  own timeout 600 darkroomctl --root /home/visitor/darkroom wait aside >/dev/null
check "which finishes a list"
is "$(run ls /home/visitor/darkroom/prints/aside | grep -vc html)" 3 "and leaves the prints with the user"
own systemctl --user reload darkroom
check "systemctl --user reload asks it to read its settings"
run systemctl stop visitor

# --- upgrade ------------------------------------------------------------------------------------

set_gate 20
write_list upgraded 40
drop upgraded
is_midway() {
  list=$(value LIST_ID "MESSAGE_ID=$id_accepted" "LIST_NAME=$1")
  [ -n "$list" ] && [ "$(recorded "$list" | wc -l)" -ge 10 ]
}
list=
eventually is_midway upgraded
check "a list is in its middle"
recorded "$list" >"$machine_folder/recorded-upgraded"
mark=$(wc -l <"$origin_folder/log")
# Settings of the administrator, and a template with other words in the next version.
printf '# mine\n[Report]\nProgress=4s\n' >"$machine_root/etc/darkroom/darkroomd.conf"
install_package "$version" </dev/null
check "the package is upgraded, and nobody is asked about settings"
is "$(installed)" "installed $version" "dpkg knows the version"
is "$(show ActiveState)/$(state_of darkroom@archive)/$(state_of darkroom-hooks.path)" active/active/active \
  "the service, the instance and the units of the hooks run again"
is "$(show NRestarts)" 0 "and nothing crashed"
socket_works
check "the pages are served again after the upgrade"
set_gate 1000
eventually is_finished upgraded
check "the list is finished"
is "$(outcome upgraded)" 40/40 "every print is there"
is "$(asked_again upgraded "$mark")" "" "nothing that was recorded is downloaded again"
install_package "$version"
check "the same version is installed again"
socket_works
check "and the pages are still served"
grep -q "# mine" "$machine_root/etc/darkroom/darkroomd.conf"
check "the settings of the administrator stay"

# --- downgrade ----------------------------------------------------------------------------------

install_package "$earlier"
check_not "an earlier version is refused"
grep -q "may not understand the state" "$machine_folder/dpkg.log"
check "with the reason"
is "$(installed)" "installed $version" "the later one stays"
is "$(show ActiveState)/$(state_of darkroom@archive)" active/active "and runs, as does the instance"
socket_works
check "and the pages are served"

# --- remove, install again ----------------------------------------------------------------------

set_gate 20
write_list removed 40
drop removed
eventually is_midway removed
run_dpkg --remove darkroom
check "the package is removed in the middle of a list"
is "$(show ActiveState)/$(state_of darkroom@archive)/$(state_of darkroom-hooks.path)/$(state_of darkroom-web.socket)" \
  inactive/inactive/inactive/inactive "nothing runs"
run test ! -e /usr/sbin/darkroomd -a -e $state/journal -a -e /etc/darkroom/darkroomd.conf
check "the programs are gone, state and settings are there"
install_package "$version"
check "it is installed again"
socket_works
check "and serves its pages"
set_gate 1000
eventually is_finished removed
check "and finishes the list"
is "$(outcome removed)" 40/40 "every print is there"
scripts=/var/lib/dpkg/info/darkroom
run env DPKG_MAINTSCRIPT_PACKAGE=darkroom sh -c \
  "$scripts.postinst configure $version && $scripts.postinst configure $version" >/dev/null 2>&1
check "the installation script may run again"
is "$(show ActiveState)" active "and the service runs"

# --- purge --------------------------------------------------------------------------------------

set_gate 20
write_list purged 40
drop purged
eventually is_midway purged
cp "$machine_root$scripts.postrm" "$machine_root/var/tmp/postrm"
run_dpkg --purge darkroom
check "the package is purged in the middle of a list"
answers
check_not "no page is served"
run test ! -e /etc/darkroom -a ! -e $state/journal -a ! -e $state/lists -a \
  ! -e /var/lib/darkroom@archive/state
check "settings and records are gone, also of the instance"
is "$(prints upgraded)" 40 "prints stay"
is "$(run ls /var/lib/darkroom@archive/prints/aside | grep -vc html)" 3 "also of the instance"
run test -e /var/spool/darkroom/done/upgraded.plist
check "copies of lists stay"
run sh -c 'cmp /var/spool/darkroom/unfinished/list-*/list.plist /home/visitor/purged.plist'
check "a list that is not finished is kept"
run getent passwd darkroom >/dev/null
check "the owner of these files stays"
run sh /var/tmp/postrm purge >/dev/null 2>&1
check "the script of the purge may run again"
set_gate 1000
# The number of a user of another machine.
run sh -c "userdel darkroom; groupdel darkroom; chown -R 612:612 $lib /var/spool/darkroom" 2>/dev/null
install_package "$version"
check "the package is installed after its purge"
is "$(state_of darkroom-web.socket)" inactive "the pages wait for an administrator again"
run systemctl start darkroom-web.socket && socket_works
check "who starts them without a restart of the machine"
is "$(run id -u darkroom)" 612 "the user has the number of the owner of the state folder"
run usermod --append --groups darkroom visitor
write_list again 3
drop again
eventually is_finished again
check "and finishes a list"

if [ "$failures" != 0 ]; then sed 's/^/#   /' "$machine_folder/dpkg.log"; fi
verdict
