// SPDX-License-Identifier: Apache-2.0
// The words by which a user reaches one darkroomd: the system's, an instance's, or below another root. All
// hints use them. A value; raises nothing.

internal import Vocabulary

package struct DaemonPlace: Equatable, Sendable {
  package static let systemSocket = "/run/darkroom/io.darkroom"
  /// Folders of the system's daemon, whose socket is elsewhere.
  private static let systemFolders = ["/var/spool/darkroom", "/var/lib/darkroom"]
  /// Before the name of an instance, the folder of its root.
  package static let instances = "/var/lib/darkroom@"

  /// The calls of darkroomctl and of darkroomd for this daemon.
  package let tool: String
  package let daemon: String
  /// The path of its settings file.
  package let settings: String
  /// The command that starts it.
  package let start: String
  /// Its unit in the system's service manager, if it has one.
  package let unit: String?

  package init(socket: String) {
    let end = "/control"
    guard socket != Self.systemSocket else {
      (tool, daemon, unit) = ("darkroomctl", "darkroomd", "darkroom")
      settings = "/etc/darkroom/darkroomd.conf"
      start = "systemctl start darkroom or darkroomd --root DIR"
      return
    }
    guard socket.hasSuffix(end) else {
      (tool, settings, unit) = (
        "darkroomctl --socket \(Self.quoted(socket))", "darkroomd.conf", nil
      )
      (daemon, start) = ("darkroomd", "systemctl start darkroom or darkroomd --root DIR")
      return
    }
    let root = String(socket.dropLast(end.count))
    tool = "darkroomctl --root \(Self.quoted(root))"
    if root.hasPrefix(Self.instances), !root.dropFirst(Self.instances.count).contains("/") {
      let name = root.dropFirst(Self.instances.count)
      settings = "/etc/darkroom/\(name).conf"
      daemon = "darkroomd --root \(Self.quoted(root)) --config \(Self.quoted(settings))"
      let unit = "darkroom@\(name)"
      (self.unit, start) = (unit, "systemctl start \(Self.quoted(unit))")
    } else {
      settings = "\(root)/darkroomd.conf"
      daemon = "darkroomd --root \(Self.quoted(root))"
      (unit, start) = (nil, daemon)
    }
  }

  /// True if a root was given that holds folders of the system's daemon, which answers elsewhere.
  static func isOfSystem(folderOf socket: String) -> Bool {
    systemFolders.contains { socket == "\($0)/control" }
  }

  /// Commands in the words of the daemon and of the tool stand in quotes: they become those for this daemon.
  /// `help` and `check` need no daemon.
  package func hint(_ words: String) -> String {
    words.replacing(/'darkroomctl (?!help|check)/, with: "'\(tool) ")
      .replacing(/'darkroomd --check/, with: "'\(daemon) --check")
  }

  private static func quoted(_ path: String) -> String {
    if isPlain(path) { return path }
    let parts = path.split(separator: "'", omittingEmptySubsequences: false)
    return "'" + parts.map { Printable.text(String($0)) }.joined(separator: #"'\''"#) + "'"
  }

  package static func isPlain(_ word: String) -> Bool {
    let marks = Set("/._-~+,@:".utf8)
    return word.utf8.first != UInt8(ascii: "-")
      && word.utf8.allSatisfy { byte in
        marks.contains(byte) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
          || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
      } && word.utf8.first != UInt8(ascii: "~")
  }
}
