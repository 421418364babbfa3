// SPDX-License-Identifier: Apache-2.0
// Copies the pictures of a roll into a staging folder, and makes a list. First looks at every picture,
// so that nothing is copied while a program still writes a picture. In the inbox itself, pictures
// that are not whole are left for the next roll. A file has one copy for each thousand of its names.
// Reads and writes for long: call it on the disk. Raises an `Attempt`.

internal import Files
internal import Linux
internal import Vocabulary

struct RollCopy: Sendable {
  let roll: Roll
  let inbox: any Folder
  let trustsLeases: Bool

  /// Pictures whose writes to the disk are begun before the first is waited for.
  private static let ahead = 4

  /// Durable on return, but for the names in the staging folder.
  func run(
    into staged: any Folder, list: any OpenFile, in room: CopyRoom.Promise
  ) throws(Attempt) -> (taken: Roll, list: FileCopy.Sum) {
    var kept: [Roll.Picture] = []
    var rows: [RollRow] = []
    var begun: [any OpenFile] = []
    var twins: [Roll.Inode: (row: Int, names: Int)] = [:]
    for picture in try wholePictures() {
      let inode = Roll.Inode(picture.status)
      let last = inode.flatMap { twins[$0] }
      let twin = last.flatMap { $0.names < Roll.Copies.mostNames ? $0 : nil }
      let copy: any OpenFile
      do throws(Attempt) {
        copy = try add(picture, to: &rows, twin?.row, in: staged)
      } catch {
        if mayLeave(error) { continue }
        throw error
      }
      if twin == nil { room.wrote(picture.status.size) }
      if let inode { twins[inode] = (twin?.row ?? rows.count, (twin?.names ?? 0) + 1) }
      kept.append(picture)
      copy.beginSync()
      begun.append(copy)
      if begun.count > Self.ahead { try Self.sync(begun.removeFirst()) }
    }
    for copy in begun { try Self.sync(copy) }
    // The copy of a picture that was left.
    try asAttempt { () throws(SystemError) in
      try staged.removeIfThere(ListFolder.picture(UInt32(rows.count + 1)))
    }
    if rows.isEmpty { throw .changed }
    let taken = Roll(roll.key, roll.folder, pictures: kept)
    let file = RollFile(rows: rows, base: roll.base)
    return try asAttempt { () throws(SystemError) in
      try file.write(in: staged)
      return (taken, try file.writeList(to: list))
    }
  }

  /// - Parameter twin: the row of another name of the same file.
  private func add(
    _ picture: Roll.Picture, to rows: inout [RollRow], _ twin: Int?, in staged: any Folder
  ) throws(Attempt) -> any OpenFile {
    let name = ListFolder.picture(UInt32(rows.count + 1))
    guard let twin else {
      let copy = try asAttempt { () throws(SystemError) in try staged.openAnew(name) }
      let row = try row(picture) { (file) throws(SystemError) in
        try FileCopy.hashingCopy(file, to: copy, upTo: picture.status.size)
      }
      rows.append(row)
      return copy
    }
    let sum = rows[twin - 1].sum
    rows.append(try row(picture) { _ throws(SystemError) in sum })
    return try asAttempt { () throws(SystemError) in
      try staged.linkOrCopy(ListFolder.picture(UInt32(twin)), toEmpty: staged, as: name)
      return try staged.open(name, .read)
    }
  }

  private static func sync(_ copy: any OpenFile) throws(Attempt) {
    try asAttempt { () throws(SystemError) in try copy.sync() }
  }

  /// Looks at each picture. Raises what the first one lacks.
  private func wholePictures() throws(Attempt) -> [Roll.Picture] {
    var whole: [Roll.Picture] = []
    var last = Attempt.changed
    var holes = Holes()
    for picture in roll.pictures {
      if Task.isCancelled { throw .interrupted }
      do throws(Attempt) {
        let file = try open(picture)
        defer { file.release() }
        try checkHoles(file, picture, &holes)
        whole.append(picture)
      } catch {
        if !mayLeave(error) { throw error == .missing ? .changed : error }
        last = error
      }
    }
    if whole.isEmpty { throw last == .missing ? .changed : last }
    return whole
  }

  /// The roll without pictures that are mostly holes and may be left. The next look at each tells other obstacles.
  func withoutHoles() throws(Attempt) -> Roll {
    var whole: [Roll.Picture] = []
    var last = Attempt.changed
    var holes = Holes()
    for picture in roll.pictures {
      if Task.isCancelled { throw .interrupted }
      if picture.status.size > Holes.shortest, let file = try? open(picture) {
        defer { file.release() }
        do throws(Attempt) { try checkHoles(file, picture, &holes) } catch {
          if !mayLeave(error) { throw error }
          last = error
          continue
        }
      }
      whole.append(picture)
    }
    if whole.isEmpty { throw last }
    return Roll(roll.key, roll.folder, pictures: whole)
  }

  /// The looks at the pictures of a roll.
  private struct Holes {
    /// A smaller file costs no more than its name does.
    static let shortest: UInt64 = 64 << 10
    /// Smaller files may have holes, up to a sum: a picture may end in zeros, and the daemon's own copies have holes for
    /// them.
    private static let alone: UInt64 = 32 << 20
    private static let most: UInt64 = 1 << 30

    /// The files that may stay. Their other names need no look.
    private var seen: Set<Roll.Inode> = []
    private var small: UInt64 = 0

    func hasSeen(_ inode: Roll.Inode?) -> Bool { inode.map(seen.contains) ?? false }

    /// True if the file may stay.
    mutating func note(_ inode: Roll.Inode?, isHollow: Bool, _ size: UInt64) -> Bool {
      if isHollow {
        if size > Self.alone || size > Self.most - small { return false }
        small += size
      }
      if let inode { seen.insert(inode) }
      return true
    }
  }

  /// A hole costs its owner nothing, but the daemon the time to read it: each picture is read twice, and by a worker.
  private func checkHoles(
    _ file: DroppedFile, _ picture: Roll.Picture, _ holes: inout Holes
  ) throws(Attempt) {
    let size = picture.status.size
    if size <= Holes.shortest { return }
    let inode = Roll.Inode(picture.status)
    if holes.hasSeen(inode) { return }
    let (isHollow, now) = try asUsers(closed: DroppedFile.closed) { () throws(SystemError) in
      (try FileCopy.isHollow(file.file, size), try file.file.status().size)
    }
    if now != size { throw .changed }
    if holes.note(inode, isHollow: isHollow, size) { return }
    throw .unreadable(
      Failure(
        .final, code: "pictures.holes",
        reason: "more than half of the picture \(Roll.text(picture.path)) are holes, "
          + "as in a file that is still being downloaded",
        advice: "Take it out of the inbox, and drop it when it is complete; "
          + "cp --sparse=never makes a copy without holes"))
  }

  /// A picture in the inbox itself is left for the next roll.
  private func mayLeave(_ error: Attempt) -> Bool {
    if roll.key.place == .inbox { return false }
    return switch error {
    case .missing, .changed, .writer, .unreadable: true
    default: false
    }
  }

  private func open(_ picture: Roll.Picture) throws(Attempt) -> DroppedFile {
    // The pictures of a dropped folder belong to its owner, whoever gave them their names.
    if roll.key.place != .inbox { try DroppedFile.checkNames(picture.status) }
    let path = Array(picture.path.dropLast())
    let folder = try asUsers(closed: { RollLook.closed(path, $0) }) { () throws(SystemError) in
      try RollLook.folder(path, in: inbox)
    }
    guard let folder, let name = picture.path.last else { throw .missing }
    return try DroppedFile(
      Candidate(key: Candidate.Key(name), status: picture.status), in: folder, .quiet,
      trustsLeases: trustsLeases)
  }

  /// `copy` returns the sum of the copy.
  private func row(
    _ picture: Roll.Picture, _ copy: (any OpenFile) throws(SystemError) -> FileCopy.Sum
  ) throws(Attempt) -> RollRow {
    let dropped: DroppedFile
    do throws(Attempt) { dropped = try open(picture) } catch {
      throw error == .missing ? .changed : error
    }
    defer { dropped.release() }
    let status = picture.status
    let sum = try asUsers(closed: DroppedFile.closed) { () throws(SystemError) in
      let sum = try copy(dropped.file)
      return try dropped.isUntouched() && sum.size == status.size ? sum : nil
    }
    guard let sum else { throw .changed }
    return RollRow(path: picture.path, inode: status.inode, modified: status.modified, sum: sum)
  }
}
