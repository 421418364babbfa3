// SPDX-License-Identifier: Apache-2.0
// `develop`: filters local pictures in workers, into a folder. A print appears under its name whole and
// durable or not at all; an existing file is replaced only on request, an input never. Several pictures are
// developed at once; prints appear, and are reported, in the order of the pictures.

internal import Linux
internal import Steer
package import Vocabulary

package struct DevelopRun {
  private struct Done {
    let file: String
    let print: String
    let developed: Developed
  }

  /// A print that is durable but not visible yet.
  private struct Draft {
    let print: NewFile
    let developed: Developed
  }

  private let task: DevelopTask
  private let workers: any Workers
  private let width: Int
  private let voice: ToolVoice
  private let isJSON: Bool
  // Limits for one picture. The daemon's settings are not read: it need not be installed.
  package static let maximumPixels: UInt64 = 1_000_000_000
  package static let maximumMemory: UInt64 = 1 << 30
  package static let timeout = Duration.seconds(600)
  /// The most drafts that wait; each holds a descriptor.
  private static let mostDrafts = 256

  /// - Parameter width: how many pictures the workers develop at once.
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
        "Could not open the folder '\(Printable.text(task.folder))': \(error.words)")
      return .failed
    }
    var done: [Done] = []
    var written: Set<String> = []
    var failures: [(file: String, failure: Failure)] = []
    let inputs = task.files.compactMap { try? Surroundings.openNamed($0).status() }
    await eachInOrder(into: folder) { file, result in
      do throws(Failure) {
        let print = try publish(result.get(), of: file, in: folder, inputs, written)
        done.append(print)
        written.insert(print.print)
        if !isJSON { voice.say(line(print)) }
      } catch {
        failures.append((file, error))
        voice.complain(error.code, "Could not develop \(Printable.text(file)): \(error.words)")
      }
    }
    if isJSON { voice.say(report(done, failures)) }
    return failures.isEmpty ? .done : .failed
  }

  /// Runs enough tasks to keep the workers busy. A finished draft waits for earlier pictures, which may be
  /// much larger.
  private func eachInOrder(
    into folder: LinuxFolder, _ act: (String, Result<Draft, Failure>) -> Void
  ) async {
    await withTaskGroup(of: (Int, Result<Draft, Failure>).self) { group in
      var (begun, running) = (0, 0)
      var results: [Int: Result<Draft, Failure>] = [:]
      for (number, file) in task.files.enumerated() {
        while results[number] == nil {
          while running < 2 * width, begun < min(task.files.count, number + Self.mostDrafts) {
            let (next, path) = (begun, task.files[begun])
            group.addTask { (next, await self.result(path, into: folder)) }
            (begun, running) = (begun + 1, running + 1)
          }
          guard let (next, result) = await group.next() else { return }
          results[next] = result
          running -= 1
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
    let print = try asFailure { () throws(SystemError) in try NewFile(in: folder) }
    do throws(Failure) {
      let developed = try await workers.develop(original, into: print.file, developOrder)
      try asFailure { () throws(SystemError) in try print.file.sync() }
      return Draft(print: print, developed: developed)
    } catch {
      print.discard()
      throw error
    }
  }

  private var developOrder: DevelopOrder {
    DevelopOrder(
      owner: ThisProcess.user, serviceClass: .userInitiated, filter: task.filter,
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
          "\(Printable.text(path(of: name))) is already another picture's print",
          advice: "Choose another folder for one of them with -o")
      }
      // Checked before the rename, because --force does not allow this.
      if let there = try? folder.status(of: name),
        inputs.contains(where: { $0.device == there.device && $0.inode == there.inode })
      {
        throw Self.refusal(
          "its print would replace the input \(Printable.text(path(of: name)))",
          advice: "Choose another folder with -o")
      }
      try appear(draft, as: name)
      return Done(file: file, print: path(of: name), developed: draft.developed)
    } catch {
      draft.print.discard()
      throw error
    }
  }

  private func appear(_ draft: Draft, as name: FileName) throws(Failure) {
    do throws(SystemError) {
      try draft.print.appear(as: name, mode: 0o644, replacing: task.isReplacing)
    } catch {
      if error.exists {
        throw Self.refusal(
          "\(Printable.text(path(of: name))) exists",
          advice: "Choose another folder with -o, or use --force")
      }
      throw error.failure
    }
  }

  // MARK: Names

  private static func picture(_ file: String) throws(Failure) -> LinuxFile {
    try asFailure { () throws(SystemError) in
      let picture = try Surroundings.openNamed(file)
      let kind = try picture.status().kind
      if kind == .folder { throw SystemError(.isFolder, call: "open", thing: file) }
      guard kind == .file else { throw SystemError(.invalid, call: "open", thing: file) }
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
      throw refusal("its name cannot be used for a print", advice: "Rename it")
    }
    return name
  }

  /// The path relative to the current folder.
  private func path(of name: FileName) -> String {
    if task.folder == "." { return "\(name)" }
    return task.folder.hasSuffix("/") ? "\(task.folder)\(name)" : "\(task.folder)/\(name)"
  }

  private static func refusal(_ reason: String, advice: String) -> Failure {
    Failure(.final, code: "print.name", reason: reason, advice: advice)
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
