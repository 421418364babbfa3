// SPDX-License-Identifier: Apache-2.0
// The completions of the shells, made from the rows of the commands: commands, options, and what a word can be. The
// lists, hosts and nodes come from the daemon, at the time of the completion.

internal import Vocabulary

/// The kind of a word of a command line, which decides its candidates.
enum WordKind: Hashable, Sendable {
  case nothing, lists, hosts, nodes, files, folders, users, commands
  /// Lists, and files with results.
  case results
  case words([String])
  /// Some of these words, separated by commas.
  case someOf([String])

  static let classes = Self.words(ServiceClass.allCases.map(\.name))
}

package enum ShellCompletion: String, CaseIterable, Sendable {
  case bash, zsh, fish

  package var text: String {
    switch self {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  private static let about = """
    # SPDX-License-Identifier: Apache-2.0
    # Completes darkroomctl: commands, options, files, and the lists, hosts and nodes that the daemon knows.
    # Printed by `darkroomctl completion`.

    """

  private static let commands = ToolCommand.all.map(\.name).joined(separator: " ")

  private static let valueOptions = ToolOption.everyOne.filter { $0.value != nil }

  private static func lines(_ lines: [String], _ indent: String) -> String {
    lines.map { indent + $0 + "\n" }.joined()
  }

  // MARK: bash

  private static func bash(_ kind: WordKind) -> String {
    switch kind {
    case .words(let words), .someOf(let words): "words \(words.joined(separator: " "))"
    default: "\(kind)"
    }
  }

  private var bash: String {
    let skipped = Set(Self.valueOptions.flatMap(\.names)).sorted().joined(separator: " | ")
    var values: [String] = []
    var options: [String] = []
    var words: [String] = []
    for command in ToolCommand.all {
      for option in command.syntax.options {
        guard let value = option.value, value != .nothing else { continue }
        values += option.names.map { "'\(command.name) \($0)') kind='\(Self.bash(value))' ;;" }
      }
      let names = command.syntax.options.flatMap(\.names).joined(separator: " ")
      if !names.isEmpty { options.append("\(command.name)) options+=' \(names)' ;;") }
      for (place, kind) in command.syntax.completes.enumerated() {
        let isLast = place == command.syntax.completes.count - 1
        words.append(
          "'\(command.name) '\(isLast ? "*" : "\(place)")) kind='\(Self.bash(kind))' ;;")
      }
    }
    let common = ToolOption.common
    for option in common {
      guard let value = option.value else { continue }
      values.append("*' \(option.name)') kind='\(Self.bash(value))' ;;")
    }
    return Self.about + """

      _darkroomctl_ask() {
        local only=$1 column=$2 field fields
        shift 2
        while IFS=$'\\t' read -r -a fields; do
          field=${fields[column]}
          [[ ( -z $only || ${fields[0]} == "$only" ) && $field == "$word"* ]] || continue
          COMPREPLY+=("$(printf '%q' "$field")")
        done < <(darkroomctl "${place[@]}" --plain "$@" 2>/dev/null)
      }

      _darkroomctl() {
        local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
        local command='' kind='' place=() i count=0
        local options='\(common.flatMap(\.names).joined(separator: " "))'

        for ((i = 1; i < COMP_CWORD; i++)); do
          case ${COMP_WORDS[i]} in
            --root | --socket)
              place=("${COMP_WORDS[i]}" "${COMP_WORDS[i + 1]}")
              ((i++))
              ;;
            \(skipped)) ((i++)) ;;
            -*) ;;
            *) if [[ -n $command ]]; then ((count++)); else command=${COMP_WORDS[i]}; fi ;;
          esac
        done

        case "$command $before" in
      \(Self.lines(values, "    "))    *) case $before in \(skipped)) kind=nothing ;; esac ;;
        esac
        if [[ -z $kind && $word == -* ]]; then
          case $command in
      \(Self.lines(options, "      "))    esac
          kind="words $options"
        fi
        [[ -n $kind ]] || case "$command $count" in
          ' '*) kind=commands ;;
      \(Self.lines(words, "    "))  esac

        case $kind in
          lists) _darkroomctl_ask '' 1 list ;;
          hosts) _darkroomctl_ask host 1 status ;;
          nodes) _darkroomctl_ask '' 0 nodes ;;
          users) mapfile -t COMPREPLY < <(compgen -u -- "$word") ;;
          commands) mapfile -t COMPREPLY < <(compgen -W '\(Self.commands)' -- "$word") ;;
          words*) mapfile -t COMPREPLY < <(compgen -W "${kind#words }" -- "$word") ;;
          folders) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
          files)
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            ;;
          results)
            _darkroomctl_ask '' 1 list
            compopt -o filenames
            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X '!*.jsonl' -- "$word")
            ;;
        esac
      }

      complete -F _darkroomctl darkroomctl

      """
  }

  // MARK: zsh

  private static func zsh(_ kind: WordKind) -> String {
    switch kind {
    case .nothing: ""
    case .lists, .hosts, .nodes: "_darkroomctl_\(kind)"
    case .files: "_files"
    case .folders: "_files -/"
    case .users: "_users"
    case .commands: "_describe command commands"
    case .results:
      "_alternative 'lists:list:_darkroomctl_lists' 'files:results:_files -g \"*.jsonl\"'"
    case .words(let words): "_values word \(words.joined(separator: " "))"
    case .someOf(let words): "_values -s , word \(words.joined(separator: " "))"
    }
  }

  /// The specification of an option for `_arguments`, for each of its names.
  private static func zsh(_ option: ToolOption, without others: [String] = []) -> [String] {
    let excluded = others + (option.names.count > 1 ? option.names : [])
    let head = excluded.isEmpty ? "" : "(\(excluded.joined(separator: " ")))"
    // The space keeps `_arguments` from giving the action more arguments.
    let tail = option.value.map { ":\(option.name.dropFirst(2)): \(zsh($0))" } ?? ""
    return option.names.map { "'\(head)\($0)[\(option.summary)]\(tail)'" }
  }

  private var zsh: String {
    let rivals = [
      "--root": "--socket", "--socket": "--root", "--json": "--plain", "--plain": "--json",
    ]
    let common = ToolOption.common.flatMap {
      Self.zsh($0, without: [rivals[$0.name]].compactMap { $0 })
    }
    var options: [String] = []
    var words: [String] = []
    for command in ToolCommand.all {
      let own = command.syntax.options.flatMap { Self.zsh($0) }
      if !own.isEmpty {
        options.append("\(command.name)) options+=(\(own.joined(separator: " "))) ;;")
      }
      let kinds = command.syntax.completes.map { Self.zsh($0) }
      guard let last = kinds.last else { continue }
      let first = kinds.count > 1 ? "if (( $#line < 3 )); then \(kinds[0]); else \(last); fi" : last
      words.append("\(command.name)) \(first) ;;")
    }
    let summaries = ToolCommand.all.map { "'\($0.name):\($0.summary)'" }
    return "#compdef darkroomctl\n" + Self.about + """

      _darkroomctl_ask() {
        local -a place
        [[ -n ${opt_args[--root]} ]] && place=(--root ${opt_args[--root]})
        [[ -n ${opt_args[--socket]} ]] && place=(--socket ${opt_args[--socket]})
        darkroomctl $place --plain $1 2>/dev/null
      }

      _darkroomctl_lists() {
        local -a lists
        local number name rest
        _darkroomctl_ask list | while IFS=$'\\t' read -r number name rest; do
          lists+=("${name//:/\\\\:}:list $number")
        done
        _describe list lists
      }

      _darkroomctl_hosts() {
        local -a hosts
        local kind name code rest
        _darkroomctl_ask status | while IFS=$'\\t' read -r kind name code rest; do
          [[ $kind == host ]] && hosts+=("${name//:/\\\\:}:$code")
        done
        _describe host hosts
      }

      _darkroomctl_nodes() {
        local -a nodes
        local name state rest
        _darkroomctl_ask nodes | while IFS=$'\\t' read -r name state rest; do
          nodes+=("${name//:/\\\\:}:$state")
        done
        _describe node nodes
      }

      _darkroomctl() {
        local context state state_descr line
        local -A opt_args
        local -a options=(
      \(Self.lines(common, "    "))  )
        local -a commands=(
      \(Self.lines(summaries, "    "))  )
        case ${words[(r)\(ToolCommand.all.map(\.name).joined(separator: "|"))]} in
      \(Self.lines(options, "    "))  esac
        _arguments -C $options '1:command:->command' '*:argument:->argument'

        case $state in
          command) _describe command commands ;;
          argument)
            case $line[1] in
      \(Self.lines(words, "        "))      esac
            ;;
        esac
      }

      _darkroomctl "$@"

      """
  }

  // MARK: fish

  private static func fish(_ kind: WordKind) -> String {
    switch kind {
    case .nothing: ""
    case .lists, .hosts, .nodes: " -a '(__darkroomctl_\(kind))'"
    case .files: " -F"
    case .folders: " -a '(__fish_complete_directories)'"
    case .users: " -a '(__fish_complete_users)'"
    case .commands: " -a '\(commands)'"
    case .results: " -F -a '(__darkroomctl_lists)'"
    case .words(let words), .someOf(let words): " -a '\(words.joined(separator: " "))'"
    }
  }

  private static func fish(_ option: ToolOption, of command: String?) -> String {
    let names = option.names.map {
      $0.hasPrefix("--") ? " -l \($0.dropFirst(2))" : " -s \($0.dropFirst())"
    }
    let value = option.value.map { ($0 == .files ? " -r" : " -x") + fish($0) } ?? ""
    return seen(command) + names.joined() + value + " -d '\(capitalised(option.summary))'"
  }

  private static func seen(_ command: String?) -> String {
    "complete -c darkroomctl"
      + (command.map { " -n '__fish_seen_subcommand_from \($0)'" } ?? "")
  }

  private static func capitalised(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }

  private var fish: String {
    var lines = ToolOption.common.map { Self.fish($0, of: nil) }
    for command in ToolCommand.all {
      lines.append(
        "complete -c darkroomctl -n __fish_use_subcommand -a \(command.name)"
          + " -d '\(Self.capitalised(command.summary))'")
      lines += command.syntax.options.map { Self.fish($0, of: command.name) }
      lines += command.syntax.completes.map { Self.seen(command.name) + Self.fish($0) }
    }
    return Self.about + """

      function __darkroomctl_lists
          darkroomctl --plain list 2>/dev/null | awk -F '\\t' '{ print $2 "\\t" "list " $1 }'
      end

      function __darkroomctl_hosts
          darkroomctl --plain status 2>/dev/null | awk -F '\\t' '$1 == "host" { print $2 "\\t" $3 }'
      end

      function __darkroomctl_nodes
          darkroomctl --plain nodes 2>/dev/null | awk -F '\\t' '{ print $1 "\\t" $2 }'
      end

      complete -c darkroomctl -f
      \(Self.lines(lines, ""))
      """
  }
}
