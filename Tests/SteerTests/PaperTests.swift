// SPDX-License-Identifier: Apache-2.0
// The manual pages and the completions mention every command, option and exit code.

import Linux
import Steer
import Support
import Testing
import Vocabulary

@testable import darkroomctl

struct PaperTests {
  @Test(
    "the completions have every command and option",
    arguments: ShellCompletion.allCases)
  func completions(shell: ShellCompletion) throws {
    let text = shell.text
    for command in ToolCommand.all { #expect(text.contains(command.name), "\(command.name)") }
    for option in ToolOption.everyOne {
      let name = option.name.dropFirst(2)
      #expect(text.contains("--\(name)") || text.contains("-l \(name)"), "\(name)")
    }
  }

  @Test
  func `the man page has every command, option, exit code and JSON name`() throws {
    let text = Repository.text("man/darkroomctl.1")
    for command in ToolCommand.all { #expect(text.contains(".It Cm \(command.name)")) }
    for option in ToolOption.everyOne {
      #expect(text.contains("Fl \(option.name.dropFirst())"), "\(option.name)")
    }
    for code in Int32(0)...20 {
      #expect(text.contains(".It \(code)\n") == (ExitCode(rawValue: code) != nil), "\(code)")
    }
    let objects = [
      Samples.status.object, Samples.list.object, Samples.photos[0].object, Samples.inbox.object,
      Samples.inbox.files[0].object, Samples.watch.object, Samples.watch.transfers[0].object,
      Samples.settings[1].object, Samples.settings[1].nextPlaces[0].object,
      Samples.metrics.families[0].object, Samples.metrics.families[0].samples[0].object,
      Samples.cache.object, Samples.status.hosts[0].object,
      Samples.nodes.object, Samples.nodes.nodes[0].object, Samples.waiting.object,
    ]
    for name in objects.flatMap({ $0.members.map(\.name) }) {
      #expect(text.contains(" \(name) ") || text.contains(" \(name)\n"), "\(name)")
    }
  }

  @Test
  func `the man page, the help and the code have the same durations`() throws {
    let page = Repository.text("man/darkroomctl.1")
    let help = HelpText.text(ToolCommand.named("wait"))
    for time in ["90", "90s", "5min", "2h", "1d"] {
      #expect(Amounts.duration(time) != nil)
      #expect(page.contains(".Ql \(time)\n") || page.contains(".Ql \(time) "), "\(time)")
      #expect(help.contains(time) && Amounts.durationSamples.contains(time), "\(time)")
    }
    for option in ToolOption.common + (ToolCommand.named("status")?.syntax.options ?? []) {
      #expect(HelpText.overview.contains(option.name), "\(option.name)")
    }
  }

  @Test
  func `the page of the list format has every quality of service`() throws {
    let text = Repository.text("man/photo-list.5")
    for level in ServiceClass.allCases {
      #expect(
        text.contains("Cm \(level.name)\n") || text.contains("Cm \(level.name) ,"), "\(level)")
    }
  }
}
