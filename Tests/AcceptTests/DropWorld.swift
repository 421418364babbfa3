// SPDX-License-Identifier: Apache-2.0
// A folder, its users and its kernel as values, to drive the inbox's state machine.

import Linux
import Vocabulary

@testable import Accept

struct DropWorld {
  /// `shared`: granted, but they prove nothing, since other machines write behind this kernel.
  enum Leases: Sendable { case work, missing, forbidden, shared }

  enum Act: Sendable {
    /// Begins a file and holds it open.
    case create(String)
    /// With whether the list is whole afterwards.
    case write(String, Bool)
    case move(String, Bool)
    case hold(String)
    case close(String)
    case closeQuietly(String)
    case touch(String)
    case rename(String, String)
    case delete(String)
    case forbid(String)
    case allow(String)
    case other(String, FileStatus.Kind)
    case diskFull(Bool)
    case nothing
  }

  struct File {
    var version: Int
    var isWhole = false
    var hasWriter = false
    var isReadable = true
    var kind: FileStatus.Kind = .file
  }

  private var files: [String: File] = [:]
  private var state = InboxState(InboxSettings())
  private var isDiskFull = false
  private var versions = 0
  private let leases: Leases
  private var log: [String] = []
  /// Attempts at a file that has a writer, although a lease would have shown it. Must stay empty.
  private(set) var violations: [String] = []

  /// Files left at the end that the state machine neither waits for nor ignores.
  var forgotten: [String] {
    files.keys.filter { name in
      guard let file = FileName(name) else { return true }
      return state.waiting[Candidate.Key(file)] == nil && state.ignored[file] == nil
    }.sorted()
  }

  /// Files left at the end although nothing prevents taking them.
  var overdue: [String] {
    files.filter { name, file in
      file.kind == .file && file.isReadable && !file.hasWriter && name.hasSuffix(".plist")
        && !name.hasPrefix(".")
    }.keys.sorted()
  }

  init(_ leases: Leases) {
    self.leases = leases
    if leases == .shared {
      let nfs = FileSystemKind(name: "NFS", isShared: true)
      state.nature = InboxNature(fileSystem: nfs, hasLeases: true)
    }
  }

  static func entry(
    _ name: String, version: Int, kind: FileStatus.Kind = .file, owner: UInt32 = 1000
  ) -> InboxState.Entry {
    let status = FileStatus(
      kind: kind, device: 1, inode: 1, size: UInt64(version), owner: owner, mode: 0o644,
      modified: Int64(version), changed: Int64(version))
    return InboxState.Entry(
      Candidate.Key(FileName(name) ?? FileName(number: 0)), status)
  }

  /// Plays the acts, with a sweep after each that rings and whenever the state machine asks for a
  /// look.
  mutating func run(_ acts: [(at: Int, act: Act)]) -> [String] {
    var acts = acts[...]
    var now = 0
    while true {
      var rings = false
      while let next = acts.first, next.at <= now {
        acts.removeFirst()
        apply(next.act)
        if case .closeQuietly = next.act {} else { rings = true }
      }
      let look = state.nextLook(at: .milliseconds(now))
      if rings || look == .zero { sweep(now) }
      let due = state.nextLook(at: .milliseconds(now)).map { now + Int($0.milliseconds) }
      guard let next = [acts.first?.at, due].compactMap({ $0 }).min(), next < 4_000_000 else {
        break
      }
      if acts.isEmpty, files.values.contains(where: \.hasWriter) { break }
      now = next
    }
    return log
  }

  private mutating func sweep(_ now: Int) {
    let time = Duration.milliseconds(now)
    let entries = files.sorted { $0.key < $1.key }
      .map { Self.entry($0.key, version: $0.value.version, kind: $0.value.kind) }
    for action in state.swept(entries, at: time) {
      var next: InboxState.Action? = action
      while let action = next { next = answer(action, now, time).first }
    }
  }

  private mutating func answer(
    _ action: InboxState.Action, _ now: Int, _ time: Duration
  ) -> [InboxState.Action] {
    switch action {
    case .probe(let candidate):
      return state.probed(candidate.key, probe("\(candidate.name)"), at: time)
    case .attempt(let candidate, let proof):
      let name = "\(candidate.name)"
      if leases == .work, files[name]?.hasWriter == true { violations.append("\(now) \(name)") }
      if isDiskFull {
        let failure = Failure(.machine, code: "disk.full", reason: "full")
        return state.attempted(candidate.key, .troubled(failure), at: time)
      }
      guard files[name]?.isWhole == true else {
        let failure = Failure(.final, code: "list.syntax", reason: "no list")
        return state.attempted(candidate.key, .refused(failure, proof), at: time)
      }
      files[name] = nil
      log.append("\(now) accepted \(name)")
      return state.attempted(candidate.key, .accepted(ListID(1)), at: time)
    case .reject(let candidate, _, _):
      files["\(candidate.name)"] = nil
      log.append("\(now) rejected \(candidate.name)")
      return state.attempted(candidate.key, .rejected(ListID(1)), at: time)
    case .ignore(let name, let reason):
      log.append("\(now) ignored \(name): \(Self.word(reason))")
      return []
    }
  }

  private static func word(_ reason: IgnoredReason) -> String {
    switch reason {
    case .hidden: "hidden"
    case .suffix: "suffix"
    case .folder: "folder"
    case .link: "link"
    case .special: "special"
    case .tooLarge: "tooLarge"
    case .noPictures, .noPicture, .deep, .otherOwner, .otherFileSystem, .unreachable, .picture,
      .largePicture, .pictureAtNode, .folderAtNode:
      "picture"
    }
  }

  private func probe(_ name: String) -> Probe {
    guard let file = files[name] else { return .missing }
    if !file.isReadable {
      return .unreadable(Failure(.final, code: "list.unreadable", reason: "permission denied"))
    }
    switch leases {
    case .missing, .forbidden: return .unknown
    case .work, .shared: return file.hasWriter ? .writer : .noWriter
    }
  }

  private mutating func apply(_ act: Act) {
    versions += 1
    let fresh = File(version: versions)
    switch act {
    case .create(let name):
      files[name] = fresh
      files[name]?.hasWriter = true
    case .move(let name, let isWhole):
      files[name] = fresh
      files[name]?.isWhole = isWhole
    case .write(let name, let isWhole):
      files[name]?.version = versions
      files[name]?.isWhole = isWhole
    case .hold(let name): files[name]?.hasWriter = true
    case .close(let name), .closeQuietly(let name): files[name]?.hasWriter = false
    case .touch(let name): files[name]?.version = versions
    case .rename(let old, let new):
      files[new] = files.removeValue(forKey: old)
      files[new]?.version = versions
    case .delete(let name): files[name] = nil
    case .forbid(let name): files[name]?.isReadable = false
    case .allow(let name):
      files[name]?.isReadable = true
      files[name]?.version = versions
    case .other(let name, let kind):
      files[name] = fresh
      files[name]?.kind = kind
    case .diskFull(let isFull): isDiskFull = isFull
    case .nothing: break
    }
  }
}
