// SPDX-License-Identifier: Apache-2.0
// Removes the pictures of a recorded list from the inbox: moves each into `.claim/N`, where other users cannot open
// it by name, checks it again, and unlinks it. A picture that has changed stays or goes back; if its name is taken, it
// stays in `.claim/N`, where the next look finds it. One that a program has open for writing stays until the program
// has closed it. Then removes the folders that are empty now. Every step can be repeated. Reads all pictures again, but a
// file with several names once, as long as its lease proves that no program writes it, and twice at most without that
// proof: its other names wait for the next run. Call it on the disk. Raises an `Attempt`.

internal import Files
internal import Linux
internal import Vocabulary

struct RollWithdrawal {
  /// Pictures that are moved before they are removed together.
  private static let batch = 256
  /// A run compares a file with several names this often. Its owner can break each lease, and some file systems have none.
  private static let mostComparisons = 2

  /// A file that was compared, under a lease that is kept for its other names.
  private struct Proof {
    let file: any OpenFile
    let row: RollRow
  }

  private let inbox: any Folder
  private let list: ListID
  private let roll: RollFile
  /// Of each inode the first place in the roll, and those that have several.
  private let firsts: [UInt64: Int]
  private let twins: Set<UInt64>
  private var proof: Proof?
  /// Of inodes with several names, in this run.
  private var comparisons: [UInt64: Int] = [:]
  /// Inodes with several names whose contents have changed.
  private var changed: Set<UInt64> = []

  init(inbox: any Folder, list: ListID, roll: RollFile) {
    (self.inbox, self.list, self.roll) = (inbox, list, roll)
    var firsts: [UInt64: Int] = [:]
    var twins: Set<UInt64> = []
    for (place, row) in roll.rows.enumerated() {
      if firsts[row.inode] == nil { firsts[row.inode] = place } else { twins.insert(row.inode) }
    }
    (self.firsts, self.twins) = (firsts, twins)
  }

  /// The places in the roll; the names of one file follow each other.
  private var places: [Int] {
    let all = Array(roll.rows.indices)
    if twins.isEmpty { return all }
    func first(_ place: Int) -> Int { firsts[roll.rows[place].inode] ?? place }
    return all.sorted { (first($0), $0) < (first($1), $1) }
  }

  /// Why one of the pictures stays, a writer or a mount: call again. Nil when all have left.
  mutating func run() throws(Attempt) -> Attempt? {
    defer { forget() }
    let name = ListFolder.name(list)
    let (claims, nest) = try asAttempt { () throws(SystemError) in
      let claims = try ClaimFolder(inbox: inbox).standing()
      let nest = try claims.folder(name, creating: true)
      try claims.sync()
      return (claims, nest)
    }
    try clear(nest)
    var (places, obstacle) = (places[...], Attempt?.none)
    while !places.isEmpty {
      if Task.isCancelled { throw .interrupted }
      obstacle = try withdraw(places.prefix(Self.batch), into: nest) ?? obstacle
      places = places.dropFirst(Self.batch)
    }
    // A picture that could not go back keeps it.
    try? claims.removeFolder(name)
    try asAttempt { () throws(SystemError) in
      try claims.sync()
      try removeEmptyFolders()
    }
    return obstacle
  }

  /// For the folders that the pictures lie in, which their owner may change meanwhile.
  private static func asOwners<Value>(
    _ path: [FileName], _ act: () throws(SystemError) -> Value
  ) throws(Attempt) -> Value {
    try asUsers(closed: { RollLook.closed(path, $0) }, act)
  }

  /// Pictures that a crash left in `.claim/N`.
  private func clear(_ nest: any Folder) throws(Attempt) {
    let names = try asAttempt { () throws(SystemError) in Set(try nest.names()) }
    guard !names.isEmpty else { return }
    var compared: Set<UInt64> = []
    for (place, row) in roll.rows.enumerated() where names.contains(nestName(place)) {
      let isKnown = compared.contains(row.inode)
      if try settle(row, in: nest, nestName(place), rereads: !isKnown) {
        compared.insert(row.inode)
      }
    }
    try asAttempt { () throws(SystemError) in try nest.sync() }
  }

  /// Why one of the pictures cannot leave now.
  private mutating func withdraw(
    _ places: ArraySlice<Int>, into nest: any Folder
  ) throws(Attempt) -> Attempt? {
    var obstacle: Attempt?
    var touched: [[FileName]: any Folder] = [:]
    var moved: [(name: FileName, row: RollRow)] = []
    for place in places {
      let row = roll.rows[place]
      let path = Array(row.path.dropLast())
      let known = touched[path]
      guard let folder = try known == nil ? folder(path) : known else {
        if try isCovered(path) { obstacle = .covered }
        continue
      }
      switch try move(row, from: folder, to: nest, as: nestName(place)) {
      case .moved: break
      case .stays: continue
      case .held(let reason):
        obstacle = reason
        continue
      }
      moved.append((nestName(place), row))
      touched[path] = folder
    }
    try asAttempt { () throws(SystemError) in try nest.sync() }
    for (path, folder) in touched {
      try Self.asOwners(path) { () throws(SystemError) in try folder.sync() }
    }
    for (name, row) in moved {
      // Where no lease is granted, a program may have written to it meanwhile.
      try settle(row, in: nest, name, rereads: false)
    }
    try asAttempt { () throws(SystemError) in try nest.sync() }
    return obstacle
  }

  private func folder(_ path: [FileName]) throws(Attempt) -> (any Folder)? {
    try Self.asOwners(path) { () throws(SystemError) in try RollLook.folder(path, in: inbox) }
  }

  /// Something is mounted over a part of the path.
  private func isCovered(_ path: [FileName]) throws(Attempt) -> Bool {
    for length in path.indices {
      let above = try folder(Array(path.prefix(length)))
      if above?.isOtherFileSystem(path[length]) == true { return true }
    }
    return false
  }

  /// Removes the picture from `.claim/N`, or puts it back if it has changed. True if it was removed.
  @discardableResult
  private func settle(
    _ row: RollRow, in nest: any Folder, _ name: FileName, rereads: Bool
  ) throws(Attempt) -> Bool {
    let status = try asAttempt { () throws(SystemError) in try nest.status(ifThere: name) }
    guard let status else { return false }
    var isTheirs = row.resembles(status)
    if isTheirs, rereads {
      isTheirs = try Self.asOwners(row.path) { () throws(SystemError) in
        try isStill(row, nest.open(name, .read))
      }
    }
    if isTheirs {
      try asAttempt { () throws(SystemError) in try nest.remove(name) }
    } else {
      try putBack(row, from: nest, name)
    }
    return isTheirs
  }

  private enum Move {
    case moved
    /// It is another picture, or has changed.
    case stays
    /// A program has it open for writing, or something is mounted over it.
    case held(Attempt)
  }

  private mutating func move(
    _ row: RollRow, from folder: any Folder, to nest: any Folder, as name: FileName
  ) throws(Attempt) -> Move {
    do throws(Attempt) {
      return try take(row, from: folder, to: nest, as: name) ? .moved : .stays
    } catch {
      switch error {
      case .writer, .covered: return .held(error)
      case .missing, .changed: return .stays
      default: throw error
      }
    }
  }

  /// False if it has changed. Raises `writer`, `covered`, `missing` or `changed` only while the picture is where it was.
  private mutating func take(
    _ row: RollRow, from folder: any Folder, to nest: any Folder, as name: FileName
  ) throws(Attempt) -> Bool {
    guard let own = row.path.last else { return false }
    if let proof, proof.row.inode != row.inode { forget() }
    let thing = "\(folder.path)/\(own)"
    if folder.isOtherFileSystem(own) { throw .covered }
    let status = try Self.asOwners(row.path) { () throws(SystemError) in
      try folder.status(ifThere: own)
    }
    guard let status, row.resembles(status), let file = try compared(row, own, in: folder) else {
      return false
    }
    let hasLease = proof != nil
    defer { if !twins.contains(row.inode) { forget() } }
    do throws(SystemError) {
      try folder.rename(own, to: nest, as: name, replacing: false)
    } catch {
      throw error.name == .busy
        ? .covered : error.attempt(closed: { RollLook.closed(row.path, $0) })
    }
    let isTaken = try asAttempt { () throws(SystemError) in
      let isUntouched = hasLease ? try FileLease.stands(file, thing) : true
      guard let now = try nest.status(ifThere: name) else { return false }
      return isUntouched && row.resembles(now)
    }
    if !isTaken {
      forget()
      try putBack(row, from: nest, name)
    }
    return isTaken
  }

  /// The file of a row, if its contents are as they were copied. Raises `writer`.
  private mutating func compared(
    _ row: RollRow, _ own: FileName, in folder: any Folder
  ) throws(Attempt) -> (any OpenFile)? {
    let thing = "\(folder.path)/\(own)"
    if let proof, proof.row.inode == row.inode, proof.row.sum == row.sum {
      let stands = try asAttempt { () throws(SystemError) in
        try FileLease.stands(proof.file, thing)
      }
      if stands { return proof.file }
    }
    forget()
    guard try mayCompare(row.inode) else { return nil }
    let file = try Self.asOwners(row.path) { () throws(SystemError) in
      try folder.open(own, .read)
    }
    let lease = try Self.asOwners(row.path) { () throws(SystemError) in
      try FileLease.take(file, thing)
    }
    if lease == .writer { throw .writer }
    if lease == .held { proof = Proof(file: file, row: row) }
    let isWhole: Bool
    do throws(Attempt) {
      isWhole = try Self.asOwners(row.path) { () throws(SystemError) in
        // The name may be of another file since it was looked at.
        guard try row.resembles(file.status()) else { return false }
        let isSame = try isStill(row, file)
        if !isSame, twins.contains(row.inode) { changed.insert(row.inode) }
        return isSame
      }
    } catch {
      forget()
      throw error
    }
    if !isWhole { forget() }
    return isWhole ? file : nil
  }

  /// False if it has changed. Raises `writer` if it was compared often enough: the next run goes on.
  private mutating func mayCompare(_ inode: UInt64) throws(Attempt) -> Bool {
    guard twins.contains(inode) else { return true }
    if changed.contains(inode) { return false }
    let before = comparisons[inode, default: 0]
    if before >= Self.mostComparisons { throw .writer }
    comparisons[inode] = before + 1
    return true
  }

  private mutating func forget() {
    if let proof { FileLease.drop(proof.file) }
    proof = nil
  }

  private func isStill(_ row: RollRow, _ file: any OpenFile) throws(SystemError) -> Bool {
    try FileCopy.sum(file, upTo: row.sum.size) == row.sum
  }

  /// If its folder is gone or its name is taken, it stays in `.claim/N`.
  private func putBack(
    _ row: RollRow, from nest: any Folder, _ name: FileName
  ) throws(Attempt) {
    let path = Array(row.path.dropLast())
    guard let own = row.path.last, let home = try folder(path) else { return }
    let isBack = try Self.asOwners(path) { () throws(SystemError) in
      do throws(SystemError) {
        try nest.rename(name, to: home, as: own, replacing: false)
      } catch {
        if error.exists || error.isMissing { return false }
        throw error
      }
      try home.sync()
      return true
    }
    if isBack { try asAttempt { () throws(SystemError) in try nest.sync() } }
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
      // Its owner may have changed it in another way: it stays.
      if error.isBeyondUsers { throw error }
    }
  }
}
