// SPDX-License-Identifier: Apache-2.0
// `darkroomd run`: a list, or a part of it, developed by a separate process, which is this daemon with a private
// inbox, a private state and no control socket. Processes for parts of one list share only the folder of prints:
// print names come from the whole list, drafts have the mark of their process, and a note there tells which list
// prints under the name. `open` makes the folders. Raises `StartFailure`.
// Concurrency: immutable; every function waits for a disk.
//
// The walk: `PartTask` puts the list into a private inbox, and the daemon runs until it is idle. A second engine
// would have to earn each promise again: durable order, retries, workers that die, full disks, SIGTERM. The
// differences are in few places:
// - The photos of the range are numbered from 1, as a separate list (`CatalogPart`; `Part=` in the list's
//   `about`), so the chains, the record and the journal format have no ranges. Only `OpenList.printName` and
//   `PartResults` use the number in the whole list. Collisions of names are settled over the whole catalog, as for
//   every list.
// - `ListIntake.part` lets a list print into the folder that other parts use, and drops its `Notify`.
// - Drafts have the mark of their process (`Places.mark`), and a sweep removes only drafts with this mark.
// - Prints are made once (`PrintWay`, `PrintFolder.place`): the draft is synced, then linked to its name. If the
//   name is taken, the record has the size and digest of the print that stands (`PhotoStages.place`).
// - A part that is over with failures is dropped again: as a revision of itself it keeps its prints and retries
//   the failed photos. A stop before the end exits with 75, not 0: a scheduler takes 0 for success, and would lose
//   the rest.

import Digests
import Files
import Linux
import Output
import Record
import Vocabulary

struct PartTask: Sendable {
  let order: PartOrder
  let places: Places
  /// The list's name in the inbox.
  private let name: FileName
  private let sum: FileCopy.Sum
  /// The folder of the state and of what surrounds it.
  private let root: String
  /// The folder of the notes that all parts of the list share.
  private let notes: String

  private static let home = FileName(literal: ".darkroom")
  private static let listNote = FileName(literal: "list")
  private static let partNote = FileName(literal: "part")
  private static let markNote = FileName(literal: "mark")
  private static let longestNote = 64 << 10

  static func open(_ order: PartOrder, configuration: String?) throws(StartFailure) -> PartTask {
    let (name, sum) = try look(at: order.list)
    let own = FileName(order.range?.text ?? "all")
    if order.state == nil, own == nil {
      throw StartFailure(ExitCode.usage, "a range this long needs --state")
    }
    try checkOwner(of: order.prints)
    return try part("make the folders") { () throws(SystemError) in
      let prints = try ThisProcess.absolutePath(order.prints)
      try Places.make(root: prints, [])
      let notes = try LinuxFolder.open(path: prints).openFolder(home, creating: true)
        .openFolder(folder(of: name), creating: true).path
      let state = try order.state.map { (path) throws(SystemError) in
        try ThisProcess.absolutePath(path)
      }
      let root = state ?? "\(notes)/\(order.range?.text ?? "all")"
      try Places.make(root: root, ["inbox", "done", "failed", "state"])
      let below = Places.below(root)
      return PartTask(
        order: order,
        places: Places(
          inbox: below.inbox, done: below.done, failed: below.failed, prints: prints,
          state: below.state, control: below.control,
          configuration: configuration ?? Places.system.configuration,
          mark: "\(try mark(in: LinuxFolder.open(path: root)))."),
        name: name, sum: sum, root: root, notes: notes)
    }
  }

  /// Settings without what is for daemons: the record and the prints stay, programs and webhooks do not run.
  static func settings(_ settings: Settings) -> Settings {
    var settings = settings
    settings.hooks = Settings.Hooks()
    settings.record.keepPrints = nil
    settings.record.keepLists = .seconds(3650 * 86400)
    settings.inbox.pictures = false
    settings.cluster = Settings.Cluster()
    // The list appears in the inbox complete.
    settings.inbox.quietTime = .milliseconds(250)
    return settings
  }

  private static func part<Made>(
    _ what: String, _ make: () throws(SystemError) -> Made
  ) throws(StartFailure) -> Made {
    do throws(SystemError) { return try make() } catch {
      throw StartFailure(
        error.isMachineTrouble ? ExitCode.io : ExitCode.usage, "could not \(what): \(error)",
        trouble: error.isDiskTrouble ? error.machineFailure.code : nil)
    }
  }

  /// The prints of a daemon are not for others to replace, whether it runs or not. The nodes of a cluster would also take
  /// the prints of a part for prints of their lists.
  private static func checkOwner(of prints: String) throws(StartFailure) {
    let refusal = try part("look whether a darkroomd has the folder of prints") {
      () throws(SystemError) -> String? in
      do throws(SystemError) {
        let folder = try LinuxFolder.open(path: ThisProcess.absolutePath(prints))
        if try SharedMark.isShared(folder) {
          return "is a folder that the nodes of a cluster share: choose another --prints"
        }
        return try PrintsSeat.owner(of: folder).map { owner in
          "is the folder of prints of the darkroomd that has the state folder "
            + "\(Printable.text(owner)): choose another --prints; if no darkroomd prints into the folder any more, "
            + "remove the file .daemon in it"
        }
      } catch {
        if error.isMissing { return nil }
        throw error
      }
    }
    guard let refusal else { return }
    throw StartFailure(ExitCode.usage, "\(Printable.text(prints)) \(refusal)")
  }

  private static func look(at path: String) throws(StartFailure) -> (FileName, FileCopy.Sum) {
    let last = path.split(separator: "/").last.map { String($0) } ?? ""
    // The ending only marks it as a list; the contents decide the form.
    let text = ListName(last).isList ? last : "\(last).plist"
    guard !last.hasPrefix("."), let name = FileName(text) else {
      throw StartFailure(
        ExitCode.usage,
        "the name of the list \(Printable.text(path)) cannot name a folder of prints")
    }
    do throws(SystemError) {
      let file = try Surroundings.openNamed(path)
      guard try file.status().kind == .file else {
        throw SystemError(.invalid, call: "open", thing: path)
      }
      return (name, try FileCopy.sum(file, upTo: .max))
    } catch {
      throw StartFailure(ExitCode.noInput, "could not read the list: \(error)")
    }
  }

  private static func folder(of list: FileName) -> FileName {
    PrintName.folder(list: ListName(list).text, number: nil)
  }

  /// Random, and the same in every run with this state.
  private static func mark(in folder: LinuxFolder) throws(SystemError) -> String {
    let new = String(hex: try ThisProcess.randomBytes(6))
    let known = String(decoding: try keep(new, as: markNote, in: folder), as: UTF8.self)
    return known.utf8.count == new.utf8.count && known.allSatisfy(\.isHexDigit) ? known : new
  }

  /// Writes a note unless there is one; returns the one that is there, which may be another process's.
  private static func keep(
    _ text: String, as name: FileName, in folder: LinuxFolder
  ) throws(SystemError) -> [UInt8] {
    if let there = try folder.contents(of: name, upTo: longestNote) { return there }
    let file = try NewFile(in: folder)
    do throws(SystemError) {
      try file.file.write(Array(text.utf8), at: 0)
      try file.appear(as: name, mode: 0o644, replacing: false)
      return Array(text.utf8)
    } catch {
      file.discard()
      guard error.exists else { throw error }
      return try folder.contents(of: name, upTo: longestNote) ?? []
    }
  }

  // MARK: the list

  /// Puts the list into the inbox, unless an earlier run has begun it, or filtered all of its photos. After failures
  /// the list is a revision of itself: it keeps its prints, and tries the failed photos again. Call under the lock
  /// of the state.
  func begin(_ recorder: Recorder) throws(StartFailure) {
    let newest = recorder.ledger { ledger in ledger.lists.values.max { $0.id < $1.id } }
    try claimState(isNew: newest == nil)
    try claimPrints()
    if let newest, !newest.state.isFinal || newest.counts.failed == 0 { return }
    let copied = try Self.part("copy the list") { () throws(SystemError) in
      let file = try NewFile(in: LinuxFolder.open(path: places.inbox))
      do throws(SystemError) {
        let copied = try FileCopy.hashingCopy(
          try Surroundings.openNamed(order.list), to: file.file, upTo: sum.size)
        if copied == sum { try file.appear(as: name, mode: 0o600, replacing: true) }
        file.discard()
        return copied
      } catch {
        file.discard()
        throw error
      }
    }
    guard copied == sum else {
      throw StartFailure(ExitCode.data, "\(Printable.text(order.list)) has changed meanwhile")
    }
  }

  /// A state without a list may be of one that was rejected.
  private func claimState(isNew: Bool) throws(StartFailure) {
    let text = "Part=\(order.range?.text ?? "")\nList=\(sum.sha256)\n"
    let isOurs = try Self.part("note the part in \(root)") { () throws(SystemError) in
      let folder = try LinuxFolder.open(path: root)
      if isNew { try folder.write(whole: Array(text.utf8), as: Self.partNote) }
      return try folder.contents(of: Self.partNote, upTo: Self.longestNote) == Array(text.utf8)
    }
    guard isOurs else {
      throw StartFailure(
        ExitCode.usage, "\(root) is the state of another list or range: choose another --state")
    }
  }

  /// Without a folder of prints, a note is of a list that has not printed.
  private func claimPrints() throws(StartFailure) {
    let text = Array("\(sum.sha256)\n".utf8)
    let own = Self.folder(of: name)
    let isOurs = try Self.part("note the list in \(notes)") { () throws(SystemError) in
      let folder = try LinuxFolder.open(path: notes)
      if try Self.keep("\(sum.sha256)\n", as: Self.listNote, in: folder) == text { return true }
      if try LinuxFolder.open(path: places.prints).has(own) { return false }
      try folder.write(whole: text, as: Self.listNote)
      return true
    }
    guard isOurs else {
      throw StartFailure(
        ExitCode.data,
        "another list has printed into \(places.prints)/\(own): give this one another name, or another "
          + "--prints; if it is to take the place of the other one, remove \(notes) and those prints"
      )
    }
  }

  /// Writes the results of a list that is over; returns the exit code of the process.
  func end(_ code: Int32, _ work: ListWork) -> Int32 {
    let newest = work.recorder.ledger { ledger in ledger.lists.values.max { $0.id < $1.id } }
    // Only a list that was rejected has no record.
    guard let newest else { return code == 3 ? ExitCode.data : code }
    guard newest.state.isFinal else { return code }
    let path = order.results ?? "\(root)/results.jsonl"
    do throws(Failure) {
      let lost = try PartResults(
        path: path, list: newest, sha256: sum.sha256, range: order.range
      ).write(work)
      if lost.count == 0 { return code }
      complain(
        "prints that this task recorded are gone or have another size: \(lost.count), the first is "
          + "\(Printable.text(lost.first)); to have them made again, remove \(Printable.text(root)) and start the task again"
      )
      return ExitCode.attention
    } catch {
      complain("could not write the results to \(Printable.text(path)): \(error.words)")
      return ExitCode.io
    }
  }
}
