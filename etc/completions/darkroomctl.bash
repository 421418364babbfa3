# SPDX-License-Identifier: Apache-2.0
# Completes darkroomctl in bash: commands, options, files, and the lists the daemon knows.

_darkroomctl() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local commands='status list inbox submit show wait pause resume cancel retry flush reload watch cache develop check journal help'
  local command='' place=() i options='--root --socket --json --help --version'

  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      --root | --socket)
        place=("${COMP_WORDS[i]}" "${COMP_WORDS[i + 1]}")
        ((i++))
        ;;
      --state | --timeout | --output | -o | --filter | --quality | --metadata | --jobs | -j | --name | --quality-of-service)
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
      mapfile -t COMPREPLY < <(compgen -W 'new downloaded filtered failed' -- "$word")
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
    --timeout | --filter | --jobs | -j | --name) return ;;
  esac

  case $command in
    show) options+=' --state' ;;
    wait) options+=' --timeout' ;;
    submit) options+=' --name --wait --timeout --filter --quality --metadata --quality-of-service' ;;
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
    cache) mapfile -t COMPREPLY < <(compgen -W 'clear' -- "$word") ;;
    show | wait | pause | resume | cancel | retry | watch)
      local name
      while IFS=$'\t' read -r _ name _; do
        [[ $name == "$word"* ]] && COMPREPLY+=("$(printf '%q' "$name")")
      done < <(darkroomctl "${place[@]}" list 2>/dev/null)
      ;;
    develop | check | submit)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      ;;
  esac
}

complete -F _darkroomctl darkroomctl
