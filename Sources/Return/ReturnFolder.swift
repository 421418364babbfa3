// SPDX-License-Identifier: Apache-2.0
// Returns a list to the folders `done` and `failed`: a fresh copy under the dropped name and the results beside it. The
// files appear whole, are for the owner of the list alone, are never the dropper's inode and never replace another
// file. Then marks the list's folder as returned. While the list in its folder is missing, cannot be read or is not the
// dropped one, the copy alone waits for it; a list of dropped pictures is made again. Raises `list.gone`, `cancelled`,
// `machine`, a `ListLoss`, and the failures of ListOutcome that are not `final`.
// The syncs of lists that end together share groups. Concurrency: immutable. Any thread may use it, but only one task
// at a time for a list.

package import Files
package import Vocabulary

package struct ReturnFolder: Sendable {
  private let done: any Folder
  private let failed: any Folder
  private let lists: any Folder
  private let groups: any SyncGroups
  private let copies: CopyRoom

  /// The return of one list.
  private struct Order {
    let list: ListID
    let name: FileName
    let folder: any Folder
    let readers: FileReaders
    /// Of the dropped list, if it is known.
    let sum: FileCopy.Sum?
    let outcome: OutcomeSource?
  }

  /// `lists` is STATE/lists.
  package init(
    done: any Folder, failed: any Folder, lists: any Folder, groups: any SyncGroups,
    copies: CopyRoom = CopyRoom()
  ) {
    self.copies = copies
    self.done = done
    self.failed = failed
    self.lists = lists
    self.groups = groups
  }

  /// The folders that the paths lead to now: a return has many calls.
  private func standing() throws(SystemError) -> ReturnFolder {
    ReturnFolder(
      done: try done.standing(), failed: try failed.standing(), lists: lists, groups: groups,
      copies: copies)
  }

  /// Makes the files of a list that has ended, durable on return, and marks the list; does nothing for a
  /// marked list. Takes long for a long list. Raises `final` if the list's folder is gone. Without a
  /// name or owner, because `about` is damaged, the list's number makes a name, and root alone can read. Calls
  /// `leave` when the files have their names, before the mark: after a crash in between it is called again,
  /// with the same names. Calls `lack` with the failure if there will never be results.
  /// - Parameter sum: of the dropped list; a list with another one is not returned.
  package func giveBack(
    _ list: ListID, named name: FileName?, to owner: UInt32? = nil, of sum: FileCopy.Sum? = nil,
    telling outcome: OutcomeSource? = nil, lacking lack: (Failure) -> Void = { _ in },
    leaving leave: (ReturnedNames) throws(SystemError) -> Void = { _ in }
  ) async throws(Failure) {
    do throws(Failure) {
      let begun = try asMachine { () throws(SystemError) in try begin(list) }
      guard let (folder, isReturned) = begun else {
        throw OldLists.gone(list, from: lists)
      }
      if isReturned { return }
      let here = try asMachine { () throws(SystemError) in try standing() }
      let order = Order(
        list: list, name: name ?? Self.name(of: list), folder: folder,
        readers: FileReaders(owner: owner), sum: sum, outcome: outcome)
      try await here.attempt(order, lack, leave)
    } catch {
      // A disk that is full stays full while they lie there.
      removeDrafts(of: list)
      throw error
    }
  }

  /// Marks a list whose files cannot be returned, ever, as returned.
  package func giveUp(_ list: ListID, to owner: UInt32? = nil) throws(Failure) {
    try givePictures(of: list, to: owner)
    try asMachine { () throws(SystemError) in
      if let folder = try lists.folder(ifThere: ListFolder.name(list)) {
        try ListMarks.noteReturn(in: folder)
      }
    }
  }

  /// Makes the dropped pictures of a list that gets no results appear in `failed`, under the list's number. May be
  /// repeated.
  package func givePictures(of list: ListID, to owner: UInt32? = nil) throws(Failure) {
    let folder = try asMachine { () throws(SystemError) in
      try lists.folder(ifThere: ListFolder.name(list))
    }
    guard let folder else { return }
    let readers = FileReaders(owner: owner)
    var pictures: PictureReturn?
    do throws(Failure) { pictures = try self.pictures(of: list, in: folder, readers, nil) } catch {
      // Trouble of the whole machine passes, and costs no names.
      guard ListLoss(error) != nil else { throw error }
      pictures = try asMachine { () throws(SystemError) in
        try namelessPictures(of: list, in: folder, readers)
      }
    }
    try pictures?.giveBack(to: done, failed, named: Self.name(of: list))
  }

  /// For a list whose own name is lost.
  private static func name(of list: ListID) -> FileName { FileName(made: "list-\(list).plist") }

  /// The names are lost: each picture comes back under its number. Nil if there is no picture.
  private func namelessPictures(
    of list: ListID, in folder: any Folder, _ readers: FileReaders
  ) throws(SystemError) -> PictureReturn? {
    let numbers = try folder.names().compactMap(ListFolder.pictureNumber)
    guard let highest = numbers.max() else { return nil }
    var rows: [RollRow] = []
    while rows.count < min(Int(highest), 1 << 20) {
      let name = ListFolder.picture(UInt32(rows.count + 1))
      let sum = FileCopy.Sum(size: 0, sha256: "")
      rows.append(RollRow(path: [name], inode: 0, modified: 0, sum: sum))
    }
    let roll = RollFile(rows: rows, base: 0)
    return PictureReturn(
      list: list, folder: folder, roll: roll, readers: readers, copies: copies
    ) { _ in false }
  }

  private func removeDrafts(of list: ListID) {
    for target in [done, failed] { try? PictureReturn.removeDrafts(of: list, in: target) }
    try? done.removeIfThere(ReturnPart.copy.temporary(list))
    try? results(of: list, .user(0)).removeDrafts()
  }

  private func results(of list: ListID, _ readers: FileReaders) -> ListResults {
    ListResults(of: list, done: done, failed: failed, for: readers)
  }

  private func attempt(
    _ order: Order, _ lack: (Failure) -> Void,
    _ leave: (ReturnedNames) throws(SystemError) -> Void
  ) async throws(Failure) {
    let (list, folder) = (order.list, order.folder)
    let given = try asMachine { () throws(SystemError) in
      try ReturnReceipt(ListFolder.resulted, in: folder)
    }
    let copy = try copy(order, isLate: given != nil)
    if given != nil, case .failure(let loss) = copy { throw loss }
    var files = [try? copy.get()].compactMap(\.self)
    var trouble: Failure?
    if given == nil {
      trouble = try results(of: list, order.readers).write(order.outcome, into: &files)
    }
    let hasResults = trouble == nil && given?.entries.isEmpty != true
    let pictures = try pictures(
      of: list, in: folder, order.readers, hasResults ? order.outcome : nil)
    // Once, with the results: their owner may have taken them away when the copy follows.
    if given == nil { try pictures?.giveBack(to: done, failed, named: order.name) }
    if case .failure(let loss) = copy {
      try await giveResults(files, order, leave)
      if let trouble { lack(trouble) }
      throw loss
    }
    let names = try asMachine { () throws(SystemError) in try choices(order, beside: given) }
    let first = try await files.appear(under: names, groups)
    let mark = try asMachine { () throws(SystemError) in
      let fresh = ReturnReceipt(files, as: [.copy, .result, .retry], beside: first)
      let receipt = ReturnReceipt(fresh.entries + (given?.entries ?? []))
      if given == nil { try leave(ReturnedNames(receipt)) }
      return try ListMarks.writeReturn(in: folder, Array(receipt.text.utf8))
    }
    try await groups.sync(mark)
    try asMachine { () throws(SystemError) in try pictures?.clear() }
    if let trouble { lack(trouble) }
  }

  /// The results alone, once: the copy follows when the list is back. Without files there will never be any.
  private func giveResults(
    _ files: [FreshFile], _ order: Order, _ leave: (ReturnedNames) throws(SystemError) -> Void
  ) async throws(Failure) {
    var receipt = ReturnReceipt([])
    if !files.isEmpty {
      let choices = try asMachine { () throws(SystemError) in
        try withoutCopy(FreshName.choices(order.name, order.list))
      }
      let first = try await files.appear(under: choices, groups)
      receipt = ReturnReceipt(files, as: [.result, .retry], beside: first)
    }
    try asMachine { () throws(SystemError) in
      try leave(ReturnedNames(receipt))
      try order.folder.write(whole: Array(receipt.text.utf8), as: ListFolder.resulted)
    }
  }

  /// The name beside the results that are there comes first, where a crash may have left the copy. A copy elsewhere, or
  /// beside results that are gone, is another list's.
  private func choices(
    _ order: Order, beside given: ReturnReceipt?
  ) throws(SystemError) -> [FileName] {
    let choices = FreshName.choices(order.name, order.list)
    guard let results = given?.entry(of: .result) else { return choices }
    let best = choices.filter { ReturnPart.result.name(beside: $0) == results.name }
    let isOurs = try done.holds(results.name, results.sum)
    let free = try withoutCopy(choices)
    return (isOurs ? best : best.filter { free.contains($0) }) + free.filter { !best.contains($0) }
  }

  /// The names that no list has for its copy.
  private func withoutCopy(_ choices: [FileName]) throws(SystemError) -> [FileName] {
    var free: [FileName] = []
    for choice in choices where try !done.has(choice) { free.append(choice) }
    return free
  }

  /// The list in its folder, if it is the one that was dropped, or one that is made again of the rows of a roll; otherwise
  /// a `ListLoss`.
  private func copy(_ order: Order, isLate: Bool) throws(Failure) -> Result<FreshFile, Failure> {
    let copy = try keptCopy(order, isLate: isLate)
    guard case .failure = copy, let roll = try roll(in: order.folder) else { return copy }
    let made = try asMachine { () throws(SystemError) -> FreshFile? in
      let temporary = ReturnPart.copy.temporary(order.list)
      let file = try done.openAnew(temporary)
      let made = try FreshFile(
        file, temporary, in: done, roll.writeList(to: file), for: order.readers)
      if order.sum == nil || order.sum == made.sum { return made }
      try made.discard()
      return nil
    }
    return made.map { .success($0) } ?? copy
  }

  /// - Parameter isLate: it waits since an earlier attempt: it is compared before it is written.
  private func keptCopy(
    _ order: Order, isLate: Bool
  ) throws(Failure) -> Result<FreshFile, Failure> {
    let place = "the list's folder, \(order.folder.path)"
    do throws(SystemError) {
      guard let source = try order.folder.open(ifThere: ListFolder.list) else {
        return .failure(
          ListLoss.missing.failure("\(ListFolder.list) is missing from \(place)"))
      }
      let size = try source.status().size
      var fits = order.sum == nil || order.sum?.size == size
      if fits, isLate, let sum = order.sum { fits = try FileCopy.sum(source, upTo: size) == sum }
      if fits {
        let copy = try FreshFile(
          copying: source, upTo: size, as: ReturnPart.copy.temporary(order.list), in: done,
          for: order.readers)
        if order.sum == nil || order.sum == copy.sum { return .success(copy) }
        try copy.discard()
      }
      return .failure(
        ListLoss.changed.failure(
          "\(ListFolder.list) in \(place), was changed, and is not the list that was dropped"))
    } catch {
      // Another error is one of `done`, or of the whole machine.
      guard error.isOfOneThing, error.thing == "\(order.folder.path)/\(ListFolder.list)" else {
        throw error.machineFailure
      }
      return .failure(ListLoss.unread.failure("the list cannot be read: \(error)"))
    }
  }

  /// Nil if the list was not made of pictures. Without an outcome, or without the rows, all pictures count as failed.
  private func pictures(
    of list: ListID, in folder: any Folder, _ readers: FileReaders, _ source: OutcomeSource?
  ) throws(Failure) -> PictureReturn? {
    guard let roll = try roll(in: folder) else {
      return try asMachine { () throws(SystemError) in
        try namelessPictures(of: list, in: folder, readers)
      }
    }
    var prints: Set<UInt32> = []
    if let outcome = try source?() {
      for number in 1...max(1, outcome.total) where number <= outcome.total {
        if case .filtered = try outcome.photo(number).ending { prints.insert(number) }
      }
    }
    return PictureReturn(
      list: list, folder: folder, roll: roll, readers: readers, copies: copies
    ) { [prints] in prints.contains($0) }
  }

  /// Nil if there are no rows, or they are damaged. Raises a `ListLoss` if they cannot be read.
  private func roll(in folder: any Folder) throws(Failure) -> RollFile? {
    do throws(Failure) { return try RollFile.read(from: folder) } catch {
      if error.kind == .final { return nil }
      throw ListLoss.failure(reading: error)
    }
  }

  /// False for a list that was returned, or whose folder is gone: its return reported that.
  package func isPending(_ list: ListID) throws(SystemError) -> Bool {
    guard let folder = try lists.folder(ifThere: ListFolder.name(list)) else { return false }
    return try !ListMarks(of: folder).isReturned
  }

  /// Removes unfinished files that a crash left. Call before any return begins.
  package func sweep() throws(SystemError) {
    try FreshName.sweep(done)
    try FreshName.sweep(failed)
  }

  /// The list's folder, if it is there, and whether the list was returned already.
  private func begin(
    _ list: ListID
  ) throws(SystemError) -> (folder: any Folder, isReturned: Bool)? {
    guard let folder = try lists.folder(ifThere: ListFolder.name(list)) else { return nil }
    return (folder, try ListMarks(of: folder).isReturned)
  }
}
