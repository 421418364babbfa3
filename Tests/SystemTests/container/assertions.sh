# SPDX-License-Identifier: Apache-2.0
# The output of a test script, and its waits: for a condition, never for a time. To be sourced.

failures=0
assertions=0

pass() { assertions=$((assertions + 1)) && echo "ok - $1"; }

fail() {
  assertions=$((assertions + 1))
  failures=$((failures + 1))
  echo "not ok - $1"
}

# After a command: asserts its exit status.
check() { if [ $? = 0 ]; then pass "$1"; else fail "$1"; fi; }
check_not() { if [ $? != 0 ]; then pass "$1"; else fail "$1"; fi; }

# is GOT WANTED WORDS
is() {
  if [ "$1" = "$2" ]; then pass "$3"; else
    fail "$3"
    echo "#   wanted '$2', got '$1'"
  fi
}

# Repeats the command until it succeeds; gives up after fifteen minutes.
eventually() {
  local end=$((SECONDS + 900))
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 0.1
  done
}

verdict() {
  echo "# $assertions assertions, $failures failed, $SECONDS s"
  [ "$failures" = 0 ]
}
