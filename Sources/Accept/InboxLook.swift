// SPDX-License-Identifier: Apache-2.0
// One look at the inbox and at `.claim`: unordered names, each with its status if neither the name nor its
// kind decides. Raises SystemError; a file that vanishes is left out.

internal import Files
internal import Linux
internal import Vocabulary

struct InboxLook {
  let inbox: any Folder
  /// Pictures and folders become lists.
  let pictures: Bool
  /// They do not, because this is a node of a cluster.
  var isNode = false
  /// Lists whose folders in `.claim` are in use.
  var busy: Set<ListID> = []
  /// Folders that were looked through before, and are not due.
  var known: [Candidate.Key: FileStatus] = [:]
  /// As earlier sweeps saw them.
  var ignored = IgnoredNames()

  func entries() throws(SystemError) -> [InboxState.Entry] {
    var loose = LoosePictures()
    // First, because it may remove a name from the inbox.
    var entries = try claimed(&loose)
    for entry in try inbox.entries()
    where entry.name != ClaimFolder.name && !NewFile.isTemporary(entry.name) {
      do throws(SystemError) {
        if let entry = try self.entry(entry, &loose) { entries.append(entry) }
      } catch {
        // A dead mount under one name does not hide the others.
        guard entry.kind == .folder, error.isOfOneThing else { throw error }
        entries.append(InboxState.Entry(Candidate.Key(entry.name), ignored: .unreachable))
      }
    }
    return entries + (try rolls(of: loose).map { InboxState.Entry(roll: $0) })
  }

  /// Nil if it is gone, or a picture that belongs to a roll.
  private func entry(
    _ entry: FolderEntry, _ loose: inout LoosePictures
  ) throws(SystemError) -> InboxState.Entry? {
    let key = Candidate.Key(entry.name)
    let mayBePicture =
      pictures && (entry.kind != .file || PictureName(entry.name.bytes).isPicture)
    // One stat, not at each sweep, where the name and the kind decide: there may be many. None of a folder, which may
    // be a mount whose server is gone.
    if let reason = IgnoredReason.judge(entry.name, entry.kind), reason == .hidden || !mayBePicture
    {
      var owner: UInt32?
      if let kind = entry.kind, kind != .folder, ignored.wantsOwner(of: entry.name) {
        owner = (try? inbox.status(ifThere: entry.name))?.owner
      }
      return InboxState.Entry(key, ignored: isNode ? reason.atNode : reason, owner: owner)
    }
    guard let status = try inbox.status(ifThere: entry.name) else { return nil }
    if pictures, status.kind == .folder {
      if let known = known[key], known.inode == status.inode {
        return InboxState.Entry(rollKey: key, known)
      }
      return try RollLook(inbox: inbox).roll(entry.name).map { InboxState.Entry(roll: $0) }
    }
    if pictures, status.kind == .file, PictureName(entry.name.bytes).isPicture {
      loose.add(Roll.Picture(path: [entry.name], status: status))
      return nil
    }
    return InboxState.Entry(key, status)
  }

  /// The pictures in the inbox itself, by user.
  struct LoosePictures {
    private(set) var pictures: [UInt32: [Roll.Picture]] = [:]
    private var bytes: [UInt32: Int] = [:]

    /// A user's pictures have limits, so that no user hides those of another. The others are seen when these have gone.
    mutating func add(_ picture: Roll.Picture) {
      let owner = picture.status.owner
      bytes[owner, default: 0] += picture.path.reduce(0) { $0 + $1.bytes.count + 1 }
      guard pictures[owner, default: []].count < Roll.maximumEntries,
        bytes[owner, default: 0] <= Roll.maximumBytes
      else { return }
      pictures[owner, default: []].append(picture)
    }
  }

  private func rolls(of loose: LoosePictures) throws(SystemError) -> [Roll] {
    try loose.pictures.sorted { $0.key < $1.key }.map { owner, pictures throws(SystemError) in
      // In place of the inbox's own, which belongs to another user and says nothing about them.
      let first = pictures[0].status
      let folder = FileStatus(
        kind: .folder, device: first.device, inode: first.inode, size: 0, owner: owner, mode: 0,
        modified: 0, changed: 0)
      return Roll(
        Candidate.Key(Roll.looseName, in: .loose(owner: owner)), folder, pictures: pictures)
    }
  }

  /// The current status of one candidate; nil if it is gone, or cannot be looked at: the next sweep tells.
  func status(_ key: Candidate.Key) throws(SystemError) -> FileStatus? {
    do throws(SystemError) { return try currentStatus(key) } catch {
      guard error.isOfDeadMount else { throw error }
      return nil
    }
  }

  private func currentStatus(_ key: Candidate.Key) throws(SystemError) -> FileStatus? {
    switch key.place {
    case .claim(let list):
      let nest = try inbox.folder(ifThere: ClaimFolder.name)?
        .folder(ifThere: ListFolder.name(list))
      return try nest?.status(ifThere: key.name)
    case .loose: return try roll(key)?.status
    case .inbox:
      guard let status = try inbox.status(ifThere: key.name) else { return nil }
      return pictures && status.kind == .folder ? try roll(key)?.status : status
    }
  }

  /// The current pictures of the key; nil if there are none.
  func roll(_ key: Candidate.Key) throws(SystemError) -> Roll? {
    guard case .loose = key.place else { return try RollLook(inbox: inbox).roll(key.name) }
    var loose = LoosePictures()
    _ = try claimed(&loose)
    for entry in try inbox.entries() where PictureName(entry.name.bytes).isPicture {
      _ = try self.entry(entry, &loose)
    }
    return try rolls(of: loose).first { $0.key == key }
  }

  /// The files in `.claim/N`. Removes empty folders, and a probe that could not be removed. A foreign `.claim`
  /// yields no files.
  private func claimed(
    _ loose: inout LoosePictures
  ) throws(SystemError) -> [InboxState.Entry] {
    guard let claims = try ClaimFolder(inbox: inbox).existing() else { return [] }
    var entries: [InboxState.Entry] = []
    for nest in try claims.names() {
      if nest == ClaimFolder.probe { try? claims.remove(nest) }
      guard let list = ListFolder.number(nest), !busy.contains(list) else { continue }
      let folder = try claims.folder(nest, creating: false)
      let names = try folder.names()
      if names.isEmpty { try? claims.removeFolder(nest) }
      for name in names {
        guard let status = try claimed(name, in: folder) else { continue }
        if status.kind == .file, PictureName(name.bytes).isPicture {
          loose.add(Roll.Picture(path: [ClaimFolder.name, nest, name], status: status))
        } else {
          entries.append(InboxState.Entry(Candidate.Key(name, in: .claim(list)), status))
        }
      }
    }
    return entries
  }

  /// If the file system renames by link and unlink, a crash between the two leaves the name in the inbox as
  /// well: removes that name.
  private func claimed(
    _ name: FileName, in nest: any Folder
  ) throws(SystemError) -> FileStatus? {
    let found = try nest.status(ifThere: name)
    guard let found, found.links > 1, let left = try inbox.status(ifThere: name),
      left.inode == found.inode, left.device == found.device
    else { return found }
    try? inbox.remove(name)
    return try nest.status(ifThere: name)
  }
}

extension SystemError {
  /// As the status of a mount of another user, or of one whose server is gone.
  fileprivate var isOfDeadMount: Bool { name == .denied || name == .notConnected }
}
