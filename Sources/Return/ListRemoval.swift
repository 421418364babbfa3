// SPDX-License-Identifier: Apache-2.0
// Removes an ended list with all of its files, at the wish of its owner: the prints, the copy, the results, the retry
// list and the list's folder. One rename of that folder to `.removed-N` decides it; the steps after it are repeated
// until all are done, even after a crash, and need a `Decided`, which only that rename gives. A file in `done` or
// `failed` goes only if it still has the bytes that were returned. Dropped pictures that were given back stay.
// Raises SystemError.
// Concurrency: immutable; waits for a disk. One task at a time may use it.
//
//   hide       lists/N → lists/.removed-N
//   hidePrints prints/NAME → prints/.removed-N
//   clear      removes the files in done and failed, then prints/.removed-N
//   (record    by the daemon, as the list is gone)
//   finish     removes lists/.removed-N

package import Files
package import Vocabulary

package struct ListRemoval: Sendable {
  private static let headLength = 64 << 10

  /// The list's folder does not have its name any more: its files may go, and the record may tell that the list is gone.
  package struct Decided: Sendable {
    package let list: ListID
    /// With the list's files; nil if they are gone.
    package let folder: (any Folder)?
  }

  private let lists: any Folder
  private let prints: any Folder
  private let done: any Folder
  private let failed: any Folder

  /// `lists` is STATE/lists.
  package init(
    lists: any Folder, prints: any Folder, done: any Folder, failed: any Folder
  ) {
    (self.lists, self.prints, self.done, self.failed) = (lists, prints, done, failed)
  }

  /// The lists whose removal has begun, the oldest first.
  package func pending() throws(SystemError) -> [ListID] {
    try lists.names().compactMap(ListFolder.removedNumber).sorted()
  }

  /// Nil if its removal has not begun, or is done.
  package func folder(of list: ListID) throws(SystemError) -> (any Folder)? {
    try lists.folder(ifThere: ListFolder.removed(list))
  }

  /// Nil while the list has its folder. Durable on return: no power cut gives the folder back to a list that the record
  /// does not have any more.
  package func decided(_ list: ListID) throws(SystemError) -> Decided? {
    let folder = try folder(of: list)
    if folder == nil, try lists.has(ListFolder.name(list)) { return nil }
    // An earlier attempt may lack its sync.
    try lists.sync()
    return Decided(list: list, folder: folder)
  }

  /// Marks the lists as removed, the newest first; durable on return. A list that is gone is left out. The
  /// newest goes last: while it is there, a caller can repeat what a crash has interrupted.
  package func hide(_ removed: [ListID]) throws(SystemError) {
    for list in removed.reversed() {
      if list == removed.first, removed.count > 1 { try lists.sync() }
      do throws(SystemError) {
        try lists.rename(
          ListFolder.name(list), to: lists, as: ListFolder.removed(list), replacing: false)
      } catch { if !error.isMissing { throw error } }
    }
    try lists.sync()
  }

  /// The prints to be hidden.
  package func standing(
    ofPrints folder: FileName, _ mark: PrintsMark? = nil
  ) throws(SystemError) -> PrintsStanding {
    try PrintsStanding(of: folder, in: prints, for: mark)
  }

  /// Frees the name of the prints' folder, durably. Anything but a folder of ours stays.
  package func hidePrints(
    _ folder: FileName, of list: ListID, _ mark: PrintsMark? = nil
  ) throws(SystemError) {
    let name = ListFolder.removed(list)
    let isHidden = try HiddenPrints.hide(folder, in: prints, as: name, for: mark)
    // The rename of an earlier attempt may not be durable.
    if !isHidden { try prints.sync() }
  }

  /// - Parameters:
  ///   - name: of the dropped file.
  ///   - sum: size and SHA-256 of the list, for one whose receipt a power cut took.
  package func clear(
    _ decided: Decided, named name: FileName?, _ sum: (size: UInt64, sha256: String)?
  ) throws(SystemError) {
    let list = decided.list
    if let folder = decided.folder {
      for entry in try entries(of: list, in: folder, name, sum) {
        let target = entry.part == .retry ? failed : done
        if let sum = entry.sum, try !target.holds(entry.name, sum) { continue }
        try target.removeIfThere(entry.name)
      }
      try done.sync()
      try failed.sync()
    }
    try HiddenPrints.clear(ListFolder.removed(list), in: prints)
    // They may have expired a moment ago.
    try HiddenPrints.clear(ListFolder.expired(list), in: prints)
    try prints.sync()
  }

  package func finish(_ decided: Decided) throws(SystemError) {
    try lists.removeFlat(ListFolder.removed(decided.list))
    try lists.sync()
  }

  // MARK: files of the list

  /// A file without a sum belongs to results with one.
  private typealias Entry = (part: ReturnPart, name: FileName, sum: FileCopy.Sum?)

  private func entries(
    of list: ListID, in folder: any Folder, _ name: FileName?,
    _ sum: (size: UInt64, sha256: String)?
  ) throws(SystemError) -> [Entry] {
    let returned = try ReturnReceipt(ListFolder.returned, in: folder)
    let resulted = try ReturnReceipt(ListFolder.resulted, in: folder)
    let whole = returned?.entries ?? []
    var entries: [Entry] = (whole.isEmpty ? resulted?.entries ?? [] : whole)
      .map { ($0.part, $0.name, $0.sum) }
    guard whole.isEmpty, let name, let sum else { return entries }
    let copySum = FileCopy.Sum(size: sum.size, sha256: sum.sha256)
    if let results = resulted?.name(of: .result) {
      // The copy has followed them.
      if returned != nil {
        let copies = FreshName.choices(name, list)
          .filter { ReturnPart.result.name(beside: $0) == results }
        entries += copies.map { (.copy, $0, copySum) }
      }
      return entries
    }
    for choice in FreshName.choices(name, list) {
      guard let result = ReturnPart.result.name(beside: choice),
        let retry = ReturnPart.retry.name(beside: choice), try isResult(result, of: list)
      else { continue }
      return [(.copy, choice, copySum), (.retry, retry, nil), (.result, result, nil)]
    }
    return []
  }

  private func isResult(_ name: FileName, of list: ListID) throws(SystemError) -> Bool {
    guard let head = try done.contents(of: name, upTo: Self.headLength) else { return false }
    return ListResults.number("ID", in: String(decoding: head, as: UTF8.self)) == list.number
  }
}

extension ListResults {
  /// A number among the first keys of results that we wrote: no text of a user has a bare `<`.
  static func number(_ key: String, in head: String) -> UInt64? {
    guard let rest = tail(of: head[...], after: "<key>\(key)</key>"),
      let digits = tail(of: rest.prefix(100), after: "<integer>")
    else { return nil }
    return UInt64(digits.prefix { $0 != "<" })
  }

  private static func tail(of text: Substring, after word: String) -> Substring? {
    var rest = text.utf8[...]
    let bytes = Array(word.utf8)
    while let start = rest.firstIndex(of: bytes[0]) {
      rest = rest[start...]
      if rest.starts(with: bytes) { return Substring(rest.dropFirst(bytes.count)) }
      rest = rest.dropFirst()
    }
    return nil
  }
}
