// SPDX-License-Identifier: Apache-2.0
// The whole daemon as a user runs it: the built programs on a fresh root folder, an origin on loopback,
// lists dropped into the inbox, darkroomctl, the journal file read as text. All of it ends with the
// test, even with one that fails. Concurrency model: `programs` guards the started programs; the rest
// is immutable.

import Foundation
import Synchronization

package final class DaemonBench: Sendable {
  /// The settings of most tests: the origin on loopback is allowed, and QuietTime= is short. Every other time
  /// limit is long: the machine may be busy.
  package static let settings = """
    [Inbox]
    QuietTime=250ms
    [Download]
    AllowNetworks=127.0.0.0/8
    StallTimeout=1h
    ConnectTimeout=10min
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
    origin = try await ProgramStarter.shared.get().run {
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

  /// The folder of the built programs: that of the tests, or DARKROOM_BIN.
  package static let programFolder: String = {
    if let named = ProcessInfo.processInfo.environment["DARKROOM_BIN"], !named.isEmpty {
      return named
    }
    let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return own.map { URL(filePath: $0).deletingLastPathComponent().path(percentEncoded: false) }
      ?? ".build/debug"
  }()

  /// True if the programs accept injected faults; those of DARKROOM_BIN may not.
  package static var isDebugBuild: Bool {
    #if DEBUG
      (ProcessInfo.processInfo.environment["DARKROOM_BIN"] ?? "").isEmpty
    #else
      false
    #endif
  }

  package static var isRoot: Bool { geteuid() == 0 }
  /// A user without privileges: `nobody` on most machines.
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

  /// Copies of the programs for other users, since the folder of the programs may be closed to
  /// them, as root's home is.
  private func programsForAnybody() throws -> String {
    let copies = "\(folder.path)/programs"
    let files = FileManager.default
    if files.fileExists(atPath: copies) { return copies }
    try files.createDirectory(atPath: copies, withIntermediateDirectories: false)
    for name in ["darkroomd", "darkroomctl", "darkroom-worker", "darkroom-web"] {
      try files.copyItem(atPath: "\(Self.programFolder)/\(name)", toPath: "\(copies)/\(name)")
    }
    return copies
  }

  /// Starts another program, which ends with the bench.
  package func run(_ arguments: [String], as user: UInt32? = nil) async throws -> RunningProgram {
    let running = try await RunningProgram.start(arguments, as: user)
    programs.withLock { $0.append(running) }
    return running
  }

  /// Runs a script of this repository to its end, with the folder of the programs as argument. Its
  /// files below TMPDIR are removed with the bench.
  package func script(_ path: String) async throws -> ProgramEnd {
    let running = try await RunningProgram.start(
      ["/usr/bin/env", "TMPDIR=\(folder.path)", Repository.path(path), Self.programFolder])
    programs.withLock { $0.append(running) }
    return try await running.end(seconds: 4 * Patience.seconds)
  }

  /// Starts the daemon; returns once it is ready.
  package func start(_ arguments: [String] = [], as user: UInt32? = nil) async throws
    -> RunningProgram
  {
    let daemon = try await launch("darkroomd", ["--root", root] + arguments, as: user)
    try await daemon.says(" is ready: ")
    return daemon
  }

  /// Starts the daemon with the worker that misbehaves on command.
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

  /// Runs the daemon until every list is done.
  package func runUntilIdle(_ arguments: [String] = [], as user: UInt32? = nil) async throws
    -> ProgramEnd
  {
    try await launch("darkroomd", ["--root", root, "--until-idle"] + arguments, as: user).end(
      seconds: 4 * Patience.seconds)
  }

  /// Sends SIGTERM, and waits for the end.
  @discardableResult
  package func stop(_ daemon: RunningProgram) async throws -> ProgramEnd {
    daemon.send(SIGTERM)
    return try await daemon.end()
  }

  package func reload() async throws -> ProgramEnd {
    try await launch("darkroomd", ["--reload", "--root", root]).end()
  }

  package func tool(_ arguments: String..., as user: UInt32? = nil) async throws -> ProgramEnd {
    try await tool(arguments, as: user)
  }

  package func tool(_ arguments: [String], as user: UInt32? = nil) async throws -> ProgramEnd {
    // Longer than the tool's own time-out, so that it says what it waited for.
    try await launch("darkroomctl", ["--root", root] + arguments, as: user).end(
      seconds: Patience.seconds + 60)
  }

  /// Waits until the list is accepted, and then until it is over.
  @discardableResult
  package func wait(for list: String, _ daemon: RunningProgram) async throws -> ProgramEnd {
    try await daemon.says("Accepted list '\(list)'")
    return try await tool("wait", "--timeout", "\(Patience.seconds)s", list)
  }

  /// Gives the folder, and everything in it, to the user.
  package func give(_ folder: String, to user: UInt32) async throws {
    let status = await HelperProcess.status(of: ["chown", "-R", "\(user):\(user)", folder])
    guard status == 0 else { throw ProgramProblem("could not give \(folder) away") }
  }

  // MARK: origin

  /// Serves the same pictures on another host, until it is stopped.
  package func startOtherOrigin() async throws -> Origin {
    try await ProgramStarter.shared.get().run { [folder] in
      try Origin(
        folder: "\(folder.path)/photos", log: "\(folder.path)/other.log", address: "127.0.0.2")
    }
  }

  package func serve(_ bytes: [UInt8], as name: String) throws {
    try folder.write(bytes, to: "photos/\(name)")
  }

  /// Serves small pictures, `1.jpg` and so on; returns their URLs.
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

  /// The control socket is the group's; the strangers of tests are in no group.
  package func letAllUsersCall() throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o666], ofItemAtPath: "\(root)/control")
  }

  /// The names in a folder below the root, in order; none if the folder is missing. Leaves out the mark in
  /// `done` that tells the highest number of a list, and among prints the mark of the folder, the contact sheet and its
  /// thumbnails.
  package func names(_ path: String) -> [String] {
    all(path).filter { path != "done" || !$0.hasPrefix(".darkroom-") }
      .filter { path != "prints" || $0 != ".daemon" }
      .filter { !path.hasPrefix("prints/") || !Self.isOfSheet($0) }
  }

  /// Pages may be written at any time, under hidden names first.
  private static func isOfSheet(_ name: String) -> Bool {
    name == ".sheet" || name == ".list" || name.hasSuffix(".html")
      || name.hasPrefix(".") && name.contains("-page")
  }

  /// All names in a folder below the root, in order; none if the folder is missing.
  package func all(_ path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(path)")) ?? []).sorted()
  }

  /// The lists in done, without their results.
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

  /// 0 for a missing file: a running daemon may remove its files between two looks.
  package func size(_ path: String) -> Int {
    let facts = try? FileManager.default.attributesOfItem(atPath: "\(root)/\(path)")
    return (facts?[.size] as? NSNumber)?.intValue ?? 0
  }

  /// Drops a list under its name in one step, as `mv` does.
  package func drop(_ list: [UInt8], as name: String) async throws {
    try folder.write(list, to: "root/arriving/\(name)")
    try await arrive(name)
  }

  private func arrive(_ name: String) async throws {
    let files = FileManager.default
    try files.createDirectory(atPath: "\(root)/inbox", withIntermediateDirectories: true)
    // An earlier list of this name may still be in the inbox.
    try await until("\(name) is out of the inbox") {
      !files.fileExists(atPath: "\(root)/inbox/\(name)")
    }
    try files.moveItem(
      atPath: "\(root)/arriving/\(name)", toPath: "\(root)/inbox/\(name)")
  }

  package func drop(_ photos: [(String, String)], as name: String) async throws {
    try await drop(PhotoListText.dictionary(photos), as: name)
  }

  /// The same, as another user.
  package func dropForeign(_ photos: [(String, String)], as name: String) async throws {
    try await dropForeign(PhotoListText.dictionary(photos), as: name)
  }

  package func dropForeign(_ list: [UInt8], as name: String) async throws {
    try folder.write(list, to: "root/arriving/\(name)")
    try await give("\(root)/arriving/\(name)", to: Self.stranger)
    try await arrive(name)
  }

  package var journal: [WrittenRecord] { WrittenRecord.read("\(root)/state/journal") }

  /// The words of the programs and the newest records, for the message of a failed test.
  private var told: String {
    let said = programs.withLock { $0 }.map { "\($0.name) \($0.pid): \($0.errors.suffix(2000))" }
    return (said + journal.suffix(30).map(\.text)).joined(separator: "\n")
  }

  /// Repeats the condition until it holds; throws if it does not in time.
  package func until(_ what: String, _ holds: () async throws -> Bool) async throws {
    guard try await Patience.sees(holds) else {
      throw ProgramProblem("it never came: \(what)\n\(told)")
    }
  }
}
