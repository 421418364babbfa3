// SPDX-License-Identifier: Apache-2.0
// Gives the dropped pictures of a list back: those that became prints to `done/NAME/`, the others to `failed/NAME/`,
// under their own names and in their own folders. Each folder appears whole, by rename, and replaces nothing. The
// pictures that failed stay in the list's folder as well, so that a retry has them. Repeated after a crash, it
// recognises a folder that it has already given back. Raises SystemError.

internal import Files
internal import Vocabulary

struct PictureReturn {
  let list: ListID
  /// STATE/lists/N.
  let folder: any Folder
  let roll: RollFile
  let readers: FileReaders
  /// True for a photo that became a print.
  let isPrint: (UInt32) -> Bool

  /// - Parameter name: of the list's own copy.
  func giveBack(
    to done: any Folder, _ failed: any Folder, named name: FileName
  ) throws(SystemError) {
    for (target, wantsPrints) in [(done, true), (failed, false)] {
      let numbers = try numbers(wantsPrints: wantsPrints)
      if numbers.isEmpty { continue }
      try appear(numbers, in: target, under: Self.choices(name, list))
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
    _ numbers: [UInt32], in target: any Folder, under choices: [FileName]
  ) throws(SystemError) {
    for choice in choices where try isOurs(choice, in: target, numbers) { return }
    let temporary = Self.temporary(list)
    try target.removeTree(temporary)
    try fill(numbers, try target.folder(temporary, creating: true))
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
  private func fill(_ numbers: [UInt32], _ draft: any Folder) throws(SystemError) {
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
      try place(number, as: path.last, in: chain.last?.folder ?? draft)
    }
    while let (_, folder) = chain.popLast() { try folder.sync() }
    try draft.sync()
  }

  private func place(
    _ number: UInt32, as name: FileName?, in home: any Folder
  ) throws(SystemError) {
    let source = ListFolder.picture(number)
    var own = name ?? source
    // The same name twice, from folders that a person renamed meanwhile, or on a disk that ignores case.
    var tries = 0
    while try home.has(own) {
      tries += 1
      let mark = "\(number)~\(tries)~"
      own = FileName(made: Array(mark.utf8) + (name ?? source).bytes.suffix(200))
    }
    if isPrint(number) {
      try folder.linkOrCopy(source, toEmpty: home, as: own)
    } else {
      // It stays in the list's folder as well, where no other user may change it.
      let file = try folder.open(source, .read)
      try FileCopy.copy(file, to: home.open(own, .create), upTo: file.status().size)
    }
    try home.setReaders(readers, of: own)
    try home.open(own, .read).sync()
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
    for number in numbers {
      let path = path(number)
      var home: (any Folder)? = given
      for name in path.dropLast() {
        guard let above = home else { break }
        home = try Self.folder(name, in: above)
      }
      guard let name = path.last, let home, try home.has(name),
        try home.holds(name, sum(of: number))
      else { return false }
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
