// SPDX-License-Identifier: Apache-2.0
// Removes the pictures of a recorded list from the inbox: moves each into `.claim/N`, where other users cannot open
// it by name, checks it again, and unlinks it. A picture that has changed stays or goes back; if its name is taken, it
// stays in `.claim/N`, where the next look finds it. One that a program has open for writing stays until the program
// has closed it. Then removes the folders that are empty now. Every step can be repeated. Reads all pictures again:
// call it on the disk. Raises SystemError.

internal import Files
internal import Linux
internal import Vocabulary

struct RollWithdrawal {
  /// Pictures that are moved before they are removed together.
  private static let batch = 256

  let inbox: any Folder
  let list: ListID
  let roll: RollFile

  /// False if a program has one of the pictures open for writing: call again.
  func run() throws(SystemError) -> Bool {
    let claims = try ClaimFolder(inbox: inbox).standing()
    let name = ListFolder.name(list)
    let nest = try claims.folder(name, creating: true)
    try claims.sync()
    try clear(nest)
    var (first, isDone) = (0, true)
    while first < roll.rows.count {
      if Task.isCancelled { throw .cancelled }
      let last = min(first + Self.batch, roll.rows.count)
      if try !withdraw(first..<last, into: nest) { isDone = false }
      first = last
    }
    // A picture that could not go back keeps it.
    try? claims.removeFolder(name)
    try claims.sync()
    try removeEmptyFolders()
    return isDone
  }

  /// Pictures that a crash left in `.claim/N`.
  private func clear(_ nest: any Folder) throws(SystemError) {
    let names = Set(try nest.names())
    guard !names.isEmpty else { return }
    for (place, row) in roll.rows.enumerated() where names.contains(nestName(place)) {
      let name = nestName(place)
      try settle(row, in: nest, name, rereads: true)
    }
    try nest.sync()
  }

  /// False if one of the pictures is being written.
  private func withdraw(
    _ places: Range<Int>, into nest: any Folder
  ) throws(SystemError) -> Bool {
    var isDone = true
    var touched: [[FileName]: any Folder] = [:]
    var moved: [(name: FileName, row: RollRow)] = []
    for place in places {
      let row = roll.rows[place]
      let path = Array(row.path.dropLast())
      let known = touched[path]
      guard let folder = try known == nil ? RollLook.folder(path, in: inbox) : known else {
        continue
      }
      switch try move(row, from: folder, to: nest, as: nestName(place)) {
      case .moved: break
      case .stays: continue
      case .written:
        isDone = false
        continue
      }
      moved.append((nestName(place), row))
      touched[path] = folder
    }
    try nest.sync()
    for folder in touched.values { try folder.sync() }
    for (name, row) in moved {
      // Where no lease is granted, a program may have written to it meanwhile.
      try settle(row, in: nest, name, rereads: false)
    }
    try nest.sync()
    return isDone
  }

  /// Removes the picture from `.claim/N`, or puts it back if it has changed.
  private func settle(
    _ row: RollRow, in nest: any Folder, _ name: FileName, rereads: Bool
  ) throws(SystemError) {
    guard let status = try nest.status(ifThere: name) else { return }
    var isTheirs = row.resembles(status)
    if isTheirs, rereads { isTheirs = try isStill(row, nest.open(name, .read)) }
    if isTheirs { try nest.remove(name) } else { try putBack(row, from: nest, name) }
  }

  private enum Move {
    case moved
    /// It is another picture, or has changed.
    case stays
    /// A program has it open for writing.
    case written
  }

  private func move(
    _ row: RollRow, from folder: any Folder, to nest: any Folder, as name: FileName
  ) throws(SystemError) -> Move {
    guard let own = row.path.last, let status = try folder.status(ifThere: own),
      row.resembles(status), let file = try folder.open(ifThere: own)
    else { return .stays }
    let thing = "\(folder.path)/\(own)"
    let lease = try FileLease.take(file, thing)
    if lease == .writer { return .written }
    defer { if lease == .held { FileLease.drop(file) } }
    guard try isStill(row, file) else { return .stays }
    do throws(SystemError) {
      try folder.rename(own, to: nest, as: name, replacing: false)
    } catch {
      if error.isMissing { return .stays }
      throw error
    }
    let isUntouched = lease == .held ? try FileLease.stands(file, thing) : true
    if let now = try nest.status(ifThere: name), isUntouched, row.resembles(now) { return .moved }
    try putBack(row, from: nest, name)
    return .stays
  }

  private func isStill(_ row: RollRow, _ file: any OpenFile) throws(SystemError) -> Bool {
    try FileCopy.sum(file, upTo: row.sum.size) == row.sum
  }

  private func putBack(
    _ row: RollRow, from nest: any Folder, _ name: FileName
  ) throws(SystemError) {
    guard let own = row.path.last, let home = try RollLook.folder(row.path.dropLast(), in: inbox)
    else { return }
    do throws(SystemError) {
      try nest.rename(name, to: home, as: own, replacing: false)
    } catch {
      if error.exists || error.isMissing { return }
      throw error
    }
    try home.sync()
    try nest.sync()
  }

  /// Keeps the ending, by which a picture that stays is found.
  private func nestName(_ place: Int) -> FileName {
    let number = Array("\(place + 1)~".utf8)
    let name = roll.rows[place].path.last?.bytes ?? []
    return FileName(bytes: number + name) ?? FileName(made: number + name.suffix(200))
  }

  /// Those that the pictures lay in, deepest first. A file that is put into one meanwhile keeps it.
  private func removeEmptyFolders() throws(SystemError) {
    guard roll.base > 0 else { return }
    var paths: Set<[FileName]> = []
    for row in roll.rows {
      for length in 1..<row.path.count { paths.insert(Array(row.path.prefix(length))) }
    }
    for path in paths.sorted(by: { $0.count > $1.count }) { try removeIfEmpty(path) }
    // If that is undone by a power cut, an empty folder stays.
    try? inbox.sync()
  }

  private func removeIfEmpty(_ path: [FileName]) throws(SystemError) {
    do throws(SystemError) {
      guard let name = path.last, let parent = try RollLook.folder(path.dropLast(), in: inbox)
      else { return }
      try parent.removeFolder(name)
    } catch {
      switch error.name {
      case .missing, .notEmpty, .exists, .busy, .denied, .notPermitted, .notFolder, .isLink: break
      default: throw error
      }
    }
  }
}
