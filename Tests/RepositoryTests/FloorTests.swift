// SPDX-License-Identifier: Apache-2.0
// The rooms of the daemon stand on each other in the order of the table in CONTRIBUTING. The compiler keeps the walls
// between modules; here a test keeps the floors inside one.

import Support
import Testing

@Suite struct FloorTests {
  private struct Room {
    var types: Set<String> = []
    /// The words of its code, with the file of each.
    var words: [String: String] = [:]
  }

  private static let files = Repository.sources.filter { $0.target == "darkroomd" }

  /// The folders in the order of the table, the lowest first; the files of no folder stand on all of them.
  private static let floors =
    Repository.text("CONTRIBUTING.md").split(separator: "\n")
    .drop { !$0.hasPrefix("| Folder |") }.dropFirst(2).prefix { $0.hasPrefix("|") }
    .compactMap { $0.firstMatch(of: #/^\| `(\w+)` \|/#).map { String($0.1) } } + [""]

  private static func room(_ file: SourceFile) -> String {
    let parts = file.path.split(separator: "/")
    return parts.count > 3 ? String(parts[2]) : ""
  }

  private static let rooms: [String: Room] = files.reduce(into: [:]) { rooms, file in
    for line in TypeShapes.blanked(file) {
      if let name = line.firstMatch(
        of: #/^(?:\w+ )*(?:struct|class|enum|protocol|actor|typealias) (\w+)/#
      ) {
        rooms[room(file), default: Room()].types.insert(String(name.1))
      }
      for word in line.matches(of: #/\b[A-Z]\w+/#) {
        rooms[room(file), default: Room()].words[String(word.0)] = file.path
      }
    }
  }

  @Test func `CONTRIBUTING has each room of the daemon once`() {
    #expect(Self.floors.count == Set(Self.floors).count)
    #expect(Set(Self.floors) == Set(Self.rooms.keys))
  }

  @Test func `a room of the daemon names only itself and the rooms below`() {
    var found: [String] = []
    for (floor, name) in Self.floors.enumerated() {
      for above in Self.floors.dropFirst(floor + 1) {
        for type in Self.rooms[above]?.types.sorted() ?? [] {
          guard let file = Self.rooms[name]?.words[type] else { continue }
          found.append("\(file): \(type), which is in '\(above)'")
        }
      }
    }
    #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
  }
}
