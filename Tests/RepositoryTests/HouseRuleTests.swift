// SPDX-License-Identifier: Apache-2.0
// The rules of the house, checked: imports, the edge, lengths, words.

import Foundation
import Support
import Testing

@Suite struct HouseRuleTests {
  private func offenders(
    _ files: [SourceFile], _ test: (SourceFile) -> [String]
  ) -> [String] {
    files.flatMap { file in test(file).map { "\(file.path): \($0)" } }
  }

  @Test func `no stage imports a stage`() {
    let found = offenders(Repository.sources.filter { Repository.stages.contains($0.target) }) {
      file in
      file.imports.intersection(Repository.stages).subtracting([file.target]).sorted()
    }
    #expect(found.isEmpty, "\(found)")
    #expect(Repository.sources.count > 100)
  }

  @Test func `only the edge imports C and the C library, and says unsafe`() {
    let outside = Repository.sources.filter { !$0.target.hasPrefix("System/") }
    let found = offenders(outside) { file in
      let modules = file.imports.filter {
        $0 == "Glibc" || ($0.hasPrefix("C") && $0.dropFirst().first?.isUppercase == true)
      }
      let words = file.code.filter { line in
        line.split { !$0.isLetter && $0 != "_" }.contains { $0 == "unsafe" }
      }
      return modules.sorted() + words
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `Vocabulary imports nothing, and the edge imports no stage`() {
    let found = offenders(Repository.sources) { file in
      switch file.target {
      case "Vocabulary": file.imports.sorted()
      case let target where target.hasPrefix("System/"):
        file.imports.intersection(Repository.stages).sorted()
      default: []
      }
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `Foundation is imported where operations live, and nowhere else`() {
    let found = offenders(
      Repository.sources.filter { !["Chain", "System/Queues"].contains($0.target) }
    ) { file in
      file.imports.filter { $0.hasPrefix("Foundation") }.sorted()
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test
  func `no cleaning of a service removes settings, and that of an instance nothing of others`() {
    let units = Repository.files(under: "systemd", ending: ["service"])
    let found = offenders(units) { unit in
      let isInstance = unit.path.hasSuffix("@.service")
      return unit.text.split(separator: "\n").map(String.init).filter { line in
        let key = line.prefix { $0 != "=" }
        return key == "ConfigurationDirectory"
          || isInstance && key.hasSuffix("Directory") && !line.contains("%i")
      }
    }
    #expect(found.isEmpty && units.count > 5, "\(found)")
  }

  @Test func `advice is a sentence without its full stop, which is added where it is shown`() {
    let found = offenders(Repository.sources) { file in
      let pattern = #/[aA]dvice(?: =|:)[^"\n]*(?:\n *\??  *)?"(?<text>[^"\n]*)"(?<more>\n *\+)?/#
      return file.code.joined(separator: "\n").matches(of: pattern).compactMap { match in
        let isSentence = match.text.first.map { !$0.isLowercase } ?? true
        let isEnded = match.more == nil && match.text.hasSuffix(".")
        return isSentence && !isEnded ? nil : String(match.text)
      }
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `decisions use the names of kernel errors, never their numbers`() {
    let found = offenders(Repository.sources) { file in
      if file.path.contains("/SystemError") { return [] }
      return file.code.filter { line in
        line.contains(#/\.code [=!]= -?\d|SystemError\(code: \d|"system\.\d/#)
      }
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `no photo is new because nothing is known of it`() {
    let found = offenders(Repository.sources) { file in
      file.code.filter { Self.isGuess($0) }
    }
    #expect(found.isEmpty, "\(found)")
    for line in [
      "a ?? .new", "a ?? PhotoState.new", "a ?? .known(.new)", "a ?? PhotoStanding.known(.new)",
      "a ?? PhotoStanding(state: .new)", "all[list, default: .new]", "b[a, default: .known(.new)]",
      "default: .new", "default: return .new",
    ] { #expect(Self.isGuess(line), "\(line)") }
    for line in ["a ?? .newest", "case .new: .new", "default: .news"] {
      #expect(!Self.isGuess(line), "\(line)")
    }
  }

  /// A line that takes what is not known for new.
  private static func isGuess(_ line: String) -> Bool {
    let known = #/(\?\?|\bdefault:( return)?) *[A-Za-z]*(\.known)?(\((state: )?)?[A-Za-z]*\.new\b/#
    return line.contains(known)
  }

  @Test func `unchecked Sendable stands once, with its reason, and covers no stored var`() {
    let holders = Repository.sources.filter { $0.code.contains { $0.contains("@unchecked") } }
    #expect(holders.map(\.path) == ["Sources/Chain/StageOperation.swift"])
    for file in holders {
      let places = file.lines.indices.filter { file.code[$0].contains("@unchecked") }
      #expect(places.count == 1)
      for place in places {
        #expect(file.lines[place + 1].trimmingCharacters(in: .whitespaces).hasPrefix("//"))
      }
      let stored = file.code.filter { line in
        line.contains("var ") && line.hasPrefix("  ") && !line.hasPrefix("   ")
          && !line.contains("{")
      }
      #expect(stored.isEmpty, "a stored var in an unchecked class: \(stored)")
    }
    let subclasses = Repository.sources.filter {
      $0.code.contains { $0.contains("class ") && $0.contains(": Operation") }
    }
    #expect(subclasses.map(\.path) == ["Sources/Chain/StageOperation.swift"])
  }

  @Test func `every nonisolated(unsafe) says why on the next line`() {
    let found = offenders(Repository.sources) { file in
      file.lines.indices.filter { file.code[$0].contains("nonisolated(unsafe)") }
        .filter { !file.lines[$0 + 1].trimmingCharacters(in: .whitespaces).hasPrefix("//") }
        .map { "line \($0 + 1)" }
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `files and functions stay short`() {
    let files = offenders(Repository.sources + Repository.shims) { file in
      file.lines.count > 500 ? ["\(file.lines.count) lines"] : []
    }
    #expect(files.isEmpty, "\(files)")
    let functions = offenders(Repository.sources) { file in
      FunctionLengths.of(file).filter { $0.length > 70 }.map { "\($0.name) has \($0.length) lines" }
    }
    #expect(functions.isEmpty, "\(functions)")
    let all = Repository.sources.flatMap { FunctionLengths.of($0).map(\.length) }.sorted()
    #expect(all.count > 500 && all[all.count / 2] < 10, "median \(all[all.count / 2])")
  }

  @Test func `no type has more than 15 stored properties, or lies in more than 4 files`() {
    let shapes = TypeShapes.of(Repository.sources)
    let large = shapes.filter { $0.value.stored > 15 || $0.value.files.count > 4 }
    #expect(large.isEmpty, "\(large.mapValues { "\($0.stored) \($0.files)" })")
    #expect(shapes.count > 500 && shapes.values.contains { $0.stored > 10 })
  }

  @Test func `every file opens with its licence`() {
    let found = offenders(Repository.sources + Repository.tests + Repository.shims) { file in
      let start = file.lines.first?.hasPrefix("// swift-tools") == true ? 1 : 0
      guard file.lines.indices.contains(start),
        file.lines[start] == "// SPDX-License-Identifier: Apache-2.0"
      else { return ["no licence line"] }
      return []
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `no module holds a type of the module's name`() {
    let kinds = ["struct", "class", "enum", "protocol", "actor"]
    let found = offenders(Repository.sources) { file in
      let name = file.target.split(separator: "/").last.map(String.init) ?? ""
      // A nested type is distinguished by its outer one.
      return file.code.filter { !$0.hasPrefix(" ") }.filter { line in
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
        return zip(words, words.dropFirst()).contains { kinds.contains($0) && $1 == name }
      }
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `types are not called Manager, Helper, Util or Handler`() {
    let kinds = ["struct ", "class ", "enum ", "actor "]
    let found = offenders(Repository.sources) { file in
      file.code.filter { line in
        kinds.contains { line.contains($0) }
          && ["Manager", "Helper", "Util", "Handler"].contains { suffix in
            line.split { !$0.isLetter && !$0.isNumber }.contains { $0.hasSuffix(suffix) }
          } && !line.contains("func ") && !line.contains(": any")
      }
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `no file has a mark of unfinished work`() {
    let words = ["TO" + "DO", "FIX" + "ME", "X" + "XX", "for n" + "ow", "not yet impl" + "emented"]
    let found = offenders(Repository.sources + Repository.tests + Repository.shims) { file in
      words.filter { file.text.contains($0) }
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `Sources holds the stages in order, and the top folder only agreed files`() throws {
    let listing = try FileManager.default.contentsOfDirectory(
      atPath: Repository.root.appendingPathComponent("Sources").path
    ).sorted()
    let expected = Repository.stages.union(Repository.executables)
      .union(["System", "Vocabulary"]).sorted()
    #expect(listing == expected)
    let top = try FileManager.default.contentsOfDirectory(atPath: Repository.root.path)
    let agreed: Set = [
      "Package.swift", "Sources", "Tests", "systemd", "etc", "README.md", "Makefile", ".ci",
      ".gitignore", ".swift-format", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "man",
      "Benchmarks", ".git", ".build", ".run", ".github", "SECURITY.md", "debian",
    ]
    #expect(Set(top).subtracting(agreed).isEmpty)
  }

  @Test func `no file names a path of one machine`() {
    let places = ["/wo" + "rk/", "/fa" + "rm/", "/ro" + "ot/"]
    let files =
      Repository.sources + Repository.tests
      + Repository.files(under: "systemd", ending: ["service", "sysusers", "tmpfiles", "catalog"])
      + Repository.files(under: "etc", ending: ["conf", "plist", "sh"])
      + Repository.files(under: "man", ending: ["1", "5", "7", "8"])
    let found = offenders(files) { file in places.filter { file.text.contains($0) } }
    #expect(found.isEmpty, "\(found)")
  }
}
