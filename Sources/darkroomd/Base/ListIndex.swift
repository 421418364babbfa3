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

  /// A list that is being removed. Its folder of prints stays its own, and its label comes back if the removal does not
  /// begin.
  private struct Withdrawn {
    let label: ListLabel
    let expired: UInt64?
  }

  private struct State {
    var labels: [ListID: ListLabel] = [:]
    var titles: [Title: Set<ListID>] = [:]
    /// The lists of a name in small letters.
    var spellings: [OutsideText: Set<ListID>] = [:]
    /// Lists of the record whose labels could not be read.
    var unread: Set<ListID> = []
    /// The lists that print into a folder, including drafts.
    var printers: [FileName: FolderPrinters] = [:]
    /// The folders with printers, by a key that is equal for those that some file systems do not distinguish.
    var folders: [String: Set<FileName>] = [:]
    /// The folders of lists that are not accepted yet. Each is accepted or given up.
    var drafts: [ListID: FileName] = [:]

    mutating func add(_ list: ListID, _ label: ListLabel) {
      unread.remove(list)
      guard labels[list] == nil else { return }
      labels[list] = label
      titles[label.title, default: []].insert(list)
      spellings[label.spelling, default: []].insert(list)
      giveUp(list)
      enter(list, label.terms.prints)
      printers[label.terms.prints]?.add(label)
    }

    mutating func remove(_ list: ListID) {
      unread.remove(list)
      guard let label = labels.removeValue(forKey: list) else { return }
      expired[list] = nil
      titles[label.title]?.remove(list)
      if titles[label.title]?.isEmpty == true { titles[label.title] = nil }
      spellings[label.spelling]?.remove(list)
      if spellings[label.spelling]?.isEmpty == true { spellings[label.spelling] = nil }
      printers[label.terms.prints]?.drop(label)
      leave(list, label.terms.prints)
    }

    /// The lists that are being removed.
    var removed: [ListID: Withdrawn] = [:]
    /// The lists whose folders are being removed because of their age.
    var aging: Set<ListID> = []
    /// The folders of prints that are about to be removed because of their age.
    var expiring: Set<FileName> = []
    /// When the prints of a list were removed because of their age; 0 if none were there. Milliseconds since 1970.
    var expired: [ListID: UInt64] = [:]

    mutating func reserve(_ list: ListID, _ withdrawn: Withdrawn) {
      removed[list] = withdrawn
      enter(list, withdrawn.label.terms.prints)
    }

    mutating func free(_ list: ListID) -> Withdrawn? {
      guard let withdrawn = removed.removeValue(forKey: list) else { return nil }
      leave(list, withdrawn.label.terms.prints)
      return withdrawn
    }

    mutating func enter(_ list: ListID, _ prints: FileName) {
      printers[prints, default: FolderPrinters()].insert(list)
      folders[PrintName.collisionKey(folder: prints), default: []].insert(prints)
    }

    /// The newest list, without those that have a folder of this name elsewhere: the nodes of a cluster share their
    /// prints, and a machine has those from before apart. The kind of a draft is not known.
    func printer(
      into folder: FileName, ofCluster isOfCluster: Bool, hasLabel: Bool = false
    ) -> ListID? {
      printers[folder]?.lists.last {
        labels[$0].map { $0.terms.isOfCluster == isOfCluster } ?? !hasLabel
      }
    }

    mutating func leave(_ list: ListID, _ prints: FileName) {
      printers[prints]?.remove(list)
      guard printers[prints]?.lists.isEmpty == true else { return }
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
        printers[name]?.lists.contains { $0 != list } == true
      } == true
    }
  }

  private let state = Mutex(State())
  private let isLoaded = ChangeSignal()

  /// Reads the labels of the lists; skips a list whose folder is gone or damaged. May wait for a disk.
  func load(_ ids: [ListID], from lists: any Folder) {
    state.withLock { state in state.unread.formUnion(ids.filter { state.labels[$0] == nil }) }
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

  /// Lists that this node returns, with their origins: the one from that origin, which may not have told its number yet,
  /// before others with that number. A list that is being removed counts, because its removal may fail.
  func entries(
    of list: LedgerList, from origin: FileName
  ) -> [(list: ListID, origin: FileName)] {
    let (labels, removed) = state.withLock { ($0.labels, $0.removed.mapValues(\.label)) }
    var found: [(list: ListID, origin: FileName)] = []
    for (id, label) in [labels, removed].joined() where label.terms.isEntry {
      guard let own = label.terms.origin else { continue }
      if own == origin || label.terms.ledger == list { found.append((list: id, origin: own)) }
    }
    found.sort { $0.list < $1.list }
    return found.filter { $0.origin == origin } + found.filter { $0.origin != origin }
  }

  /// Users do not see it.
  func isShare(_ id: ListID) -> Bool { self[id]?.terms.share != nil }

  /// Call when the list's folder is removed.
  func forget(_ id: ListID) { state.withLock { $0.remove(id) } }

  // MARK: removal

  /// Forgets these lists, the newest first, but keeps their folders of prints reserved until `free` or `giveBack`.
  /// False, and changes nothing, if a list that is not accepted yet is to print into the folder of the newest, or if that
  /// or one of the lists is about to be removed because of its age.
  func withdraw(_ lists: [ListID]) -> Bool {
    state.withLock { state in
      if lists.contains(where: state.aging.contains) { return false }
      if let newest = lists.first, let prints = state.labels[newest]?.terms.prints {
        if state.expiring.contains(prints) { return false }
        if let printer = state.printers[prints]?.lists.last, printer > newest,
          state.labels[printer] == nil
        {
          return false
        }
      }
      for list in lists {
        guard let label = state.labels[list] else { continue }
        let withdrawn = Withdrawn(label: label, expired: state.expired[list])
        state.remove(list)
        state.reserve(list, withdrawn)
      }
      return true
    }
  }

  /// The list is being removed: no other list gets its folder of prints.
  func reserve(_ list: ListID, _ label: ListLabel) {
    state.withLock { $0.reserve(list, Withdrawn(label: label, expired: nil)) }
  }

  /// The label of a list that is being removed.
  func reserved(_ list: ListID) -> ListLabel? { state.withLock { $0.removed[list]?.label } }

  /// The list is gone.
  func free(_ list: ListID) { state.withLock { _ = $0.free(list) } }

  /// The removal of the list does not begin: it has its label and its folder again, in one step.
  func giveBack(_ list: ListID) {
    state.withLock { state in
      guard let withdrawn = state.free(list) else { return }
      state.add(list, withdrawn.label)
      state.expired[list] = withdrawn.expired
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
        state.printer(into: terms.prints, ofCluster: terms.isOfCluster) == list
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
      return state.printer(into: terms.prints, ofCluster: terms.isOfCluster, hasLabel: true)
        .map { $0 <= list } ?? true
    }
  }

  // MARK: seeing

  subscript(_ id: ListID) -> ListLabel? { state.withLock { $0.labels[id] } }

  /// The lists, of all users, that may have one of the names, which are in small letters. Those without a label may
  /// have any.
  func lists(spelled names: [String]) -> Set<ListID> {
    state.withLock { state in
      names.reduce(into: state.unread) { found, name in
        found.formUnion(state.spellings[OutsideText(checked: name)] ?? [])
      }
    }
  }

  /// Lists without a label which are not being removed. Lists that are not accepted yet are among them, because the
  /// record has a list a moment before its label is here.
  var unlabelled: Set<ListID> {
    state.withLock { state in
      state.unread.union(state.drafts.keys).filter { state.removed[$0] == nil }
    }
  }

  /// The labels of the lists, in their order.
  func labels(of lists: [ListID]) -> [ListLabel?] {
    state.withLock { state in lists.map { state.labels[$0] } }
  }

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
      return (state.printers[label.terms.prints]?.lists ?? [])
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
      guard let isOfCluster else { return state.printers[folder]?.lists.last }
      return state.printer(into: folder, ofCluster: isOfCluster)
    }
  }

  /// The newest list after this one whose prints are in this folder. Drafts do not count: they may yet be given up.
  func heir(of list: ListID, in folder: FileName) -> ListID? {
    state.withLock { state in
      let isOfCluster = state.labels[list]?.terms.isOfCluster ?? false
      return state.printer(into: folder, ofCluster: isOfCluster, hasLabel: true)
        .flatMap { $0 > list ? $0 : nil }
    }
  }

  /// True if a list of another owner prints into the folder; `isOfCluster` tells which one of this name.
  func hasStranger(to owner: UInt32, in folder: FileName, ofCluster isOfCluster: Bool) -> Bool {
    state.withLock {
      $0.printers[folder]?.hasStranger(to: owner, ofCluster: isOfCluster) ?? false
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
  fileprivate var spelling: OutsideText { OutsideText(checked: name.text.lowercased()) }
}
