// SPDX-License-Identifier: Apache-2.0
// The lengths of functions, counted by braces: close enough for a rule of thumb.

import Foundation

enum FunctionLengths {
  static func of(_ file: SourceFile) -> [(name: String, length: Int)] {
    var found: [(String, Int)] = []
    let code = file.code
    for (start, line) in code.enumerated() where opensFunction(line) {
      var depth = 0
      var hasOpened = false
      for (place, line) in code[start...].enumerated() {
        for character in line {
          if character == "{" {
            depth += 1
            hasOpened = true
          } else if character == "}" {
            depth -= 1
          }
        }
        if hasOpened, depth <= 0 {
          found.append(
            (line.isEmpty ? "?" : code[start].trimmingCharacters(in: .whitespaces), place + 1))
          break
        }
        // A protocol requirement has no body.
        if !hasOpened, place > 12 { break }
      }
    }
    return found
  }

  private static func opensFunction(_ line: String) -> Bool {
    let words = line.split { " (<".contains($0) }
    return words.contains("func")
      || words.first { !["package", "private", "override", "convenience"].contains($0) } == "init"
  }
}
