// SPDX-License-Identifier: Apache-2.0
// Gives the dropped pictures of a list back: those that became prints to `done/NAME/`, the others to `failed/NAME/`,
// under their own names and in their own folders. Each folder appears whole, by rename, and replaces nothing. The
// pictures that failed stay in the list's folder as well, so that a retry has them: their copies begin when there is
// room for all. Names of one file come back as names of one file. Repeated after a crash, it recognises a folder that it
// has already given back. Raises SystemError, and `pictures.room` if there is no room for the copies.

internal import Files
internal import Vocabulary

struct PictureReturn {
  let list: ListID
  /// STATE/lists/N.
  let folder: any Folder
  let roll: RollFile
  let readers: FileReaders
  let copies: CopyRoom
  /// True for a photo that became a print.
  let isPrint: (UInt32) -> Bool

  /// - Parameter name: of the list's own copy.
  func giveBack(
    to done: any Folder, _ failed: any Folder, named name: FileName
  ) throws(Failure) {
    for (target, wantsPrints) in [(done, true), (failed, false)] {
      let missing = try asMachine { () throws(SystemError) -> [UInt32] in
        let numbers = try numbers(wantsPrints: wantsPrints)
        return try isBack(numbers, in: target, Self.choices(name, list)) ? [] : numbers
      }
      if missing.isEmpty { continue }
      let need = try asMachine { () throws(SystemError) in try size(of: missing, in: target) }
      let room = need > 0 ? try copies.ask(need, in: target) : nil
      try asMachine { () throws(SystemError) in
        try appear(missing, in: target, under: Self.choices(name, list), room)
      }
    }
  }

  private func isBack(
    _ numbers: [UInt32], in target: any Folder, _ choices: [FileName]
  ) throws(SystemError) -> Bool {
    if numbers.isEmpty { return true }
    for choice in choices where try isOurs(choice, in: target, numbers) { return true }
    return false
  }

  /// Of the copies that these pictures need there.
  private func size(
    of numbers: [UInt32], in target: any Folder
  ) throws(SystemError) -> UInt64 {
    let links = try canLink(numbers, in: target)
    var size: UInt64 = 0
    var twins: Set<UInt64> = []
    for number in numbers where !(links && isPrint(number)) {
      let status = try folder.status(of: ListFolder.picture(number))
      if status.links > 1, !twins.insert(status.inode).inserted { continue }
      size = min(size, UInt64(Int64.max)) + min(status.size, UInt64(Int64.max))
    }
    return size
  }

  /// By a trial: one file system may be mounted at both places, which looks like one device, and allows no links.
  private func canLink(
    _ numbers: [UInt32], in target: any Folder
  ) throws(SystemError) -> Bool {
    guard try target.device() == folder.device(), let number = numbers.first(where: isPrint) else {
      return false
    }
    let name = Self.temporary(list)
    try target.removeTree(name)
    do throws(SystemError) {
      let draft = try target.folder(name, creating: true)
      let picture = ListFolder.picture(number)
      try folder.link(picture, toEmpty: draft, as: picture)
      try target.removeTree(name)
      return true
    } catch {
      try? target.removeTree(name)
      guard error.meansNoLink || error.name == .crossesDevices else { throw error }
      return false
    }
  }

  /// Removes the pictures that became prints. Call when they are given back for good.
  func clear() throws(SystemError) {
    for number in try numbers(wantsPrints: true) {
      try folder.removeIfThere(ListFolder.picture(number))
    }
  }

  static func removeDrafts(of list: ListID, in target: any Folder) throws(SystemError) {
    try target.removeTree(temporary(list))
  }

  private static func temporary(_ list: ListID) -> FileName {
    FreshName.temporary(list, ".pictures")
  }

  /// The list's name without its ending, as a folder.
  private static func choices(_ name: FileName, _ list: ListID) -> [FileName] {
    FreshName.choices(name, list).compactMap { FileName(bytes: ListName($0).stem) }
  }

  private func numbers(wantsPrints: Bool) throws(SystemError) -> [UInt32] {
    let there = Set(try folder.names())
    return roll.rows.indices.map { UInt32($0 + 1) }.filter {
      isPrint($0) == wantsPrints && there.contains(ListFolder.picture($0))
    }
  }

  private func path(_ number: UInt32) -> ArraySlice<FileName> {
    let path = roll.rows[Int(number) - 1].path
    // A picture that a crash left in `.claim/N` has no separate folder.
    return roll.base == 0 ? path.suffix(1) : path.dropFirst(roll.base)
  }

  // MARK: a folder

  private func appear(
    _ numbers: [UInt32], in target: any Folder, under choices: [FileName],
    _ room: CopyRoom.Promise?
  ) throws(SystemError) {
    let temporary = Self.temporary(list)
    try target.removeTree(temporary)
    try fill(numbers, try target.folder(temporary, creating: true), room)
    try target.setReaders(readers, of: temporary)
    for choice in choices {
      do throws(SystemError) {
        try target.rename(temporary, to: target, as: choice, replacing: false)
        return try target.sync()
      } catch { if !error.exists { throw error } }
    }
    throw SystemError(.exists, call: "rename", thing: "\(target.path)/\(temporary)")
  }

  /// The pictures are in the order of their paths: only the folders above the current one are open.
  private func fill(
    _ numbers: [UInt32], _ draft: any Folder, _ room: CopyRoom.Promise?
  ) throws(SystemError) {
    // The first name of each file with several names.
    var twins: [UInt64: [FileName]] = [:]
    var chain: [(name: FileName, folder: any Folder)] = []
    for number in numbers {
      if Task.isCancelled { throw .cancelled }
      let path = path(number)
      let above = Array(path.dropLast())
      let common = zip(chain, above).prefix { $0.name == $1 }.count
      while chain.count > common { try chain.removeLast().folder.sync() }
      for name in above[common...] {
        let parent = chain.last?.folder ?? draft
        let folder = try parent.folder(name, creating: true)
        try parent.setReaders(readers, of: name)
        chain.append((name, folder))
      }
      let status = try folder.status(of: ListFolder.picture(number))
      let home = chain.last?.folder ?? draft
      let own = try freeName(for: number, path.last, in: home)
      let twin = status.links > 1 ? twins[status.inode] : nil
      if let twin {
        try link(twin, in: draft, to: home, as: own)
      } else {
        try place(number, as: own, in: home)
        room?.wrote(status.size)
        if status.links > 1 { twins[status.inode] = above + [own] }
      }
      try home.setReaders(readers, of: own)
      try home.open(own, .read).sync()
    }
    while let (_, folder) = chain.popLast() { try folder.sync() }
    try draft.sync()
  }

  private func freeName(
    for number: UInt32, _ name: FileName?, in home: any Folder
  ) throws(SystemError) -> FileName {
    let source = ListFolder.picture(number)
    var own = name ?? source
    // The same name twice, from folders that a person renamed meanwhile, or on a disk that ignores case.
    var tries = 0
    while try home.has(own) {
      tries += 1
      let mark = "\(number)~\(tries)~"
      own = FileName(made: Array(mark.utf8) + (name ?? source).bytes.suffix(200))
    }
    return own
  }

  /// Another name of a picture of the draft.
  private func link(
    _ path: [FileName], in draft: any Folder, to home: any Folder, as own: FileName
  ) throws(SystemError) {
    var folder = draft
    for name in path.dropLast() { folder = try folder.folder(name, creating: false) }
    if let name = path.last { try folder.linkOrCopy(name, toEmpty: home, as: own) }
  }

  private func place(
    _ number: UInt32, as own: FileName, in home: any Folder
  ) throws(SystemError) {
    let source = ListFolder.picture(number)
    if isPrint(number) {
      try folder.linkOrCopy(source, toEmpty: home, as: own)
    } else {
      // It stays in the list's folder as well, where no other user may change it.
      let file = try folder.open(source, .read)
      try FileCopy.copy(file, to: home.open(own, .create), upTo: file.status().size)
    }
  }

  private func isOurs(
    _ choice: FileName, in target: any Folder, _ numbers: [UInt32]
  ) throws(SystemError) -> Bool {
    guard let given = try Self.folder(choice, in: target) else { return false }
    guard try target.isFor(readers, choice, target.status(of: choice)) else { return false }
    return try holds(numbers, given)
  }

  /// True if the folder has all the pictures already.
  private func holds(
    _ numbers: [UInt32], _ given: any Folder
  ) throws(SystemError) -> Bool {
    var compared: [UInt64: FileCopy.Sum] = [:]
    for number in numbers {
      let path = path(number)
      var home: (any Folder)? = given
      for name in path.dropLast() {
        guard let above = home else { break }
        home = try Self.folder(name, in: above)
      }
      guard let name = path.last, let home, let status = try home.status(ifThere: name) else {
        return false
      }
      let sum = try sum(of: number)
      if compared[status.inode] == sum { continue }
      guard try home.holds(name, sum) else { return false }
      compared[status.inode] = sum
    }
    return true
  }

  /// Rows that were lost have no sums: then the list's picture is read.
  private func sum(of number: UInt32) throws(SystemError) -> FileCopy.Sum {
    let sum = roll.rows[Int(number) - 1].sum
    if !sum.sha256.isEmpty { return sum }
    let picture = try folder.open(ListFolder.picture(number), .read)
    return try FileCopy.sum(picture, upTo: picture.status().size)
  }

  /// Nil if the name is missing, or not of a folder.
  private static func folder(
    _ name: FileName, in parent: any Folder
  ) throws(SystemError) -> (any Folder)? {
    guard try parent.status(ifThere: name)?.kind == .folder else { return nil }
    return try parent.folder(ifThere: name)
  }
}
