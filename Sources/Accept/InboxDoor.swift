// SPDX-License-Identifier: Apache-2.0
// Which folder is the inbox now, and who rings when that changes. The path must lead to a folder that
// bears our mark; the mark is made where there never was an inbox, and where somebody asks for it by a
// start or a reload, but never on another file system than before: that may be a bare mount point.
// Confined to the inbox's thread. What is wrong is raised, or stands in `softTrouble` where files are seen
// all the same.

internal import Linux
internal import Vocabulary

final class InboxDoor {
  private static let watchPauses: (first: Duration, last: Duration) = (.seconds(60), .seconds(3600))

  private let path: String
  private let state: any Folder
  private var doorbell: Doorbell?
  private var memory: InboxMemory?
  /// What the path led to last, marked or not.
  private var identity: FolderIdentity?
  /// The inbox itself, while it is looked at: held open, it could not be unmounted.
  private(set) var folder: LinuxFolder?
  private(set) var nature = InboxNature.usual
  private var isSurveyed = false
  private var isTold = false
  private var isWayKnown = false
  private var isAsked = true
  /// Two daemons on one inbox look at it in turns.
  private var lock: LinuxFile?
  private var watchTry: (next: Duration, pause: Duration)?
  private var claimTrouble: Failure?
  private var changeTrouble: Failure?
  private var watchTrouble: Failure?

  init(path: String, state: any Folder) {
    self.path = path
    self.state = state
    memory = InboxMemory(in: state)
  }

  var softTrouble: Failure? { intakeTrouble ?? watchTrouble }
  /// Why no file may be taken out of it, though it is there.
  /// Where nothing may be written, what lies under the name `.claim` is not to blame.
  var intakeTrouble: Failure? { changeTrouble ?? claimTrouble }
  var isWatched: Bool { doorbell?.isWatching == true && watchTrouble == nil }
  /// Readable when it rang.
  var descriptor: Int32? { doorbell?.descriptor }

  /// Somebody says that what the path leads to is the inbox.
  func ask() {
    isAsked = true
    watchTry = nil
  }

  /// Something was mounted or unmounted somewhere.
  func forgetWay() {
    isWayKnown = false
    isSurveyed = false
  }

  /// To be called before looking.
  func hear() -> Doorbell.Rings {
    guard let rings = doorbell?.drain() else { return [] }
    if rings.contains(.path) { isWayKnown = false }
    if rings.contains(.lost) { isSurveyed = false }
    return rings
  }

  /// Holds the folder that the path leads to now, watched first. True where its nature is news.
  func attach(at now: Duration) throws(Failure) -> Bool {
    watch(at: now) { bell throws(SystemError) in
      if !isWayKnown { try bell.watchWay(to: path) }
      isWayKnown = true
    }
    let (there, isNew) = try open()
    watch(at: now) { bell throws(SystemError) in
      if isNew || !bell.isWatching { try bell.watch(there, mark: ClaimFolder.name) }
    }
    try check(there)
    folder = there
    do throws(SystemError) {
      try there.checkChanges()
      changeTrouble = nil
    } catch { changeTrouble = InboxTrouble.unchangeable(path, error) }
    return try survey(there)
  }

  private func open() throws(Failure) -> (LinuxFolder, isNew: Bool) {
    do throws(SystemError) {
      let found = try LinuxFolder.open(path: path)
      let now = try found.identity()
      if now == identity { return (found, false) }
      leave()
      identity = now
      return (found, true)
    } catch {
      leave()
      throw InboxTrouble.lost(path, error)
    }
  }

  /// Nothing is held open until the next look.
  func rest() {
    folder = nil
    lock?.unlock()
    lock = nil
  }

  private func leave() {
    rest()
    doorbell?.leave()
    identity = nil
    isSurveyed = false
  }

  /// After a failure not again before a pause, which grows.
  private func watch(at now: Duration, _ act: (Doorbell) throws(SystemError) -> Void) {
    if let watchTry, now < watchTry.next { return }
    do throws(SystemError) {
      let bell: Doorbell
      if let doorbell { bell = doorbell } else { bell = try Doorbell() }
      doorbell = bell
      try act(bell)
      if bell.isWatching, isWayKnown { (watchTry, watchTrouble) = (nil, nil) }
    } catch {
      let pause = watchTry.map { min($0.pause * 2, Self.watchPauses.last) }
      watchTry = (now + (pause ?? Self.watchPauses.first), pause ?? Self.watchPauses.first)
      watchTrouble = InboxTrouble.unwatched(error)
    }
  }

  private enum Standing { case marked, unmarked, unmounted }

  /// Raises where the folder is not the inbox.
  private func check(_ there: LinuxFolder) throws(Failure) {
    let standing: Standing
    let memory = memory
    let here: InboxMemory
    do throws(SystemError) {
      here = try InboxMemory(of: there)
      standing = try judge(there, here)
      claimTrouble = nil
    } catch { return claimTrouble = InboxTrouble.claim(path, error) }
    isAsked = false
    switch standing {
    case .marked: break
    case .unmounted:
      throw InboxTrouble.unmounted(path)
    case .unmarked:
      throw InboxTrouble.unmarked(path, isElsewhere: memory != nil && memory != here)
    }
    if memory == here { return }
    // Where it cannot be written, the next start believes its eyes.
    try? here.write(to: state)
    self.memory = here
  }

  private func judge(
    _ there: LinuxFolder, _ here: InboxMemory
  ) throws(SystemError) -> Standing {
    if memory?.isMounted == true, !here.isMounted { return .unmounted }
    let claims = ClaimFolder(inbox: there)
    if try claims.existing() != nil { return .marked }
    guard isAsked, memory == nil || memory == here else { return .unmarked }
    try claims.make()
    return .marked
  }

  private func survey(_ there: LinuxFolder) throws(Failure) -> Bool {
    if intakeTrouble != nil { return false }
    let claims = ClaimFolder(inbox: there)
    do throws(SystemError) {
      lock = try claims.lock()
    } catch {
      if error.code == 11 { throw InboxTrouble.taken(path) }
      // Where there are no locks (ENOLCK), nobody can be told apart.
      if error.code != 37, error.code != 95 { throw InboxTrouble.unreadable(error) }
    }
    if isSurveyed { return false }
    do throws(SystemError) {
      // Where the probe cannot be made, every file tells for itself.
      let hasLeases = (try? claims.hasLeases()) ?? true
      let found = InboxNature(fileSystem: try there.fileSystem(), hasLeases: hasLeases)
      isSurveyed = true
      defer { (nature, isTold) = (found, true) }
      return !isTold || nature != found
    } catch { throw InboxTrouble.unreadable(error) }
  }
}
