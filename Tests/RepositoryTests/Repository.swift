// SPDX-License-Identifier: Apache-2.0
// The repository's files as text, for the tests that check its rules.

import Foundation
import Support

struct SourceFile: Sendable, CustomStringConvertible {
  let path: String
  let lines: [String]

  var description: String { path }
  var text: String { lines.joined(separator: "\n") }
  /// The target's folder: `Accept`, `System/Linux`.
  var target: String {
    let parts = path.split(separator: "/").dropLast()
    return parts.dropFirst().prefix(parts.dropFirst().first == "System" ? 2 : 1)
      .joined(separator: "/")
  }

  /// The modules it imports.
  var imports: Set<String> {
    Set(
      lines.compactMap { line in
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(of: "import"), place + 1 < words.count,
          words[..<place].allSatisfy({ $0.hasPrefix("@") || ["package", "internal"].contains($0) })
        else { return nil }
        return String(words.last ?? "").split(separator: ".").first.map(String.init)
      })
  }

  /// Code without comments; strings stay.
  var code: [String] {
    lines.map { line in
      guard let start = line.range(of: "//") else { return line }
      return String(line[..<start.lowerBound])
    }
  }
}

extension Repository {
  static func files(under folder: String, ending: [String]) -> [SourceFile] {
    let base = root.appendingPathComponent(folder)
    let walker = FileManager.default.enumerator(at: base, includingPropertiesForKeys: nil)
    var files: [SourceFile] = []
    while let url = walker?.nextObject() as? URL {
      guard ending.contains(url.pathExtension),
        let text = try? String(contentsOf: url, encoding: .utf8)
      else { continue }
      let path = url.path.replacingOccurrences(of: root.path + "/", with: "")
      files.append(SourceFile(path: path, lines: text.components(separatedBy: "\n")))
    }
    return files.sorted { $0.path < $1.path }
  }

  static let sources = files(under: "Sources", ending: ["swift"])
  static let tests = files(under: "Tests", ending: ["swift"])
  static let shims = files(under: "Sources/System", ending: ["c", "h"])
  static let stages: Set<String> = [
    "Accept", "Catalog", "Chain", "Cluster", "Download", "Filter", "Output", "Present", "Record",
    "Report",
    "Return", "Show",
    "Steer",
  ]
  static let executables: Set<String> = [
    "darkroomd", "darkroom-web", "darkroom-worker", "darkroomctl",
  ]
}
