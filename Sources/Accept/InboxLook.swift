// SPDX-License-Identifier: Apache-2.0
// One look at the inbox and at `.claim`: unordered names, each with its status if neither the name nor its
// kind decides. Raises SystemError; a file that vanishes is left out.

internal import Files
internal import Linux
internal import Vocabulary

/// The results of a look at the whole inbox.
struct InboxSight {
  var entries: [InboxState.Entry] = []
  /// Of very many ignored names those about which this look learns nothing: their turn is another look, or they have no
  /// place. An entry for each would make every look, and so the drop of another user, take long.
  var passed: [FileName] = []

  var count: Int { entries.count + passed.count }
}

struct InboxLook {
  let inbox: any Folder
  /// Pictures and folders become lists.
  let pictures: Bool
  /// They do not, because this is a node of a cluster.
  var isNode = false
  /// Lists whose folders in `.claim` are in use.
  var busy: Set<ListID> = []
  /// A larger picture stays.
  var largestPicture = UInt64.max
  /// As earlier sweeps saw them.
  var ignored = IgnoredNames()

  /// The results of a look beside its entries.
  private struct Finds {
    var loose = LoosePictures()
    /// Folders that may have pictures.
    var tops: [RollWalks.Top] = []
    /// Names that are ignored, unless their status has another kind, and whose status is not known.
    var unasked: [(name: FileName, reason: IgnoredReason)] = []
    var passed: [FileName] = []
  }

  func sight(
    _ walks: inout RollWalks, at now: Duration
  ) throws(SystemError) -> InboxSight {
    var finds = Finds()
    // First, because it may remove a name from the inbox.
    var entries = try claimed(&finds.loose, tidies: true)
    for entry in try inbox.entries()
    where entry.name != ClaimFolder.name && !NewFile.isTemporary(entry.name) {
      let found = try ifReachable(entry.name, isFolder: entry.kind == .folder) {
        () throws(SystemError) in try self.entry(entry, walks, &finds)
      }
      if let found { entries.append(found) }
    }
    entries += try asked(&finds)
    for turn in walks.turns(finds.tops, at: now) {
      if let entry = try entry(turn, &walks, at: now) { entries.append(entry) }
    }
    entries += try rolls(of: finds.loose).map { InboxState.Entry(roll: $0) }
    return InboxSight(entries: entries, passed: finds.passed)
  }

  /// One name does not hide the others, as every user can mount a dead or a closed file system over an own file or
  /// folder. Only errors of the inbox itself do, and of its disk: files lie on it, while a folder may be a mount.
  private func ifReachable(
    _ name: FileName, isFolder: Bool = false, _ act: () throws(SystemError) -> InboxState.Entry?
  ) throws(SystemError) -> InboxState.Entry? {
    do throws(SystemError) { return try act() } catch {
      guard isFolder ? error.isOfOneThing : !error.isBeyondUsers else { throw error }
      return InboxState.Entry(Candidate.Key(name), ignored: .unreachable)
    }
  }

  /// Nil if it is gone, or is among the finds.
  private func entry(
    _ entry: FolderEntry, _ walks: RollWalks, _ finds: inout Finds
  ) throws(SystemError) -> InboxState.Entry? {
    let name = entry.name
    if let reason = IgnoredReason.judge(name, entry.kind) {
      let isPicture = entry.kind == .file && PictureName(name.bytes).isPicture
      if reason == .hidden || !(pictures && (entry.kind == .folder || isPicture)) {
        // No status is asked for where the name and the kind decide, except once for the owner. Never of a folder, which
        // may be a mount whose server is gone.
        let asks = entry.kind.map { $0 != .folder } ?? false
        return note(name, reason, asks: asks && ignored.wantsOwner(of: name), &finds)
      }
    } else if entry.kind == nil, !ListName(name).isList, !PictureName(name.bytes).isPicture,
      !walks.knows(name)
    {
      // On a file system that does not say what a name is, it may be a folder.
      return note(name, .suffix, asks: true, &finds)
    }
    if inbox.isOtherFileSystem(name) {
      return InboxState.Entry(Candidate.Key(name), ignored: .unreachable)
    }
    guard let status = try inbox.status(ifThere: name) else { return nil }
    return judged(name, status, &finds)
  }

  private func note(
    _ name: FileName, _ reason: IgnoredReason, asks: Bool, _ finds: inout Finds
  ) -> InboxState.Entry? {
    if asks {
      finds.unasked.append((name, reason))
      return nil
    }
    if ignored.isRefused(name) {
      finds.passed.append(name)
      return nil
    }
    return InboxState.Entry(Candidate.Key(name), ignored: isNode ? reason.atNode : reason)
  }

  /// Nil if it is among the finds.
  private func judged(
    _ name: FileName, _ status: FileStatus, _ finds: inout Finds
  ) -> InboxState.Entry? {
    let key = Candidate.Key(name)
    if pictures, status.kind == .folder {
      finds.tops.append(RollWalks.Top(key: key, status: status))
      return nil
    }
    guard pictures, status.kind == .file, PictureName(name.bytes).isPicture else {
      return InboxState.Entry(key, status)
    }
    if status.size > largestPicture {
      return InboxState.Entry(key, ignored: .largePicture, owner: status.owner)
    }
    finds.loose.add(Roll.Picture(path: [name], status: status))
    return nil
  }

  /// Asks for the status of a part of very many ignored names: at each look, of another part.
  private func asked(_ finds: inout Finds) throws(SystemError) -> [InboxState.Entry] {
    let unasked = finds.unasked
    let stride = (unasked.count + IgnoredNames.mostAsked - 1) / IgnoredNames.mostAsked
    var entries: [InboxState.Entry] = []
    for (place, item) in unasked.enumerated() {
      let key = Candidate.Key(item.name)
      let reason = isNode ? item.reason.atNode : item.reason
      guard place % stride == ignored.turn % stride else {
        finds.passed.append(item.name)
        continue
      }
      let status = (try? inbox.statusUnlessCovered(item.name)) ?? nil
      if let status, status.kind == .folder {
        if let entry = judged(item.name, status, &finds) { entries.append(entry) }
      } else {
        let kind = status.flatMap { IgnoredReason.judge($0.kind) }
        entries.append(InboxState.Entry(key, ignored: kind ?? reason, owner: status?.owner))
      }
    }
    return entries
  }

  private func entry(
    _ turn: RollWalks.Turn, _ walks: inout RollWalks, at now: Duration
  ) throws(SystemError) -> InboxState.Entry? {
    switch turn {
    case .skip(let top): return InboxState.Entry(rollKey: top.key, walks.status(of: top))
    case .walk(let top):
      if let next = walks.next(for: top.status.owner, at: now) {
        return InboxState.Entry(rollKey: top.key, walks.status(of: top), postponed: next)
      }
      let entry = try ifReachable(top.key.name, isFolder: true) { () throws(SystemError) in
        try look.roll(top.key.name).map { InboxState.Entry(roll: $0) }
      }
      walks.pay(entry?.entries ?? 0, for: top.key, of: top.status.owner, at: now)
      return entry
    }
  }

  private var look: RollLook { RollLook(inbox: inbox, largestPicture: largestPicture) }

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

  /// One candidate as it is now; nil if it is gone.
  func entry(_ key: Candidate.Key) throws(SystemError) -> InboxState.Entry? {
    switch key.place {
    case .claim(let list):
      let nest = try inbox.folder(ifThere: ClaimFolder.name)?
        .folder(ifThere: ListFolder.name(list))
      return try nest?.status(ifThere: key.name).map { InboxState.Entry(key, $0) }
    case .loose: return try roll(key).map { InboxState.Entry(roll: $0) }
    case .inbox:
      return try ifReachable(key.name) { () throws(SystemError) in
        if inbox.isOtherFileSystem(key.name) { return InboxState.Entry(key, ignored: .unreachable) }
        let status = try inbox.status(ifThere: key.name)
        if pictures, status?.kind == .folder {
          return try roll(key).map { InboxState.Entry(roll: $0) }
        }
        return status.map { InboxState.Entry(key, $0) }
      }
    }
  }

  /// The current pictures of the key; nil if there are none.
  func roll(_ key: Candidate.Key) throws(SystemError) -> Roll? {
    guard case .loose = key.place else { return try look.roll(key.name) }
    var finds = Finds()
    // Other lists make their folders in `.claim` at the same time.
    _ = try claimed(&finds.loose, tidies: false)
    for entry in try inbox.entries() where PictureName(entry.name.bytes).isPicture {
      _ = try ifReachable(entry.name) { () throws(SystemError) in
        try self.entry(entry, RollWalks(), &finds)
      }
    }
    return try rolls(of: finds.loose).first { $0.key == key }
  }

  /// The files in `.claim/N`. Removes empty folders, and a probe that could not be removed. A foreign `.claim`
  /// yields no files.
  private func claimed(
    _ loose: inout LoosePictures, tidies: Bool
  ) throws(SystemError) -> [InboxState.Entry] {
    guard let claims = try ClaimFolder(inbox: inbox).existing() else { return [] }
    var entries: [InboxState.Entry] = []
    for nest in try claims.names() {
      if tidies, nest == ClaimFolder.probe { try? claims.remove(nest) }
      guard let list = ListFolder.number(nest), !busy.contains(list),
        let folder = try claims.folder(ifThere: nest)
      else { continue }
      let names = try folder.names()
      if tidies, names.isEmpty { try? claims.removeFolder(nest) }
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
    guard let found, found.links > 1, let left = try inbox.statusUnlessCovered(name),
      left.inode == found.inode, left.device == found.device
    else { return found }
    try? inbox.remove(name)
    return try nest.status(ifThere: name)
  }
}
