#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Folders on other disks, and the steps of darkroom-backup(7), as the page has them, on a real systemd. See README.md.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/machine.sh"

stage=${1:-}
why=$(machine_can) || { echo "skipped: $why"; exit 77; }
command -v rsync >/dev/null || { echo "skipped: it needs rsync, which is not installed"; exit 77; }
[ "$stage" = --can ] && exit 0
[ -e "$stage/usr/sbin/darkroomd" ] || { echo "skipped: there is no $stage/usr/sbin/darkroomd"; exit 77; }
machine_own "$here/backup-test.sh" "$@"

. "$here/assertions.sh"
. "$here/scene.sh"

page=$here/../../../man/darkroom-backup.7
# The commands of a step, without the escapes of man.
step() {
  awk -v name="$1" '$2 == "step" { on = $3 == name; next } /^\.fi/ { on = 0 } on' "$page" |
    sed 's/\\e$/\\/; s/\\-/-/g'
}
# take NAME [FIRST [LAST]]: runs a step, or some lines of it.
take() {
  local commands
  commands=$(step "$1" | sed -n "${2:-1},${3:-\$}p")
  [ -n "$commands" ] && run bash -e -c "$commands" >>"$machine_folder/steps.log" 2>&1
}
has_prints() { [ "$(prints "$1")" = "$2" ]; }
# How often the list has finished.
ends() { journal -o cat "MESSAGE_ID=$id_finished" "LIST_NAME=$1" | wc -l; }
has_ended() { [ "$(ends "$1")" -ge "$2" ]; }
# Lists with one number: there must be none.
shared_numbers() {
  journal -o json --output-fields=LIST_ID,LIST_NAME "MESSAGE_ID=$id_accepted" |
    sed 's/.*"LIST_ID":"\([0-9]*\)".*/\1/' | sort | uniq -d
}

# A disk that can make snapshots, if this machine can.
snapshots=
if mountpoint -q "$machine_folder/disk"; then
  umount "$machine_folder/disk"
  if mkfs.btrfs -q -f "$machine_folder/disk.img" && mount -o loop "$machine_folder/disk.img" "$machine_folder/disk"
  then snapshots=yes; else
    mkfs.ext4 -q -F "$machine_folder/disk.img" && mount -o loop "$machine_folder/disk.img" "$machine_folder/disk"
  fi >/dev/null 2>&1
  mkdir "$machine_folder/disk/spool" "$machine_folder/disk/lib"
fi
cp -R --preserve=mode,links "$stage/." "$machine_root/"
# rsync is not in the root file system; that of this machine runs there, too.
for file in "$(command -v rsync)" $(ldd "$(command -v rsync)" | awk '/=> \// { print $3 }'); do
  [ -e "$machine_root$file" ] || cp -L "$file" "$machine_root$file"
done
mkdir "$machine_root/backup"
machine_up || { echo "not ok - the container boots"; exit 1; }
run systemd-sysusers darkroom.conf && run systemd-tmpfiles --create darkroom.conf &&
  run journalctl --update-catalog
run useradd --create-home --groups darkroom,systemd-journal visitor
run systemctl daemon-reload
run systemctl enable -q --now darkroom
check "the service starts"

# --- a backup with a short stop -----------------------------------------------------------------

write_list early 3
drop early
eventually is_finished early
set_gate 20
write_list middle 30
drop middle
eventually has_prints middle 20
take save
check "a backup is made in the middle of a list"
is "$(show ActiveState)" active "the service works on"
take check
check "the journal file of the backup is whole"
set_gate 1000
eventually is_finished middle
write_list late 3
drop late
eventually is_finished late
take restore
check "the backup is restored"
eventually has_ended middle 2
check "a list that was at work continues"
is "$(value LIST_DONE "MESSAGE_ID=$id_finished" LIST_NAME=middle)/$(prints middle)" 30/30 "and is complete"
journal -u darkroom -o cat -g 'is a copy or a restored backup|older than what this machine' | grep -q .
check "the log says that the state was restored"
is "$(run sh -c 'ls /var/spool/darkroom/done/middle~*.plist | wc -l')" 2 "its second copy has a name of its own"
is "$(prints early)/$(prints late)" 3/3 "prints that are newer than the backup stay"
run test -e /var/spool/darkroom/done/late.plist
check "and so do copies in done"
drop late
eventually has_ended late 2
check "a list that the backup does not know can be dropped again"
is "$(find "$lib_outside/prints" -maxdepth 1 -name 'late~*' | wc -l)" 1 "its prints have a folder of their own"
is "$(shared_numbers)" "" "no two lists had the same number"

# --- without a stop, and a snapshot -------------------------------------------------------------

# Everything is gone, and the service starts empty.
lose_all() {
  run systemctl stop darkroom
  run find /var/lib/darkroom /var/spool/darkroom /etc/darkroom -mindepth 1 -delete
}

set_gate 20
write_list busy 30
drop busy
eventually has_prints busy 20
take running 1 2
check "a copy is begun without a stop"
set_gate 1000
eventually is_finished busy
take running 3
check "and completed when the list has finished"
take check
check "its journal file is whole"
lose_all
take restore
check "it is restored after everything was lost"
eventually has_ended busy 2
check "the list is finished again"
is "$(outcome busy)" 30/30 "and complete"
is "$(run stat -c '%U:%G %a' $inbox $inbox/.claim | paste -sd' ')" \
  "darkroom:darkroom 3772 darkroom:darkroom 700" "the inbox has its owner and mode"

if [ -n "$snapshots" ]; then
  set_gate 20
  write_list snap 30
  drop snap
  eventually has_prints snap 20
  bash -e -c "$(step snapshot | sed "s|/var|$machine_folder/disk|g")" >/dev/null
  check "a snapshot is made in the middle of a list"
  lose_all
  cp -a "$machine_folder/disk/backup/lib/." "$lib_outside/"
  cp -a "$machine_folder/disk/backup/spool/." "$machine_folder/disk/spool/"
  run systemctl start darkroom
  set_gate 1000
  eventually is_finished snap
  check "the list is finished from the snapshot"
  is "$(outcome snap)" 30/30 "and complete"
else echo "# no btrfs here: no snapshot"; fi

# --- links, and prints on another disk ----------------------------------------------------------

run systemctl stop darkroom
run sh -c "cp -a $inbox /srv/ && mv $inbox $inbox.away && ln -s /srv/inbox $inbox"
run systemctl start darkroom
is_linked() { run darkroomctl status | grep -q "the inbox is a link to /srv/inbox.*ReadWritePaths=-/srv/inbox"; }
eventually is_linked
check "a link in the place of the inbox is told with the remedy"
run systemctl stop darkroom
run sh -c "rm $inbox && mv $inbox.away $inbox"

prints=/var/lib/darkroom/prints
run systemctl stop darkroom
run sh -c "mkdir /srv/photos && cp -a $prints /srv/photos/ && rm -r $prints && ln -s /srv/photos/prints $prints"
run systemctl start darkroom
run darkroomctl status | grep -q "is a link to /srv/photos/prints.*systemctl edit darkroom"
check "a link out of the sandbox is told with the remedy"
advice=$(value ADVICE ERROR_KIND=folder.sandbox)
mkdir -p "$machine_root/etc/systemd/system/darkroom.service.d"
sed "s|.*, and add '\(.*\)' under \(.*\)\.|\2\n\1|" <<<"$advice" \
  >"$machine_root/etc/systemd/system/darkroom.service.d/prints.conf"
run systemctl daemon-reload && run systemctl restart darkroom
write_list link 3
drop link
eventually is_finished link
is "$(run sh -c 'ls /srv/photos/prints/link | grep -vc html')" 3 "with the drop-in, prints go where the link leads"
run systemctl stop darkroom
run rm -r /etc/systemd/system/darkroom.service.d
run sh -c "rm $prints && install -d -o darkroom -g darkroom -m 0750 $prints"
sed "s|.*add the line '\(.*\)' to /etc/fstab.*|\1|" <<<"$advice" >>"$machine_root/etc/fstab"
run systemctl daemon-reload && run systemctl start darkroom
is "$(run stat -f -c %T $prints)" "$(run stat -f -c %T /srv)" "the service mounts what /etc/fstab names"
write_list far 3
drop far
eventually is_finished far
is "$(run sh -c 'ls /srv/photos/prints/far | grep -vc html')" 3 "prints go to the other disk"
unit=$(run systemd-escape --path --suffix=mount $prints)
run systemctl stop darkroom && run umount $prints && run systemctl mask -q --runtime "$unit"
run systemctl start darkroom
check "without the disk the service is up"
run darkroomctl status | grep -q "the folder of prints is not mounted"
check "and waits for the disk"
write_list wait 3
drop wait
run systemctl unmask -q --runtime "$unit" && run systemctl start "$unit"
run systemctl reload darkroom
eventually is_finished wait
check "it works when the disk is mounted"
is "$(run sh -c "ls /srv/photos/prints/wait | grep -vc html")" 3 "nothing was printed to the bare folder"

# --- another machine ----------------------------------------------------------------------------

set_gate 20
write_list moved 30
drop moved
eventually run sh -c '[ "$(ls /srv/photos/prints/moved 2>/dev/null | grep -vc html)" = 20 ]'
take pack
check "everything is packed in the middle of a list"
run umount $prints
sed -i '/photos/d' "$machine_root/etc/fstab"
run systemctl daemon-reload
lose_all
# The user has another number there.
run usermod --uid 4711 darkroom && run groupmod --gid 4712 darkroom
take unpack
check "and unpacked on another machine"
is "$(run stat -c '%U:%G' $state/journal $inbox $prints/far | sort -u)" darkroom:darkroom "the owners have their names"
set_gate 1000
eventually is_finished moved
is "$(outcome moved)" 30/30 "the list is finished there"
write_list after 3
drop after
eventually is_finished after
is "$(outcome after)" 3/3 "and so are new lists"
is "$(shared_numbers)" "" "no two lists had the same number"

[ "$failures" = 0 ] || { echo "# the steps said:"; sed 's/^/#   /' "$machine_folder/steps.log"; }
verdict
