// SPDX-License-Identifier: Apache-2.0
// The labels of all lists: name, owner, checksum and terms, known without opening the list. A label is read
// at the start or added when the list is accepted, and is forgotten with the list. A list whose label cannot
// be read has none until it is opened. `learn` and a `ListLabel` raise the failures of `about`.
// Concurrency model: one Mutex around the dictionaries; files are read outside it.

import Accept
import Cluster
import Files
import Linux
import Output
import Synchronization
import Vocabulary

/// The facts about a list that are known without opening it.
struct ListLabel: Sendable {
  let name: ListName
  let owner: UInt32
  let sha256: String
  let terms: FrozenSettings

  init(_ about: AboutFile) throws(Failure) {
    name = ListName(about.name)
    owner = about.owner
    sha256 = about.sha256
    terms = try FrozenSettings(text: about.terms.settings)
  }
}

final class ListIndex: Sendable {
  fileprivate struct Title: Hashable {
    let stem: ArraySlice<UInt8>
    let owner: UInt32
  }

  private struct State {
    var labels: [ListID: ListLabel] = [:]
    var titles: [Title: Set<ListID>] = [:]
    /// The lists that print into a folder, including drafts.
    var printers: [FileName: Set<ListID>] = [:]
    /// The folders with printers, by a key that is equal for those that some file systems do not distinguish.
    var folders: [String: Set<FileName>] = [:]
    /// The folders of lists that are not accepted yet. Each is accepted or given up.
    var drafts: [ListID: FileName] = [:]

    mutating func add(_ list: ListID, _ label: ListLabel) {
      guard labels[list] == nil else { return }
      labels[list] = label
      titles[label.title, default: []].insert(list)
      giveUp(list)
      enter(list, label.terms.prints)
    }

    mutating func remove(_ list: ListID) {
      guard let label = labels.removeValue(forKey: list) else { return }
      expired[list] = nil
      titles[label.title]?.remove(list)
      if titles[label.title]?.isEmpty == true { titles[label.title] = nil }
      leave(list, label.terms.prints)
    }

    /// The folders of prints of lists that are being removed.
    var removed: [ListID: FileName] = [:]
    /// The lists whose folders are being removed because of their age.
    var aging: Set<ListID> = []
    /// The folders of prints that are about to be removed because of their age.
    var expiring: Set<FileName> = []
    /// When the prints of a list were removed because of their age; 0 if none were there. Milliseconds since 1970.
    var expired: [ListID: UInt64] = [:]

    mutating func reserve(_ list: ListID, _ prints: FileName) {
      removed[list] = prints
      enter(list, prints)
    }

    mutating func enter(_ list: ListID, _ prints: FileName) {
      printers[prints, default: []].insert(list)
      folders[PrintName.collisionKey(folder: prints), default: []].insert(prints)
    }

    /// Without the lists that have a folder of this name elsewhere: the nodes of a cluster share their prints, and a
    /// machine has those from before apart. The kind of a draft is not known.
    func printers(into folder: FileName, ofCluster isOfCluster: Bool) -> Set<ListID> {
      (printers[folder] ?? []).filter {
        labels[$0].map { $0.terms.isOfCluster == isOfCluster } ?? true
      }
    }

    mutating func leave(_ list: ListID, _ prints: FileName) {
      printers[prints]?.remove(list)
      guard printers[prints]?.isEmpty == true else { return }
      printers[prints] = nil
      let key = PrintName.collisionKey(folder: prints)
      folders[key]?.remove(prints)
      if folders[key]?.isEmpty == true { folders[key] = nil }
    }

    mutating func note(_ draft: ListID, _ prints: FileName) {
      giveUp(draft)
      drafts[draft] = prints
      enter(draft, prints)
    }

    mutating func giveUp(_ draft: ListID) {
      if let prints = drafts.removeValue(forKey: draft) { leave(draft, prints) }
    }

    /// Another list, or another draft, prints there.
    func isTaken(_ folder: FileName, for list: ListID) -> Bool {
      folders[PrintName.collisionKey(folder: folder)]?.contains { name in
        printers[name]?.contains { $0 != list } == true
      } == true
    }
  }

  /// The code of the trouble that a label cannot be read now.
  static let nameless = "about.unread"

  private let state = Mutex(State())
  private let isLoaded = ChangeSignal()

  /// Reads the labels of the lists; skips a list whose folder is gone or damaged. May wait for a disk.
  func load(_ ids: [ListID], from lists: any Folder) {
    for id in ids { _ = read(id, from: lists) }
    isLoaded.changed()
  }

  /// Returns when `load` has read the lists of the start.
  func loaded() async { await isLoaded.change(after: 0) }

  /// The label, if necessary from the list's folder, which may have been repaired since the start. May wait
  /// for a disk.
  func read(_ id: ListID, from lists: any Folder) -> ListLabel? {
    (try? learn(id, from: lists)) ?? nil
  }

  /// The same; nil if the folder is gone. Raises `final` for a damaged `about`.
  @discardableResult
  func learn(_ id: ListID, from lists: any Folder) throws(Failure) -> ListLabel? {
    if let label = self[id] { return label }
    let folder = try asMachine { () throws(SystemError) in
      try lists.folder(ifThere: ListFolder.name(id))
    }
    guard let folder else { return nil }
    let label = try ListLabel(AboutFile.read(from: folder))
    let expiry = (try? ListMarks.expiry(in: folder)) ?? nil
    state.withLock { state in
      // A return may still look while the list is being removed.
      guard state.removed[id] == nil else { return }
      state.add(id, label)
      if let expiry { state.expired[id] = expiry }
    }
    return label
  }

  func add(_ id: ListID, _ label: ListLabel) { state.withLock { $0.add(id, label) } }

  /// The list's `about` was written again.
  func replace(_ id: ListID, _ label: ListLabel) {
    state.withLock { state in
      state.remove(id)
      state.add(id, label)
    }
  }

  /// The lists that are shares.
  var shares: [ListID: ShareMark] {
    state.withLock { $0.labels.compactMapValues(\.terms.share) }
  }

  /// Lists that this node returns: the one from that origin, which may not have told its number yet, before others with
  /// that number.
  func entries(of list: LedgerList, from origin: FileName) -> [ListID] {
    let entries = state.withLock { $0.labels.filter { $0.value.terms.isEntry } }
    let (own, others) = (
      entries.filter { $0.value.terms.origin == origin },
      entries.filter { $0.value.terms.ledger == list && $0.value.terms.origin != origin }
    )
    return own.keys.sorted() + others.keys.sorted()
  }

  /// Users do not see it.
  func isShare(_ id: ListID) -> Bool { self[id]?.terms.share != nil }

  /// Call when the list's folder is removed.
  func forget(_ id: ListID) { state.withLock { $0.remove(id) } }

  // MARK: removal

  /// Forgets these lists, the newest first, but keeps their folders of prints reserved until `free`. False, and
  /// changes nothing, if a list that is not accepted yet is to print into the folder of the newest, or if that
  /// or one of the lists is about to be removed because of its age.
  func withdraw(_ lists: [ListID]) -> Bool {
    state.withLock { state in
      if lists.contains(where: state.aging.contains) { return false }
      if let newest = lists.first, let prints = state.labels[newest]?.terms.prints {
        if state.expiring.contains(prints) { return false }
        if let printer = state.printers[prints]?.max(), printer > newest,
          state.labels[printer] == nil
        {
          return false
        }
      }
      for list in lists {
        guard let prints = state.labels[list]?.terms.prints else { continue }
        state.remove(list)
        state.reserve(list, prints)
      }
      return true
    }
  }

  /// The list is being removed: no other list gets its folder of prints.
  func reserve(_ list: ListID, _ prints: FileName) {
    state.withLock { $0.reserve(list, prints) }
  }

  /// The folder of a list that is being removed.
  func reserved(_ list: ListID) -> FileName? { state.withLock { $0.removed[list] } }

  func free(_ list: ListID) {
    state.withLock { state in
      if let prints = state.removed.removeValue(forKey: list) { state.leave(list, prints) }
    }
  }

  // MARK: expiry

  /// The folder of the list is about to be removed because it is old, until `endRemoval`: its owner cannot remove it
  /// meanwhile. False if the owner does.
  func beginRemoval(of list: ListID) -> Bool {
    state.withLock { state in
      if state.removed[list] != nil { return false }
      state.aging.insert(list)
      return true
    }
  }

  func endRemoval(of list: ListID) { state.withLock { _ = $0.aging.remove(list) } }

  /// The folder of the list's prints, which no list is to take over until `endExpiry`. Nil if a later list, or one that
  /// is not accepted yet, prints there, or the list is being removed.
  func beginExpiry(of list: ListID) -> FileName? {
    state.withLock { state in
      guard let terms = state.labels[list]?.terms, terms.share == nil,
        state.printers(into: terms.prints, ofCluster: terms.isOfCluster).max() == list
      else { return nil }
      let prints = terms.prints
      state.expiring.insert(prints)
      return prints
    }
  }

  /// - Parameters:
  ///   - lists: those that had their prints there.
  ///   - time: of the removal, in milliseconds since 1970; 0 if no prints were there, nil if it failed.
  func endExpiry(_ folder: FileName, of lists: [ListID], at time: UInt64?) {
    state.withLock { state in
      state.expiring.remove(folder)
      guard let time else { return }
      for list in lists where state.labels[list] != nil && state.expired[list] == nil {
        state.expired[list] = time
      }
    }
  }

  /// Ask after `note`: a list that is noted is not overlooked by a later expiry.
  func isExpiring(_ folder: FileName) -> Bool { state.withLock { $0.expiring.contains(folder) } }

  /// When the list's prints were removed because of their age, in milliseconds since 1970; 0 if none were there then,
  /// nil if it has not happened.
  func expiry(of list: ListID) -> UInt64? { state.withLock { $0.expired[list] } }

  /// True if the list's prints can expire: they have not, and no later list has taken them over. Those of a share are
  /// prints of the list that it is a share of.
  func holdsPrints(_ list: ListID) -> Bool {
    state.withLock { state in
      guard let terms = state.labels[list]?.terms, terms.share == nil,
        state.expired[list] == nil
      else { return false }
      // A draft may yet be given up.
      return !state.printers(into: terms.prints, ofCluster: terms.isOfCluster)
        .contains { $0 > list && state.labels[$0] != nil }
    }
  }

  // MARK: seeing

  subscript(_ id: ListID) -> ListLabel? { state.withLock { $0.labels[id] } }

  /// For people; without a label, the number.
  func name(of id: ListID) -> String { self[id]?.name.text ?? "list \(id)" }

  /// The lists of this name and owner. Names are compared by their bytes, without the suffix: a name that
  /// merely looks the same is another name.
  func lists(called name: ListName, of owner: UInt32) -> Set<ListID> {
    state.withLock { $0.titles[Title(stem: name.stem, owner: owner)] ?? [] }
  }

  /// The lists that the list revises, the latest first.
  func predecessors(of list: ListID) -> [ListID] {
    state.withLock { state in
      var found: [ListID] = []
      var seen: Set<ListID> = []
      while let next = state.labels[found.last ?? list]?.terms.revises, seen.insert(next).inserted {
        found.append(next)
      }
      return found
    }
  }

  /// The earlier lists of the same owner that print into its folder, the latest first; even if one in between is gone.
  /// Lists of a cluster and lists of this machine alone have different folders.
  func forerunners(of list: ListID) -> [ListID] {
    state.withLock { state in
      guard let label = state.labels[list] else { return [] }
      return (state.printers[label.terms.prints] ?? [])
        .filter { earlier in
          guard earlier < list, let other = state.labels[earlier] else { return false }
          return other.owner == label.owner
            && (other.terms.origin == nil) == (label.terms.origin == nil)
        }.sorted(by: >)
    }
  }

  /// The lists that revise the list.
  func successors(of list: ListID) -> [ListID] {
    state.withLock { $0.labels.filter { $0.value.terms.revises == list }.map(\.key) }
  }

  /// The newest list, or draft, whose prints are in this folder; `isOfCluster` tells which one of this name.
  func printer(into folder: FileName, ofCluster isOfCluster: Bool? = nil) -> ListID? {
    state.withLock { state in
      guard let isOfCluster else { return state.printers[folder]?.max() }
      return state.printers(into: folder, ofCluster: isOfCluster).max()
    }
  }

  /// The newest list after this one whose prints are in this folder. Drafts do not count: they may yet be given up.
  func heir(of list: ListID, in folder: FileName) -> ListID? {
    state.withLock { state in
      let isOfCluster = state.labels[list]?.terms.isOfCluster ?? false
      return state.printers(into: folder, ofCluster: isOfCluster)
        .filter { $0 > list && state.labels[$0] != nil }.max()
    }
  }

  /// True if a list of another owner prints into the folder; `isOfCluster` tells which one of this name.
  func hasStranger(to owner: UInt32, in folder: FileName, ofCluster isOfCluster: Bool) -> Bool {
    state.withLock { state in
      state.printers(into: folder, ofCluster: isOfCluster).contains { list in
        state.labels[list].map { $0.owner != owner } ?? false
      }
    }
  }

  // MARK: drafts

  /// Takes a folder for a list that is not accepted yet, in one step, so that only one of two lists gets it. False,
  /// and takes nothing, if another list or another draft has it, or one that differs only in case or in Unicode
  /// composition.
  func claim(_ folder: FileName, for draft: ListID) -> Bool {
    state.withLock { state in
      if state.drafts[draft] == folder { return true }
      if state.isTaken(folder, for: draft) { return false }
      state.note(draft, folder)
      return true
    }
  }

  /// Notes the folder of an earlier list, or one with its number, for a list that is not accepted yet.
  func note(_ draft: ListID, into folder: FileName) {
    state.withLock { state in
      if state.labels[draft] == nil { state.note(draft, folder) }
    }
  }

  /// The draft does not become a list: its folder is free.
  func giveUp(_ draft: ListID) { state.withLock { $0.giveUp(draft) } }
}

extension ListLabel {
  fileprivate var title: ListIndex.Title { ListIndex.Title(stem: name.stem, owner: owner) }
}
