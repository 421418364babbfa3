# SPDX-License-Identifier: Apache-2.0
# The scene of a test script: a machine with room for the programs in $stage, a server of pictures, and a user
# "visitor" whose lists are dropped. To be sourced after assertions.sh; ends the script with 77 if there can be none.

inbox=/var/spool/darkroom/inbox
lib=/var/lib/darkroom
state=$lib/state
origin_url=http://$machine_address:8080
secure_url=https://origin.test:8081

rootfs=$("$here/rootfs.sh" "$stage") || { echo "skipped: no root file system could be made"; exit 77; }
machine_make "$rootfs"
lib_outside=$machine_folder/disk/lib
origin_folder=$machine_folder/origin
mkdir "$origin_folder"
# The machine knows the name of the origin, and trusts its certificate.
openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=origin.test -addext subjectAltName=DNS:origin.test \
  -keyout "$origin_folder/key.pem" -out "$origin_folder/certificate.pem" 2>/dev/null
cat "$origin_folder/key.pem" "$origin_folder/certificate.pem" >"$origin_folder/tls.pem"
cat "$origin_folder/certificate.pem" >>"$machine_root/etc/ssl/certs/ca-certificates.crt"
echo "$machine_address origin.test" >>"$machine_root/etc/hosts"
nsenter --net="$machine_folder/far" \
  python3 "$here/origin.py" "$origin_folder" "$machine_address" 8080 >/dev/null 2>&1 &
disown
finish() {
  [ -z "${DARKROOM_KEEP_LOG:-}" ] || run journalctl -o short-precise >"$DARKROOM_KEEP_LOG" 2>&1
  # By the number it wrote, since python3 may be a script that starts another program; with SIGKILL,
  # since a test runner may have blocked other signals.
  [ ! -e "$origin_folder/pid" ] || kill -9 "$(cat "$origin_folder/pid")"
  machine_end
}
trap finish EXIT
eventually test -e "$origin_folder/pid" || { echo "not ok - the origin serves"; exit 1; }

set_gate() {
  echo "$1" >"$origin_folder/gate.new" && mv "$origin_folder/gate.new" "$origin_folder/gate"
}

# write_list NAME COUNT [EXTRA-NAME URL]: a list of COUNT pictures, and perhaps one more.
write_list() {
  local i
  {
    echo '<?xml version="1.0" encoding="UTF-8"?>'
    echo '<plist version="1.0"><dict>'
    for ((i = 0; i < $2; i++)); do
      echo "<key>$1 $i</key><string>$origin_url/$1/$i.png</string>"
    done
    [ $# -lt 4 ] || echo "<key>$3</key><string>$4</string>"
    echo '</dict></plist>'
  } >"$machine_root/home/visitor/$1.plist"
}

# Drops a list with cp, as an ordinary user in the group.
drop() { run runuser -u visitor -- cp "/home/visitor/$1.plist" "$inbox/"; }

show() { run systemctl show darkroom -p "$1" --value; }
journal() { run journalctl -q --no-pager "$@"; }
has_record() { journal -n 1 "$@" | grep -q .; }
is_finished() { has_record "MESSAGE_ID=$id_finished" "LIST_NAME=$1"; }
# Without the pages and thumbnails of contact sheets.
prints() { find "$lib_outside/prints/$1" -maxdepth 1 -type f ! -name '.*' ! -name '*.html' 2>/dev/null | wc -l; }
value() {
  journal -o json --output-fields="$1" -n 1 "${@:2}" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"
}
# The end of a list: the numbers of filtered photos and of existing prints.
outcome() { echo "$(value LIST_DONE "MESSAGE_ID=$id_finished" "LIST_NAME=$1")/$(prints "$1")"; }

# The numbers of the photos that the journal file records as downloaded or filtered.
recorded() {
  cat "$lib_outside"/state/journal/*.log 2>/dev/null |
    awk -v list="$1" '($4 == "downloaded" || $4 == "filtered") && $5 == list { print $6 }' | sort -u
}

is_main_alive() {
  local pid
  pid=$(show MainPID)
  [ "$pid" != 0 ] && [ "$pid" != "$1" ] && [ "$(show ActiveState)" = active ]
}

# The recorded photos that were requested again after the mark. There must be none.
asked_again() {
  local name=$1 mark=$2 number
  tail -n "+$((mark + 1))" "$origin_folder/log" |
    sed -n "s|^/$name/\([0-9]*\)\.png$|\1|p" | sort -u |
    while read -r number; do
      grep -qx "$((number + 1))" "$machine_folder/recorded-$name" && echo "$number"
    done
  return 0
}

id_ready=fe8176a0c13d413cbbc3e428415b82ee
id_accepted=26845c5acfdd428ea85984ca745b36a0
id_rejected=e726644143b342a1a89cd3907d1e5ce2
id_finished=907b8b5cc6cd4a45946dea8ebfe8a20c
id_photo_failed=100dcb05ca1f49ff8129abae2bcd42ae
id_reloaded=51918702cc474cf1b104c45a2877ff88
id_reload_refused=a7bb11051bc1454fa087966cdd8b5281
id_unprotected=c550013db90740aaa594866e3b160c40
