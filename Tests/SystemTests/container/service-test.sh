#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The service on a real systemd, from installation to a reboot in the middle of a list. See
# README.md.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/machine.sh"

stage=${1:-}
why=$(machine_can) || { echo "skipped: $why"; exit 77; }
[ "$stage" = --can ] && exit 0
for file in sbin/darkroomd bin/darkroomctl libexec/darkroom/darkroom-worker \
  lib/systemd/system/darkroom.service lib/systemd/system/darkroom-hooks.path; do
  [ -e "$stage/usr/$file" ] || { echo "skipped: there is no $stage/usr/$file"; exit 77; }
done
machine_own "$here/service-test.sh" "$@"

. "$here/assertions.sh"
. "$here/scene.sh"

# --- install ------------------------------------------------------------------------------------

cp -R --preserve=mode,links "$stage/." "$machine_root/"
machine_up || { echo "not ok - the container boots"; exit 1; }
pass "the container boots"
run systemd-sysusers darkroom.conf && run systemd-tmpfiles --create darkroom.conf &&
  run journalctl --update-catalog
check "users, folders and message catalog are set up"
run useradd --create-home --groups darkroom,systemd-journal visitor
run systemctl daemon-reload
run systemctl enable -q --now darkroom
check "the service starts and says that it is ready"
is "$(show ActiveState)/$(show SubState)" active/running "systemctl calls it running"
is "$(run stat -c '%U:%G %a' $inbox)" "darkroom:darkroom 3772" "the inbox belongs to the group"
eventually has_record "MESSAGE_ID=$id_ready"
check "the journal says that it is ready"
is "$(run cat "/proc/$(show MainPID)/status" | awk '/^CapEff/ { print $2 }')" \
  0000000010000000 "it has the right to take leases, and no other"

# --- an ordinary list ---------------------------------------------------------------------------

write_list first 6 nowhere "$origin_url/missing/1.png"
drop first
check "an ordinary user of the group drops a list"
eventually is_finished first
check "the list is finished"
is "$(value LIST_DONE MESSAGE_ID=$id_finished LIST_NAME=first)" 6 "six photos are filtered"
is "$(value LIST_FAILED MESSAGE_ID=$id_finished LIST_NAME=first)" 1 "the missing one failed"
is "$(prints first)" 6 "six prints lie in the prints folder"
run test ! -e $inbox/first.plist && eventually run test -e /var/spool/darkroom/done/first.plist
check "the list has moved from inbox to done"
is "$(run runuser -u visitor -- sh -c "cat $lib/prints/first/* | wc -c")" \
  "$(cat "$lib_outside"/prints/first/* | wc -c)" "a member of the group can read the prints"

journal -u darkroom | grep -q "Accepted list 'first': 7 photos"
check "journalctl -u darkroom tells of it"
is "$(journal LIST_NAME=first PHOTO_STATE=filtered -o cat | grep -c '^Filtered ')" 6 \
  "journalctl finds its photos by field"
is "$(value HTTP_STATUS MESSAGE_ID=$id_photo_failed LIST_NAME=first)" 404 \
  "the failed photo has its reason in a field"
is "$(value PRIORITY MESSAGE_ID=$id_photo_failed LIST_NAME=first)" 5 "and is a notice: the web server lacks it"
journal -x "MESSAGE_ID=$id_photo_failed" | grep -q "The other photos of the list are not affected"
check "journalctl -x explains it"
# A field that a record lacks leaves its bare name in the explanation.
holes=$(journal -x -u darkroom | grep -E '^(--|░░) ' | grep -oE '@|\b[A-Z]+_[A-Z_]+\b' |
  grep -vxE 'LIST_ID|PHOTO_STATE' | sort -u)
is "$holes" "" "no explanation has a hole in it"
run runuser -u visitor -- journalctl -q LIST_NAME=first -n 1 | grep -q .
check "an ordinary user who may read the journal can follow it"
run systemctl status darkroom --no-pager -n 0 | grep -q 'Status: "..*"'
check "systemctl status shows a status line"
run runuser -u visitor -- darkroomctl status >/dev/null
check "darkroomctl answers an ordinary user of the group"

# --- darkroomctl log ----------------------------------------------------------------------------

told() { run runuser -u visitor -- darkroomctl log "$@" 2>&1; }
told first | head -n 1 | grep -q "  Accepted list 'first': 7 photos\.$"
check "darkroomctl log tells of a list from its beginning"
is "$(told first --json | grep -c '"photo":')" 7 "and of each of its photos"
is "$(told -n 1 first)" "$(told first | tail -n 1)" "or only the last of it"
told -x first nowhere | grep -q "The other photos of the list are not affected"
check "it explains what happened to a photo"
is "$(told frist | grep -c "did you mean 'first'")" 1 "for a misspelt list it has a suggestion"
is "$(told first Barn | grep -c "Barn")" 1 "and knows which photos a list has"
is "$(run timeout -s INT 1 darkroomctl log -f -n 1 first 2>&1)" "$(told -n 1 first)" \
  "it follows until it is interrupted, and then says nothing"
is "$(run runuser -u nobody -- darkroomctl log 2>&1 | grep -c 'groups adm and systemd-journal')" 1 \
  "a user without the right to read the journal learns who has it"

# --- two users side by side ---------------------------------------------------------------------

run useradd --create-home --groups darkroom neighbour
write_list secret 2 nowhere "$origin_url/missing/2.png?token=x"
run runuser -u visitor -- darkroomctl submit --private --wait /home/visitor/secret.plist >/dev/null
is $? 1 "a user submits a private list, one of whose photos fails"
spool=/var/spool/darkroom
files="$spool/done/secret.json $spool/done/secret.result.plist $spool/failed/secret.retry.plist"
# The options are in the list that submit made.
# shellcheck disable=SC2086 # one word for each file
eventually run ls $files >/dev/null 2>&1
for file in $files "$lib/prints/secret/secret 0.png"; do
  run runuser -u visitor -- cat "$file" >/dev/null
  check "its owner reads ${file##*/}"
  run runuser -u neighbour -- cat "$file" >/dev/null 2>&1
  check_not "another user of the group does not"
done
# The page of a private list: darkroom-web has no right to the pictures, the daemon passes them on.
visit() { machine_net python3 "$here/visit.py" "$@"; }
run systemctl enable -q --now darkroom-web.socket
check "the socket of the pages is enabled"
address=$(run runuser -u visitor -- darkroomctl open secret)
visit "$address" thumbs/1.jpg "$machine_folder/small" prints/1 "$machine_folder/print"
check "the owner's page gets a thumbnail and a print of the private list"
cmp -s "$machine_folder/small" "$lib_outside/prints/secret/.sheet/1.jpg" &&
  cmp -s "$machine_folder/print" "$lib_outside/prints/secret/secret 0.png"
check "whole"
web=$(run systemctl show -P MainPID darkroom-web.service)
is "$(run sh -c "cd /proc/$web/root && find var/lib/darkroom var/spool/darkroom -mindepth 1 2>/dev/null")" "" \
  "its process sees no folder of the service"
run runuser -u neighbour -- darkroomctl open secret >/dev/null 2>&1
check_not "another user gets no address for it"
address=$(run runuser -u neighbour -- darkroomctl open first)
visit "$address" thumbs/1.jpg "$machine_folder/small"
check "but the pictures of a list that is not private"
visit --again thumbs/1.jpg "$machine_folder/small"
check "for as long as the process is there"
run systemctl stop darkroom-web.service
visit --again thumbs/1.jpg "$machine_folder/small" 2>&1 | tr '\n' ' ' |
  grep -q "401 .*This view is over"
check "the view ends with the process, which is started again"
run runuser -u neighbour -- darkroomctl remove secret >/dev/null 2>&1
check_not "another user cannot remove the list"
run runuser -u visitor -- darkroomctl remove secret >/dev/null
check "its owner can"
# shellcheck disable=SC2086
run ls -d $files $lib/prints/secret >/dev/null 2>&1
check_not "and nothing of it is left"

# JPEG and PNG over TLS, and from the inbox: every library works inside the unit.
for ((i = 0; i < 16; i++)); do
  printf '%s\n' "$secure_url/secure/$i.jpg" "$secure_url/secure/$i.png"
done >"$machine_root/home/visitor/secure.txt"
run runuser -u visitor -- cp /home/visitor/secure.txt $inbox/
eventually is_finished secure
is "$(outcome secure)" 32/32 "a list of JPEG and PNG is downloaded over TLS and filtered"
# The daemon takes the pictures out of the folder by the rights of the group.
mkdir -m 0775 "$machine_root/home/visitor/Barn"
cp "$here"/../../../etc/sample/photos/* "$machine_root/home/visitor/Barn/"
run runuser -u visitor -- sh -c "umask 002; cp -r /home/visitor/Barn $inbox/"
eventually is_finished Barn
is "$(outcome Barn)" 8/8 "a folder of pictures is filtered"
has_record "MESSAGE_ID=$id_unprotected"
check_not "the workers have every layer of their sandbox"

printf 'no list\n' >"$machine_root/home/visitor/bad.plist"
drop bad
eventually has_record "MESSAGE_ID=$id_rejected"
check "a file that is no list is rejected, and the journal says why"
told bad | grep -q "Could not accept list 'bad.plist'"
check "darkroomctl log finds it by its name"

# --- a journald that hangs ----------------------------------------------------------------------

journald=$(run systemctl show -P MainPID systemd-journald)
run sh -c "kill -STOP $journald"
write_list unheard 40
drop unheard
has_unheard() { [ "$(prints unheard)" = 40 ] && run test -e /var/spool/darkroom/done/unheard.plist; }
eventually has_unheard
check "while journald hangs, a list is filtered and returned"
run darkroomctl status >/dev/null
check "the daemon answers"
begun=$SECONDS
run systemctl stop darkroom
is "$((SECONDS - begun < 15))/$(show Result)" 1/success "and stops in time"
run sh -c "kill -CONT $journald"
run systemctl start darkroom
eventually has_record "MESSAGE_ID=$id_accepted" LIST_NAME=unheard
check "what it could say is in the journal"

# --- reload -------------------------------------------------------------------------------------

main=$(show MainPID)
mkdir -p "$machine_root/etc/darkroom/darkroomd.conf.d"
printf '[Download]\nConnections=3\n' >"$machine_root/etc/darkroom/darkroomd.conf.d/50-test.conf"
run systemctl reload darkroom
check "a good file is reloaded"
eventually has_record "MESSAGE_ID=$id_reloaded"
check "the journal says so"
printf '[Download]\nConections=3\n' >"$machine_root/etc/darkroom/darkroomd.conf.d/50-test.conf"
run systemctl reload darkroom 2>/dev/null
check_not "a bad file makes systemctl reload fail"
eventually has_record "MESSAGE_ID=$id_reload_refused"
check "the journal says which line is bad"
is "$(show ActiveState)/$(show MainPID)" "active/$main" "the service stays up with the old settings"
rm "$machine_root/etc/darkroom/darkroomd.conf.d/50-test.conf"

# --- hooks --------------------------------------------------------------------------------------

write_hook() {
  printf '#!/bin/sh\n%s\n' "$2" >"$machine_root/usr/local/bin/$1"
  chmod 0755 "$machine_root/usr/local/bin/$1"
}
set_hooks() {
  printf '[Hooks]\nOnFinished=%s\n' "$1" >"$machine_root/etc/darkroom/darkroomd.conf.d/60-hooks.conf"
  run systemctl reload darkroom
}
has_no_order() { [ -z "$(run ls $state/hooks)" ]; }
is_idle() { [ "$(run systemctl show -P ActiveState darkroom-hooks.service)" = inactive ]; }

is "$(run systemctl is-active darkroom-hooks.path)" active "the path unit of the hooks waits"
write_hook tell-finished 'systemd-cat -t tell-finished sh -c "env; id -un; ls $DARKROOM_PRINTS
  ls /var/lib/darkroom /var/lib/darkroom/state; cat $DARKROOM_RESULTS >/dev/null && echo results
  touch $DARKROOM_PRINTS/x 2>/dev/null || echo sealed"'
set_hooks /usr/local/bin/tell-finished
check "a hook is set"
write_list hooked 2
drop hooked
hook_said() { journal -t tell-finished -o cat | grep -qx "$1"; }
eventually hook_said DARKROOM_LIST_NAME=hooked
check "its program is run at the end of a list, with the list's name"
eventually hook_said sealed
hook_said darkroom && hook_said results && hook_said hooks && hook_said prints
check "as the service's user, which sees the prints and the results"
hook_said journal
check_not "and neither the journal file nor the lists"
eventually has_no_order && eventually is_idle
check "its order is gone, and its service has ended"
write_hook fail-finished 'echo no route; exit 3'
set_hooks /usr/local/bin/fail-finished
write_list unhooked 2
drop unhooked
eventually has_record HOOK_PROGRAM=/usr/local/bin/fail-finished LIST_NAME=unhooked
check "a program that fails is a warning"
is "$(value PRIORITY HOOK_PROGRAM=/usr/local/bin/fail-finished)" 4 "at the priority of warnings"
eventually is_idle
is "$(run systemctl show -P Result darkroom-hooks.service)" success "and its service has not failed"
rm "$machine_root/etc/darkroom/darkroomd.conf.d/60-hooks.conf"
run systemctl reload darkroom

# --- stop and restart in the middle of a list ---------------------------------------------------

set_gate 20
write_list second 40
drop second
eventually has_record LIST_NAME=second PHOTO_STATE=filtered
check "a list is in its middle"
begun=$(date +%s%N)
run systemctl stop darkroom
check "the service stops during work"
took=$((($(date +%s%N) - begun) / 1000000))
echo "# the stop took $took ms"
is "$(show Result)/$(show ExecMainStatus)" success/0 \
  "with exit status 0, and was not killed for taking too long"
list=$(value LIST_ID "MESSAGE_ID=$id_accepted" LIST_NAME=second)
recorded "$list" >"$machine_folder/recorded-second"
test -s "$machine_folder/recorded-second"
check "the journal file knows what was downloaded before the stop"
mark=$(wc -l <"$origin_folder/log")
set_gate 1000
run systemctl start darkroom
eventually is_finished second
check "the next start continues the list and finishes it"
is "$(prints second)" 40 "every print is there"
is "$(asked_again second "$mark")" "" "nothing that was recorded is downloaded again"

# --- kill -9 ------------------------------------------------------------------------------------

set_gate 20
write_list third 40
drop third
list=
is_begun() {
  list=$(value LIST_ID "MESSAGE_ID=$id_accepted" LIST_NAME=third)
  [ -n "$list" ] && [ "$(recorded "$list" | wc -l)" -ge 10 ]
}
eventually is_begun
check "another list is in its middle"
main=$(show MainPID)
restarts=$(show NRestarts)
# Stopped first, so that nothing is recorded between the look and the kill.
run sh -c "kill -STOP $main"
recorded "$list" >"$machine_folder/recorded-third"
mark=$(wc -l <"$origin_folder/log")
run sh -c "kill -KILL $main"
eventually is_main_alive "$main"
check "systemd starts the service again after kill -9"
is "$(show NRestarts)" $((restarts + 1)) "once"
set_gate 1000
eventually is_finished third
check "the list is finished all the same"
is "$(outcome third)" 40/40 "every print is there"
is "$(asked_again third "$mark")" "" \
  "none of the $(wc -l <"$machine_folder/recorded-third") recorded photos is downloaded again"
is "$(journal "MESSAGE_ID=$id_accepted" LIST_NAME=third -o cat | wc -l)" 1 \
  "the list was accepted once"

# --- a worker dies ------------------------------------------------------------------------------

kill_worker() {
  run sh -c 'for p in $(cat /sys/fs/cgroup/system.slice/darkroom.service/cgroup.procs); do
    [ "$(cat /proc/$p/comm 2>/dev/null)" = darkroom-worker ] && kill -KILL $p && exit 0; done; exit 1'
}
set_gate 20
write_list fourth 40
drop fourth
eventually has_record LIST_NAME=fourth PHOTO_STATE=filtered
main=$(show MainPID)
# Idle workers end by themselves; each further picture that is let through puts one to work.
gate=20 killed=
while [ "$gate" -lt 39 ]; do
  kill_worker && killed=1 && break
  gate=$((gate + 1))
  set_gate "$gate"
  sleep 0.2
done
[ -n "$killed" ]
check "a worker is killed"
set_gate 1000
eventually is_finished fourth
check "the list is finished all the same"
is "$(outcome fourth)" 40/40 "every print is there"
is "$(show MainPID)" "$main" "the daemon itself went on"

# --- the watchdog -------------------------------------------------------------------------------

drop_in=/run/systemd/system/darkroom.service.d
run sh -c "mkdir -p $drop_in && printf '[Service]\nWatchdogSec=10s\n' >$drop_in/watchdog.conf"
run systemctl daemon-reload
run systemctl restart darkroom
main=$(show MainPID)
run sh -c "kill -STOP $main"
eventually is_main_alive "$main"
check "a daemon that hangs is noticed by its watchdog and started again"
watchdog_is_told() { journal -u darkroom -g 'Watchdog timeout' | grep -q .; }
eventually watchdog_is_told
check "and systemd says so"
run sh -c "rm -r $drop_in"
run systemctl daemon-reload
run systemctl restart darkroom

# --- freeze, restarts by hand, a crash loop -----------------------------------------------------

is "$(show WatchdogUSec)" 0 "systemd has no watchdog that would end a frozen service"
main=$(show MainPID)
run systemctl freeze darkroom
check "the service is frozen"
is "$(show FreezerState)" frozen "systemctl calls it frozen"
run systemctl thaw darkroom && run darkroomctl status >/dev/null
check "it answers after it was thawed"
is "$(show FreezerState)/$(show MainPID)" "running/$main" "it is the same process"
run sh -c "kill -USR1 $main; kill -USR2 $main" && run darkroomctl status >/dev/null
is "$(show MainPID)" "$main" "SIGUSR1 and SIGUSR2 do not end it"
run systemctl reset-failed darkroom
restarted=0
for _ in 1 2 3 4 5 6 7 8; do run systemctl restart darkroom && restarted=$((restarted + 1)); done
is "$restarted/$(show ActiveState)" 8/active "eight restarts in a row work"
kill_main() {
  local pid
  pid=$(show MainPID)
  [ "$pid" = 0 ] || run sh -c "kill -KILL $pid" 2>/dev/null
  [ "$(show ActiveState)" = failed ]
}
eventually kill_main
check "a service that is killed again and again stays down in the end"
limit_is_told() { journal -u darkroom -g 'repeated too quickly' | grep -q .; }
eventually limit_is_told
check "because of its start limit"
run systemctl reset-failed darkroom && run systemctl start darkroom
check "and starts by hand after a look"

# --- reboot in the middle of a list -------------------------------------------------------------

set_gate 20
write_list fifth 40
drop fifth
eventually has_record LIST_NAME=fifth PHOTO_STATE=filtered
machine_reboot
check "the machine reboots in the middle of a list"
set_gate 1000
eventually is_finished fifth
check "the service comes up by itself and finishes the list"
is "$(outcome fifth)" 40/40 "every print is there"

set_gate 20
write_list sixth 40
drop sixth
eventually has_record LIST_NAME=sixth PHOTO_STATE=filtered
machine_pull
machine_up
check "the machine comes back after its plug was pulled"
set_gate 1000
eventually is_finished sixth
check "the list is finished all the same"
is "$(prints sixth)" 40 "every print is there"
# --- boot with a full state disk ----------------------------------------------------------------

if mountpoint -q "$machine_folder/disk"; then
  run systemctl stop darkroom
  dd if=/dev/zero of="$machine_folder/disk/filler" bs=1M 2>/dev/null
  dd if=/dev/zero of="$machine_folder/disk/crumbs" bs=1k 2>/dev/null
  machine_reboot
  check "the machine boots with a full state disk"
  is "$(run systemctl is-active multi-user.target darkroom | tr '\n' ' ')" "active active " \
    "and the service holds up nothing"
  show StatusText | grep -q '^Waiting: .*no space left on device'
  check "its status line says what is missing"
  run darkroomctl status --check | grep -q '^degraded: .*no space left on device'
  check "and so does darkroomctl"
  run darkroomd --check
  check "the settings can be checked meanwhile"
  begun=$SECONDS
  run systemctl restart darkroom
  [ $((SECONDS - begun)) -lt 60 ]
  check "a restart does not wait for room"
  main=$(show MainPID)
  rm "$machine_folder/disk/filler" "$machine_folder/disk/crumbs"
  write_list seventh 4
  drop seventh
  eventually is_finished seventh
  check "work begins as soon as there is room"
  is "$(show MainPID)/$(prints seventh)" "$main/4" "in the same process"

# --- start with a read-only state disk ----------------------------------------------------------

  run systemctl stop darkroom
  run mount -o remount,ro $lib
  check "the state disk is read-only"
  run systemctl start darkroom
  check "the service starts all the same"
  show StatusText | grep -q '^Waiting: .*read-only file system'
  check "its status line says what is missing"
  is "$(show NRestarts)" 0 "and it waits"
  # In the mount namespace of the unit the mount stays read-only.
  run mount -o remount,rw $lib
  write_list eighth 4
  drop eighth
  eventually is_finished eighth
  check "work begins as soon as the disk can be written"
  is "$(show NRestarts)/$(prints eighth)" 1/4 "in a new process"
fi

# --- an administrator's slips -------------------------------------------------------------------

keep() { printf '[Record]\nKeepPrints=%s\n' "$1" >"$machine_root/etc/darkroom/darkroomd.conf.d/70-keep.conf"; }
keep 30
run systemctl reload darkroom 2>/dev/null
check_not "an age that could be meant in days or in seconds is refused"
keep 30s
forecast='KeepPrints= sets [0-9]* prints of [0-9]* users* in [0-9]* lists* aside in 60 min'
run darkroomd --check 2>&1 | grep -q "^darkroomd: note: $forecast"
check "the check of a setting says what it removes, and when"
run darkroomctl reload | grep -q "^$forecast"
check "and so does the reload"
rm "$machine_root/etc/darkroom/darkroomd.conf.d/70-keep.conf"
run darkroomctl reload >/dev/null
run systemctl stop darkroom darkroom-hooks.path
run systemctl clean --what=state darkroom
check "the state of the stopped service is removed"
run test ! -e $state
check "as a whole"
is "$(prints first)" 6 "and the prints stay"
run systemctl start darkroom
write_list clean 3
drop clean
eventually is_finished clean
is "$(outcome clean)" 3/3 "the service starts without it, and works"
is "$(run systemctl is-active darkroom-hooks.path)/$(run stat -c %a $state)" active/700 "as before"
run systemctl stop darkroom
run rm -r $lib/prints
run systemctl start darkroom
write_list bare 3
drop bare
eventually is_finished bare
is "$(outcome bare)/$(run stat -c '%U:%G %a' $lib/prints)" "3/3/darkroom:darkroom 750" \
  "and a folder of prints that is missing is made again"

journal -p crit -u darkroom | grep -q .
check_not "in all this nothing critical was reported"

verdict
