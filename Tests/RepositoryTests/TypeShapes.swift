// SPDX-License-Identifier: Apache-2.0
// The sizes of types: the properties that each stores, and the files of its module that hold a part of
// it. Counted by braces and first words: close enough for a rule of thumb.

enum TypeShapes {
  struct Shape {
    var stored = 0
    var files: Set<String> = []
  }

  private struct Scope {
    let name: String
    /// The number of open braces around it.
    let depth: Int
  }

  private static let kinds: Set = ["struct", "class", "enum", "actor", "extension"]
  private static let modifiers: Set = [
    "package", "private", "fileprivate", "internal", "final", "indirect", "override", "lazy",
    "weak", "unowned", "unsafe", "private(set)", "package(set)", "nonisolated(unsafe)",
  ]

  /// By module and full name: `System/Linux LinuxFolder`.
  static func of(_ files: [SourceFile]) -> [String: Shape] {
    var shapes: [String: Shape] = [:]
    for file in files { note(file, in: &shapes) }
    return shapes
  }

  private static func note(_ file: SourceFile, in shapes: inout [String: Shape]) {
    var scopes: [Scope] = []
    var depth = 0
    for line in blanked(file) {
      let words = line.split(separator: " ").drop { modifiers.contains("\($0)") || $0.first == "@" }
      if let name = typeName(words) {
        let full = (scopes.last.map { "\($0.name)." } ?? "\(file.target) ") + name
        scopes.append(Scope(name: full, depth: depth))
        shapes[full, default: Shape()].files.insert(file.path)
      } else if let scope = scopes.last, depth == scope.depth + 1 {
        shapes[scope.name]?.stored += storedCount(words)
      }
      for character in line.utf8 {
        if character == UInt8(ascii: "{") { depth += 1 }
        if character != UInt8(ascii: "}") { continue }
        depth -= 1
        if scopes.last?.depth == depth { scopes.removeLast() }
      }
    }
  }

  private static func typeName(_ words: ArraySlice<Substring>) -> String? {
    guard let kind = words.first, kinds.contains("\(kind)"), let name = words.dropFirst().first,
      !["func", "var", "let"].contains(name)
    else { return nil }
    return String(name.prefix { $0.isLetter || $0.isNumber || $0 == "." || $0 == "_" })
  }

  /// 0 if the first brace is not part of a value: the property is computed.
  private static func storedCount(_ words: ArraySlice<Substring>) -> Int {
    guard words.first == "let" || words.first == "var" else { return 0 }
    let rest = words.dropFirst().joined(separator: " ")
    if let brace = rest.firstIndex(of: "{"), !rest[..<brace].contains("=") { return 0 }
    return rest.prefix { $0 != ":" && $0 != "=" }.count { $0 == "," } + 1
  }

  /// The lines without comments and without the contents of strings.
  static func blanked(_ file: SourceFile) -> [String] {
    var isText = false
    return file.lines.map { line in
      if line.contains("\"\"\"") {
        isText.toggle()
        return ""
      }
      return isText ? "" : withoutStrings(line)
    }
  }

  private static func withoutStrings(_ line: String) -> String {
    var kept: [UInt8] = []
    var (isString, isEscaped, wasSlash) = (false, false, false)
    for byte in line.utf8 {
      if byte == UInt8(ascii: "\""), !isEscaped {
        isString.toggle()
      } else if !isString {
        if wasSlash, byte == UInt8(ascii: "/") { break }
        kept.append(byte)
      }
      wasSlash = !isString && byte == UInt8(ascii: "/")
      isEscaped = isString && byte == UInt8(ascii: "\\") && !isEscaped
    }
    return String(decoding: kept, as: UTF8.self)
  }
}
