# SPDX-License-Identifier: Apache-2.0
# Completes darkroomctl in bash: commands, options, files, and the lists and hosts the daemon knows.

_darkroomctl() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local commands='status list inbox submit show why wait pause resume cancel retry remove sheet quality focus unfocus open flush nodes drain reload config watch cache metrics develop check verify journal log help'
  local command='' place=() i options='--root --socket --json --plain --no-pager --help --version'

  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      --root | --socket)
        place=("${COMP_WORDS[i]}" "${COMP_WORDS[i + 1]}")
        ((i++))
        ;;
      --state | --user | --timeout | --output | -o | --filter | --quality | --metadata | --jobs | -j | --name | --notify | --quality-of-service | --for | --address | --lines | -n)
        ((i++))
        ;;
      -*) ;;
      *) [[ -n $command ]] || command=${COMP_WORDS[i]} ;;
    esac
  done

  case $before in
    --root | --output | -o)
      mapfile -t COMPREPLY < <(compgen -d -- "$word")
      return
      ;;
    --socket)
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      return
      ;;
    --state)
      local states='new downloaded filtered failed'
      [[ $command == list ]] && states='accepted running paused finished cancelled'
      mapfile -t COMPREPLY < <(compgen -W "$states" -- "$word")
      return
      ;;
    --user)
      mapfile -t COMPREPLY < <(compgen -u -- "$word")
      return
      ;;
    --quality)
      mapfile -t COMPREPLY < <(compgen -W 'source' -- "$word")
      return
      ;;
    --metadata)
      mapfile -t COMPREPLY < <(compgen -W 'keep copyright strip' -- "$word")
      return
      ;;
    --quality-of-service)
      mapfile -t COMPREPLY < <(compgen -W 'userInteractive userInitiated default utility background' -- "$word")
      return
      ;;
    --lines | -n)
      mapfile -t COMPREPLY < <(compgen -W 'all' -- "$word")
      return
      ;;
    --timeout | --filter | --jobs | -j | --name | --for | --address) return ;;
  esac

  case $command in
    status) options+=' --check' ;;
    list) options+=' --state --user' ;;
    pause | resume) options+=' --all --user' ;;
    cancel) options+=' --user' ;;
    show) options+=' --state' ;;
    wait) options+=' --timeout' ;;
    focus) options+=' --for' ;;
    open) options+=' --address' ;;
    log) options+=' --follow -f --lines -n --explain -x' ;;
    submit) options+=' --name --wait --timeout --filter --quality --metadata --quality-of-service --notify --private' ;;
    drain) options+=' --now --wait --off' ;;
    develop) options+=' --output --filter --quality --metadata --jobs -j --force -f' ;;
  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
    return
  fi

  case $command in
    '' | help) mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word") ;;
    journal)
      if [[ $before == journal ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'verify dump stat' -- "$word")
      else
        mapfile -t COMPREPLY < <(compgen -d -- "$word")
      fi
      ;;
    flush)
      local kind host
      while IFS=$'\t' read -r kind host _; do
        [[ $kind == host && $host == "$word"* ]] && COMPREPLY+=("$host")
      done < <(darkroomctl "${place[@]}" --plain status 2>/dev/null)
      ;;
    drain)
      local node
      while IFS=$'\t' read -r node _; do
        [[ $node == "$word"* ]] && COMPREPLY+=("$node")
      done < <(darkroomctl "${place[@]}" --plain nodes 2>/dev/null)
      ;;
    cache) mapfile -t COMPREPLY < <(compgen -W 'clear' -- "$word") ;;
    show | why | wait | pause | resume | cancel | retry | remove | sheet | quality | focus | unfocus | open | watch | log | verify)
      if [[ $command == quality && $before != quality ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'userInteractive userInitiated default utility background' -- "$word")
        return
      fi
      local name
      while IFS=$'\t' read -r _ name _; do
        [[ $name == "$word"* ]] && COMPREPLY+=("$(printf '%q' "$name")")
      done < <(darkroomctl "${place[@]}" --plain list 2>/dev/null)
      if [[ $command == verify ]]; then
        compopt -o filenames
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X '!*.jsonl' -- "$word")
      fi
      ;;
    develop | check | submit)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      ;;
  esac
}

complete -F _darkroomctl darkroomctl
