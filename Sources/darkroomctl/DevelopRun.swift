// SPDX-License-Identifier: Apache-2.0
// `develop`: local pictures through workers into a folder. A print appears under its name whole and
// durable or not at all; what exists is replaced only when told, an input never. Several are developed at
// once; they get their names, and are told of, in the order of the pictures.

internal import Linux
internal import Steer
package import Vocabulary

package struct DevelopRun {
  private struct Done {
    let file: String
    let print: String
    let developed: Developed
  }

  /// Durable, under a name that nobody looks at.
  private struct Draft {
    let temporary: FileName
    let developed: Developed
  }

  private let task: DevelopTask
  private let workers: any Workers
  private let width: Int
  private let voice: ToolVoice
  private let isJSON: Bool
  /// What one picture may take. The daemon's settings are not read: it need not be there.
  package static let maximumPixels: UInt64 = 1_000_000_000
  package static let maximumMemory: UInt64 = 1 << 30
  package static let timeout = Duration.seconds(600)

  /// - Parameter width: how many pictures the workers take at once.
  package init(
    task: DevelopTask, workers: any Workers, width: Int = 1, voice: ToolVoice, isJSON: Bool
  ) {
    self.task = task
    self.workers = workers
    self.width = width
    self.voice = voice.speaking(json: isJSON)
    self.isJSON = isJSON
  }

  package func run() async -> ExitCode {
    let folder: LinuxFolder
    do throws(SystemError) { folder = try LinuxFolder.open(path: task.folder) } catch {
      voice.complain(
        error.failure.code,
        "Could not open the folder '\(Printable.text(task.folder))': \(error)")
      return .failed
    }
    var done: [Done] = []
    var failures: [(file: String, failure: Failure)] = []
    let inputs = task.files.compactMap { try? Surroundings.openNamed($0).status() }
    await eachInOrder(into: folder) { file, result in
      do throws(Failure) {
        let written = Set(done.map(\.print))
        let print = try publish(result.get(), of: file, in: folder, inputs, written)
        done.append(print)
        if !isJSON { voice.say(line(print)) }
      } catch {
        failures.append((file, error))
        let advice = error.advice.isEmpty ? "" : "; \(error.advice)"
        voice.complain(
          error.code, "Could not develop \(Printable.text(file)): \(error.reason)\(advice)")
      }
    }
    if isJSON { voice.say(report(done, failures)) }
    return failures.isEmpty ? .done : .failed
  }

  /// So many are on their way at once that a worker never waits for an earlier, larger picture for long.
  private func eachInOrder(
    into folder: LinuxFolder, _ act: (String, Result<Draft, Failure>) -> Void
  ) async {
    await withTaskGroup(of: (Int, Result<Draft, Failure>).self) { group in
      var begun = 0
      var results: [Int: Result<Draft, Failure>] = [:]
      for (number, file) in task.files.enumerated() {
        while begun < min(task.files.count, number + 2 * width) {
          let (next, path) = (begun, task.files[begun])
          group.addTask { (next, await self.result(path, into: folder)) }
          begun += 1
        }
        while results[number] == nil, let (next, result) = await group.next() {
          results[next] = result
        }
        if let result = results.removeValue(forKey: number) { act(file, result) }
      }
    }
  }

  private func result(_ file: String, into folder: LinuxFolder) async -> Result<Draft, Failure> {
    do throws(Failure) { return .success(try await develop(file, into: folder)) } catch {
      return .failure(error)
    }
  }

  private func develop(_ file: String, into folder: LinuxFolder) async throws(Failure) -> Draft {
    let original = try Self.picture(file)
    let temporary = try Self.temporaryName()
    do throws(Failure) {
      let print = try Self.system { () throws(SystemError) in
        try folder.openFile(temporary, .create)
      }
      let developed = try await workers.develop(original, into: print, developOrder)
      try Self.system { () throws(SystemError) in
        try folder.setMode(0o644, of: temporary)
        try print.sync()
      }
      return Draft(temporary: temporary, developed: developed)
    } catch {
      try? folder.removeIfThere(temporary)
      throw error
    }
  }

  private var developOrder: DevelopOrder {
    DevelopOrder(
      list: ListID(0), serviceClass: .userInitiated, filter: task.filter,
      quality: task.quality, metadata: task.metadata,
      maximumPixels: Self.maximumPixels, maximumMemory: Self.maximumMemory, timeout: Self.timeout)
  }

  private func publish(
    _ draft: Draft, of file: String, in folder: LinuxFolder, _ inputs: [FileStatus],
    _ written: Set<String>
  ) throws(Failure) -> Done {
    do throws(Failure) {
      let name = try Self.printName(file, draft.developed.format)
      if written.contains(path(of: name)) {
        throw Self.refusal(
          "another picture's print is \(Printable.text(path(of: name)))",
          "choose another folder for one of them with -o")
      }
      // Before it matters whether it may be replaced: --force would not help.
      if let there = try? folder.status(of: name),
        inputs.contains(where: { $0.device == there.device && $0.inode == there.inode })
      {
        throw Self.refusal(
          "its print would replace \(Printable.text(path(of: name))), an input",
          "choose another folder with -o")
      }
      try rename(draft.temporary, to: name, in: folder)
      return Done(file: file, print: path(of: name), developed: draft.developed)
    } catch {
      try? folder.removeIfThere(draft.temporary)
      throw error
    }
  }

  private func rename(
    _ temporary: FileName, to name: FileName, in folder: LinuxFolder
  ) throws(Failure) {
    do throws(SystemError) {
      try folder.rename(temporary, to: folder, as: name, replacing: task.isReplacing)
      try folder.sync()
    } catch {
      if error.exists {
        throw Self.refusal(
          "\(Printable.text(path(of: name))) exists",
          "choose another folder with -o, or --force")
      }
      throw error.failure
    }
  }

  // MARK: Names

  private static func picture(_ file: String) throws(Failure) -> LinuxFile {
    try system { () throws(SystemError) in
      let picture = try Surroundings.openNamed(file)
      let kind = try picture.status().kind
      if kind == .folder { throw SystemError(code: 21, call: "open", thing: file) }
      guard kind == .file else { throw SystemError(code: 22, call: "open", thing: file) }
      return picture
    }
  }

  /// The picture's name with the print's extension.
  package static func printName(_ file: String, _ format: PictureFormat) throws(Failure)
    -> FileName
  {
    let last = file.utf8.split(separator: UInt8(ascii: "/")).last.map { Array($0) } ?? []
    let dot = last.lastIndex(of: UInt8(ascii: ".")) ?? 0
    let stem = dot > 0 ? last[..<dot] : last[...]
    guard let name = FileName(bytes: stem + Array(".\(format.fileExtension)".utf8)) else {
      throw refusal("its name cannot be a print's", "rename it")
    }
    return name
  }

  /// As a shell in the current folder would write it.
  private func path(of name: FileName) -> String {
    if task.folder == "." { return "\(name)" }
    return task.folder.hasSuffix("/") ? "\(task.folder)\(name)" : "\(task.folder)/\(name)"
  }

  private static func temporaryName() throws(Failure) -> FileName {
    let bytes = try system { () throws(SystemError) in try ThisProcess.randomBytes(8) }
    let number = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard let name = FileName(".darkroom-\(String(number, radix: 36)).part") else {
      preconditionFailure("a number is a name")
    }
    return name
  }

  private static func refusal(_ reason: String, _ advice: String) -> Failure {
    Failure(.final, code: "print.name", reason: reason, advice: advice)
  }

  private static func system<Value: ~Copyable>(_ body: () throws(SystemError) -> Value)
    throws(Failure) -> Value
  {
    do throws(SystemError) { return try body() } catch { throw error.failure }
  }

  // MARK: Words

  private func line(_ done: Done) -> String {
    let (file, developed) = (Printable.text(done.file), done.developed)
    guard voice.screen.isTerminal else {
      return TextTable.plain([
        file, done.print, "\(developed.size)", "\(developed.width)", "\(developed.height)",
        developed.notices.names.joined(separator: ","),
      ])
    }
    return "\(file) → \(done.print), \(developed.width)×\(developed.height), "
      + Amounts.bytes(developed.size)
      + (developed.notices.isEmpty ? "" : ", without \(developed.notices.words)") + "\n"
  }

  private func report(_ done: [Done], _ failures: [(file: String, failure: Failure)]) -> JSONValue {
    [
      "prints": .array(
        done.map {
          [
            "file": .string($0.file), "print": .string($0.print),
            "bytes": .count($0.developed.size), "width": .count($0.developed.width),
            "height": .count($0.developed.height),
            "notices": .array($0.developed.notices.names.map { .string($0) }),
          ]
        }),
      "failures": .array(
        failures.map {
          [
            "file": .string($0.file), "code": .string($0.failure.code),
            "reason": .string($0.failure.reason),
          ]
        }),
    ]
  }
}
