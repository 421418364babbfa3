// SPDX-License-Identifier: Apache-2.0
// The whole daemon as a user runs it: the built programs on a fresh root folder, an origin on loopback,
// lists dropped into the inbox, darkroomctl, the journal file read as text. Nothing of it is left when
// the test is over, however that ends.
// Concurrency model: `programs` guards what was started; the rest is immutable.

import Foundation
import Synchronization

package final class DaemonBench: Sendable {
  /// What most tests run with: this machine's origin may be reached, and doubt is short.
  package static let settings = """
    [Inbox]
    QuietTime=250ms
    [Download]
    AllowNetworks=127.0.0.0/8
    StallTimeout=1h
    [Filter]
    Workers=2

    """

  package let folder: FreshFolder
  package let origin: Origin
  private let network: LoneNetwork?
  private let programs = Mutex<[RunningProgram]>([])

  package var root: String { "\(folder.path)/root" }
  private var log: String { "\(folder.path)/origin.log" }

  private init(_ settings: String, _ network: LoneNetwork?) async throws {
    let folder = try FreshFolder()
    try folder.write(Array(settings.utf8), to: "root/darkroomd.conf")
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/photos", withIntermediateDirectories: false)
    self.folder = folder
    self.network = network
    origin = try await ProgramStarter.shared.run {
      try Origin(
        folder: "\(folder.path)/photos", log: "\(folder.path)/origin.log",
        entry: network?.entry ?? [])
    }
  }

  package static func use(
    settings: String = DaemonBench.settings, in network: LoneNetwork? = nil,
    _ body: (DaemonBench) async throws -> Void
  ) async throws {
    await BenchPlaces.shared.take()
    defer { BenchPlaces.shared.give() }
    let bench = try await DaemonBench(settings, network)
    do {
      try await body(bench)
      await bench.close()
    } catch {
      await bench.close()
      throw error
    }
  }

  private func close() async {
    for program in programs.withLock({ $0 }) { await program.cut() }
    origin.stop()
  }

  // MARK: programs

  /// Where the built programs lie: beside the tests, or where DARKROOM_BIN says.
  package static let programFolder: String = {
    if let named = ProcessInfo.processInfo.environment["DARKROOM_BIN"], !named.isEmpty {
      return named
    }
    let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return own.map { URL(filePath: $0).deletingLastPathComponent().path(percentEncoded: false) }
      ?? ".build/debug"
  }()

  package static var isRoot: Bool { geteuid() == 0 }
  /// Somebody without rights: nobody, on most machines.
  package static let stranger: UInt32 = 65534

  package func launch(
    _ program: String, _ arguments: [String], as user: UInt32? = nil, from folder: String? = nil,
    through wrapper: [String] = [], environment: [String: String] = [:]
  ) async throws -> RunningProgram {
    let ours = user == nil ? Self.programFolder : try programsForAnybody()
    let path = URL(filePath: folder ?? ours).appending(path: program)
    let running = try await RunningProgram.start(
      wrapper + (network?.entry ?? []) + [path.path(percentEncoded: false)] + arguments, as: user,
      environment: environment)
    programs.withLock { $0.append(running) }
    return running
  }

  /// Where the programs lie may be closed to others, such as root's home: they get copies.
  private func programsForAnybody() throws -> String {
    let copies = "\(folder.path)/programs"
    let files = FileManager.default
    if files.fileExists(atPath: copies) { return copies }
    try files.createDirectory(atPath: copies, withIntermediateDirectories: false)
    for name in ["darkroomd", "darkroomctl", "darkroom-worker"] {
      try files.copyItem(atPath: "\(Self.programFolder)/\(name)", toPath: "\(copies)/\(name)")
    }
    return copies
  }

  /// Another program, which ends with the bench.
  package func run(_ arguments: [String]) async throws -> RunningProgram {
    let running = try await RunningProgram.start(arguments)
    programs.withLock { $0.append(running) }
    return running
  }

  /// A script of this repository, given the folder of the programs, until its end. What it makes below
  /// TMPDIR goes with the bench.
  package func script(_ path: String) async throws -> ProgramEnd {
    let repository = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let script = repository.appending(path: path).path(percentEncoded: false)
    let running = try await RunningProgram.start(
      ["/usr/bin/env", "TMPDIR=\(folder.path)", script, Self.programFolder])
    programs.withLock { $0.append(running) }
    return try await running.end(seconds: 300)
  }

  /// The daemon, once it answers.
  package func start(_ arguments: [String] = [], as user: UInt32? = nil) async throws
    -> RunningProgram
  {
    let daemon = try await launch("darkroomd", ["--root", root] + arguments, as: user)
    try await daemon.says(" is ready: ")
    return daemon
  }

  /// The daemon with the worker that misbehaves when it is told to.
  package func startWithTestWorker(_ arguments: [String] = []) async throws -> RunningProgram {
    let bin = "\(folder.path)/bin"
    let files = FileManager.default
    if !files.fileExists(atPath: bin) {
      try files.createDirectory(atPath: bin, withIntermediateDirectories: false)
      for (program, name) in [
        ("darkroomd", "darkroomd"), ("darkroom-test-worker", "darkroom-worker"),
      ] { try files.copyItem(atPath: "\(Self.programFolder)/\(program)", toPath: "\(bin)/\(name)") }
    }
    return try await launch("darkroomd", ["--root", root] + arguments, from: bin)
  }

  /// The daemon until everything is done.
  package func runUntilIdle(_ arguments: [String] = [], as user: UInt32? = nil) async throws
    -> ProgramEnd
  {
    try await launch("darkroomd", ["--root", root, "--until-idle"] + arguments, as: user).end(
      seconds: 600)
  }

  /// SIGTERM, and its end.
  @discardableResult
  package func stop(_ daemon: RunningProgram) async throws -> ProgramEnd {
    daemon.send(SIGTERM)
    return try await daemon.end()
  }

  package func reload() async throws -> ProgramEnd {
    try await launch("darkroomd", ["--reload", "--root", root]).end()
  }

  package func tool(_ arguments: String..., as user: UInt32? = nil) async throws -> ProgramEnd {
    // Longer than it is told to wait itself: then it says what for.
    try await launch("darkroomctl", ["--root", root] + arguments, as: user).end(
      seconds: Patience.seconds + 60)
  }

  /// The list has been accepted and is over when this returns.
  @discardableResult
  package func wait(for list: String, _ daemon: RunningProgram) async throws -> ProgramEnd {
    try await daemon.says("Accepted list '\(list)'")
    return try await tool("wait", "--timeout", "\(Patience.seconds)s", list)
  }

  /// All of the folder belongs to the user from now on.
  package func give(_ folder: String, to user: UInt32) async throws {
    let status = await HelperProcess.status(of: ["chown", "-R", "\(user):\(user)", folder])
    guard status == 0 else { throw ProgramProblem("could not give \(folder) away") }
  }

  // MARK: origin

  package func serve(_ bytes: [UInt8], as name: String) throws {
    try folder.write(bytes, to: "photos/\(name)")
  }

  /// Small pictures `1.jpg` and so on; their URLs.
  package func serveSamples(_ count: Int, kind: String = "jpg") throws -> [String] {
    try (1...count).map { number in
      let seed = UInt32(number)
      try serve(
        kind == "png"
          ? SamplePictures.png(width: 24, height: 16, seed: seed)
          : SamplePictures.jpeg(width: 24, height: 16, seed: seed), as: "\(number).\(kind)")
      return origin.url("/\(number).\(kind)")
    }
  }

  // MARK: files below the root

  package func settings(_ text: String) throws {
    try folder.write(Array(text.utf8), to: "root/darkroomd.conf")
  }

  package func bytes(_ path: String) -> [UInt8]? { folder.bytes(of: "root/\(path)") }

  package func text(_ path: String) -> String? {
    bytes(path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// What lies in a folder below the root, in order; nothing where there is none.
  package func names(_ path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(path)")) ?? []).sorted()
  }

  /// The lists in done, without what lies beside them.
  package var copies: [String] {
    names("done").filter { !$0.hasPrefix(".") && !$0.hasSuffix(".result.plist") }
  }

  /// The permission bits.
  package func mode(_ path: String) throws -> Int {
    let facts = try FileManager.default.attributesOfItem(atPath: "\(root)/\(path)")
    return (facts[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }

  package func inode(_ path: String) throws -> Int {
    let facts = try FileManager.default.attributesOfItem(atPath: "\(root)/\(path)")
    return (facts[.systemFileNumber] as? NSNumber)?.intValue ?? -1
  }

  /// 0 for what is not there: what a running daemon works with may go between two looks.
  package func size(_ path: String) -> Int {
    let facts = try? FileManager.default.attributesOfItem(atPath: "\(root)/\(path)")
    return (facts?[.size] as? NSNumber)?.intValue ?? 0
  }

  /// Puts a list under its name in one step, as `mv` does.
  package func drop(_ list: [UInt8], as name: String) async throws {
    try folder.write(list, to: "root/arriving/\(name)")
    try await arrive(name)
  }

  private func arrive(_ name: String) async throws {
    let files = FileManager.default
    try files.createDirectory(atPath: "\(root)/inbox", withIntermediateDirectories: true)
    // The one before may be on its way still.
    try await until("\(name) is out of the inbox") {
      !files.fileExists(atPath: "\(root)/inbox/\(name)")
    }
    try files.moveItem(
      atPath: "\(root)/arriving/\(name)", toPath: "\(root)/inbox/\(name)")
  }

  package func drop(_ photos: [(String, String)], as name: String) async throws {
    try await drop(PhotoListText.dictionary(photos), as: name)
  }

  /// The same, by another user.
  package func dropForeign(_ photos: [(String, String)], as name: String) async throws {
    try folder.write(PhotoListText.dictionary(photos), to: "root/arriving/\(name)")
    try await give("\(root)/arriving/\(name)", to: Self.stranger)
    try await arrive(name)
  }

  package var journal: [WrittenRecord] { WrittenRecord.read("\(root)/state/journal") }

  /// What the programs said and what is recorded, for whoever reads of a failed test.
  private var told: String {
    let said = programs.withLock { $0 }.map { "\($0.name) \($0.pid): \($0.errors.suffix(2000))" }
    return (said + journal.suffix(30).map(\.text)).joined(separator: "\n")
  }

  /// Looks again and again until it holds.
  package func until(_ what: String, _ holds: () async throws -> Bool) async throws {
    guard try await Patience.sees(holds) else {
      throw ProgramProblem("it never came: \(what)\n\(told)")
    }
  }
}
