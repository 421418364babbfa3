# SPDX-License-Identifier: Apache-2.0
# A test machine for the service: a real systemd as PID 1 in a container. To be sourced.
# Promises: the root file system below it is not written to; its processes and mounts are gone
# when the script that sourced it ends; several machines can run side by side.
#
#   machine_can             returns 1, and says why, if this host cannot run one
#   machine_own "$0" "$@"   call first: restarts the script in its own mount namespace
#   machine_make ROOTFS     lays out the disk and the network; then machine_up
#   machine_up              boots, and waits until systemd says it is running
#   run COMMAND...          runs a command inside, as root
#   machine_down            shuts down in order
#   machine_reboot          systemctl reboot, and waits for the new boot
#   machine_pull            pulls the plug of PID 1 (kill -9); machine_up boots it again
#   machine_end             removes everything (also at exit)
#
# Three requirements that are easy to miss: a container needs its own control group (or two
# containers share their services' groups and kill each other's processes), its own mount namespace
# (or another one pins our file systems), and the unified hierarchy inside, whatever the host has.

machine_address=11.22.33.44 # of a neighbour; looks public but exists only here, so the unit runs unchanged

# System calls that a container is refused by default, and that the sandbox of the workers needs.
machine_calls="landlock_create_ruleset landlock_add_rule landlock_restrict_self"

machine_can() {
  [ "$(id -u)" = 0 ] || { echo "it needs root"; return 1; }
  local tool
  for tool in debootstrap systemd-nspawn nsenter unshare ip python3 mkfs.ext4 dpkg ldd openssl; do
    command -v "$tool" >/dev/null || { echo "it needs $tool, which is not installed"; return 1; }
  done
  [ -n "$(machine_groups)" ] || { echo "it needs control groups it may write to"; return 1; }
  unshare -m --propagation private true 2>/dev/null || { echo "it may not mount here"; return 1; }
}

# The folders of the host's control groups in which ours is created.
machine_groups() {
  local folder
  for folder in /sys/fs/cgroup/unified /sys/fs/cgroup/systemd /sys/fs/cgroup; do
    [ -w "$folder/cgroup.procs" ] && echo "$folder"
  done
  return 0
}

machine_own() {
  [ -n "${DARKROOM_OWN_MOUNTS:-}" ] ||
    exec env DARKROOM_OWN_MOUNTS=1 unshare -m --propagation private bash "$@"
}

machine_make() {
  local rootfs=$1
  machine_name=darkroom-$$
  machine_folder=$(mktemp -d)
  machine_nspawn= machine_leader=
  trap machine_end EXIT
  trap 'exit 130' INT TERM
  mount -t tmpfs tmpfs "$machine_folder"
  local d=$machine_folder
  mkdir "$d/upper" "$d/work" "$d/disk" "$d/root"
  mount -t overlay overlay -o "lowerdir=$rootfs,upperdir=$d/upper,workdir=$d/work" "$d/root"
  machine_root=$d/root
  # A separate disk for the state of the service: on ext4 leases and syncs really work.
  truncate -s 512M "$d/disk.img"
  mkfs.ext4 -q -E lazy_itable_init=1,nodiscard "$d/disk.img"
  mount -o loop "$d/disk.img" "$d/disk" || echo "# no loop device: state lies in memory"
  mkdir -p "$d/disk/spool" "$d/disk/lib" "$d/root/var/spool/darkroom" "$d/root/var/lib/darkroom"
  # The networks of the machine and of its neighbour outlive a reboot, and so do the servers of the neighbour.
  : >"$d/net"
  : >"$d/far"
  unshare --net="$d/net" true
  unshare --net="$d/far" true
  machine_net ip link set lo up
  machine_net ip link add near type veth peer name far
  machine_net ip link set far netns "$d/far"
  machine_net ip address add 11.22.33.45/31 dev near
  machine_net ip link set near up
  machine_neighbour ip link set lo up
  machine_neighbour ip address add "$machine_address/31" dev far
  machine_neighbour ip link set far up
}

machine_net() { nsenter --net="$machine_folder/net" "$@"; }
machine_neighbour() { nsenter --net="$machine_folder/far" "$@"; }

machine_up() {
  local folder tries=0
  for folder in $(machine_groups); do mkdir -p "$folder/$machine_name"; done
  (
    for folder in $(machine_groups); do echo $BASHPID >"$folder/$machine_name/cgroup.procs"; done
    SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 exec setsid systemd-nspawn --quiet -D "$machine_root" \
      --boot --register=no --keep-unit --console=passive -M "$machine_name" \
      --network-namespace-path="$machine_folder/net" --link-journal=no \
      --system-call-filter="bpf $machine_calls" --capability=CAP_BPF,CAP_NET_ADMIN,CAP_PERFMON \
      --bind="$machine_folder/disk/spool:/var/spool/darkroom" \
      --bind="$machine_folder/disk/lib:/var/lib/darkroom" >>"$machine_folder/boot.log" 2>&1
  ) &
  machine_nspawn=$!
  until machine_is_up; do
    tries=$((tries + 1))
    if [ "$tries" -gt 18000 ] || ! kill -0 "$machine_nspawn" 2>/dev/null; then
      echo "# the container did not boot:"
      tail -n 20 "$machine_folder/boot.log" | sed 's/^/#   /'
      return 1
    fi
    sleep 0.05
  done
}

machine_is_up() {
  machine_leader=$(tr ' ' '\n' <"/proc/$machine_nspawn/task/$machine_nspawn/children" 2>/dev/null |
    head -n 1)
  [ -n "$machine_leader" ] && [ "$(cat "/proc/$machine_leader/comm" 2>/dev/null)" = systemd ] &&
    run systemctl is-system-running 2>/dev/null | grep -qxE 'running|degraded'
}

run() {
  nsenter -t "$machine_leader" -m -p -u -i -n -C --root --wd env -i \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"
}

machine_wait() {
  local tries=0
  while kill -0 "$machine_nspawn" 2>/dev/null; do
    tries=$((tries + 1))
    [ "$tries" -le 18000 ] || { kill -9 "$machine_leader" "$machine_nspawn" 2>/dev/null; break; }
    sleep 0.05
  done
  wait "$machine_nspawn" 2>/dev/null
  machine_nspawn= machine_leader=
}

machine_down() { run systemctl poweroff >/dev/null 2>&1; machine_wait; }
machine_reboot() { run systemctl reboot >/dev/null 2>&1; machine_wait; machine_up; }
machine_pull() { kill -9 "$machine_leader"; machine_wait; }

machine_end() {
  trap - EXIT
  if [ -n "$machine_nspawn" ]; then
    kill -9 ${machine_leader:+"$machine_leader"} "$machine_nspawn" 2>/dev/null
    wait "$machine_nspawn" 2>/dev/null
  fi
  local folder tries d=$machine_folder
  umount -l "$d/net" "$d/far" "$d/root" "$d/disk" "$d" 2>/dev/null
  rmdir "$d" 2>/dev/null
  # The processes in the groups take a moment to end.
  for folder in $(machine_groups); do
    for ((tries = 0; tries < 100; tries++)); do
      [ -d "$folder/$machine_name" ] || break
      find "$folder/$machine_name" -depth -type d -exec rmdir {} \; 2>/dev/null
      [ ! -d "$folder/$machine_name" ] || sleep 0.05
    done
  done
  return 0
}
