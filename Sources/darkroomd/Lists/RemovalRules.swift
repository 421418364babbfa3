// SPDX-License-Identifier: Apache-2.0
// Which lists a removal takes, and why they are not removed now. Raises a `Failure`: `final` with the reason, or
// `machine` if the disk does not tell.
// Concurrency: immutable; waits for a disk.

import Files
import Record
import Return
import Vocabulary

struct RemovalRules: Sendable {
  let recorder: Recorder
  let index: ListIndex
  let folders: StateFolders
  let health: HealthBoard
  /// Other nodes may have the lists of this machine.
  let isNode: Bool

  // MARK: facts

  /// The list and those that go with it, the newest first.
  func line(of list: ListID) -> [ListID] {
    let earlier = index.forerunners(of: list)
    return [list] + recorder.ledger { ledger in earlier.filter { ledger[$0] != nil } }
  }

  func isArchived(_ list: ListID) -> Bool { recorder.ledger { $0.isArchived(list) } }

  func hasPrints(_ list: ListID) -> Bool {
    recorder.ledger { ($0[list]?.counts.filtered ?? 0) > 0 }
  }

  /// It has prints that this machine cannot remove.
  private func isOutOfReach(_ list: ListID) -> Bool {
    guard let terms = index[list]?.terms, case .elsewhere = folders.place(of: terms) else {
      return false
    }
    return index.expiry(of: list) == nil && hasPrints(list)
  }

  /// Why it is not known whether the prints of the cluster are in reach; nil for a list without any.
  func foreignPlace(of list: ListID, _ terms: FrozenSettings?) -> Failure? {
    guard terms?.isOfCluster == true, hasPrints(list), index.expiry(of: list) == nil,
      let trouble = health.health.foreignPlace
    else { return nil }
    return Failure(
      .machine, scope: .one, code: trouble.code,
      reason: "it is not known where its prints are, because \(trouble.reason)",
      advice: trouble.advice)
  }

  // MARK: reasons

  /// - Parameters:
  ///   - line: of the list that its owner named.
  ///   - lost: those that lost files. Their owner can do without the results of one that is named, and not spared.
  func examine(
    _ line: [ListID], lost: Set<ListID>, isSparing: Bool
  ) throws(Failure) {
    guard let list = line.first else { return }
    let old = OldLists(folders.lists)
    for member in line {
      let isOver = recorder.ledger { $0[member]?.state.isFinal }
      try refuseUnknown(member)
      guard isOver == true else { throw Self.refusal("list \(member) is not over yet") }
      let isWaived = lost.contains(member) && member == list && !isSparing
      let isReturned = try asMachine { () throws(SystemError) in
        isArchived(member) ? true : try old.isRemovable(member, isWaived: isWaived)
      }
      guard isReturned else {
        if lost.contains(member), !isWaived {
          throw Self.refusal("list \(member) has no results yet; remove it by its number first")
        }
        throw Self.refusal(
          "the copy of list \(member) is not in done yet; 'why' tells what it waits for")
      }
    }
    try refuseHeir(of: list)
    for member in line {
      if isOutOfReach(member) { throw Self.outOfReach(index[member]?.terms) }
      if let trouble = foreignPlace(of: member, index[member]?.terms) { throw trouble }
    }
    try refuseForeignPrints(of: list)
    var isTaken = true
    do throws(SystemError) {
      for member in line where isArchived(member) {
        if try !old.isGone(member), try !old.isRemovable(member) { isTaken = false }
      }
    } catch { throw error.machineFailure }
    guard isTaken else { throw Self.refusal("its file has not left the inbox yet") }
    try refuseNameless(list)
  }

  func refuseHeir(of list: ListID) throws(Failure) {
    let open = recorder.ledger { $0.openLists.map(\.id) }
    if let heir = open.first(where: { index.predecessors(of: $0).contains(list) }) {
      throw Self.refusal("list \(heir) takes over from it; cancel that one, or wait for its end")
    }
  }

  /// It may have been removed because of its age meanwhile.
  func refuseUnknown(_ list: ListID) throws(Failure) {
    if recorder.ledger({ $0[list] }) == nil {
      throw Self.refusal("list \(list) is not known any more")
    }
  }

  /// Its folder was removed by hand.
  func loss(of list: ListID) throws(Failure) -> Failure? {
    try asMachine { () throws(SystemError) in try OldLists(folders.lists).loss(of: list) }
  }

  func isNameless(_ list: ListID) -> Bool {
    index[list] == nil && index.reserved(list) == nil
  }

  /// Of a line, the newest list alone may have no name.
  private func refuseNameless(_ list: ListID) throws(Failure) {
    guard isNameless(list) else { return }
    if isNode { throw Self.refusal("its name cannot be read, and other nodes may have it") }
    // The folder with the name is gone.
    if try loss(of: list) != nil { return }
    if hasPrints(list), try !isExpired(list) {
      throw Self.refusal("its name cannot be read, and nothing else tells where its prints are")
    }
  }

  /// The prints of a list without a label were removed for their age.
  private func isExpired(_ list: ListID) throws(Failure) -> Bool {
    try asMachine { () throws(SystemError) -> Bool in
      guard let folder = try folders.lists.folder(ifThere: ListFolder.name(list)) else {
        return false
      }
      return try ListMarks.expiry(in: folder) != nil
    }
  }

  /// Its prints would stay.
  private func refuseForeignPrints(of list: ListID) throws(Failure) {
    guard let label = index[list], case .folder(let home) = folders.place(of: label.terms) else {
      return
    }
    let prints = label.terms.prints
    if index.heir(of: list, in: prints) != nil { return }
    let path = "\(home.path)/\(prints)"
    if index.hasStranger(to: label.owner, in: prints, ofCluster: label.terms.isOfCluster) {
      throw Self.refusal("a list of another user has prints in \(path)")
    }
    let standing = try asMachine { () throws(SystemError) in
      try ListRemover.removal(folders, in: home)
        .standing(ofPrints: prints, label.terms.mark(of: list))
    }
    if let obstacle = standing.obstacle {
      throw Failure(
        .final, code: "list.kept", reason: "\(path), its folder of prints, \(obstacle)",
        advice: "Move the prints back, or move away what is there; then remove the list")
    }
  }

  /// The place of the prints of a list that is withdrawn, if they are not there. Nil if the disk does not tell.
  func missing(
    _ list: ListID
  ) -> (prints: FileName, home: any Folder, standing: PrintsStanding)? {
    guard let terms = index.reserved(list)?.terms,
      case .folder(let home) = folders.place(of: terms),
      index.printer(into: terms.prints, ofCluster: terms.isOfCluster) == list,
      (try? isExpired(list)) == false,
      let standing = try? PrintsStanding(of: terms.prints, in: home, for: terms.mark(of: list)),
      standing == .missing || standing.isLeft
    else { return nil }
    return (terms.prints, home, standing)
  }

  /// The files of the list that stay when it is removed, in words with the reason; nil if none do.
  func rest(of list: ListID) throws(Failure) -> String? {
    guard let loss = try loss(of: list) else { return nil }
    let prints = isNameless(list) && hasPrints(list) ? "its prints and " : ""
    return "\(loss.reason), so \(prints)its files in done and failed, if there are any, stay"
  }

  static func outOfReach(_ terms: FrozenSettings?) -> Failure {
    refusal(
      terms?.isOfCluster == true
        ? "its prints are in a cluster, and Ledger= is not set; set it, and remove the list then"
        : "its prints are in the folder of this machine alone, which is missing")
  }

  static func refusal(_ reason: String) -> Failure {
    Failure(.final, code: "list.kept", reason: reason)
  }
}
