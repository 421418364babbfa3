// SPDX-License-Identifier: Apache-2.0
// Opens and watches the folder that is the inbox now. The folder must bear the mark `.claim`. A start or a
// reload makes a missing mark, but never on another file system than before: that may be a bare mount point.
// Confined to the inbox's thread. Raises a `Failure` if the inbox cannot be seen; trouble that leaves its
// files visible is in `softTrouble`.

internal import Linux
internal import Vocabulary

final class InboxDoor {
  private struct Troubles {
    var record: Failure?
    var claim: Failure?
    var change: Failure?
    var watch: Failure?
  }

  private static let watchPauses = Backoff(.seconds(60), to: .seconds(3600))

  private let path: String
  private let state: any Folder
  private var doorbell: Doorbell?
  private var memory: InboxMemory?
  /// The folder that the path led to last, marked or not.
  private var identity: FolderIdentity?
  /// The inbox, open only while there is work: an open folder cannot be unmounted.
  private(set) var folder: LinuxFolder?
  private(set) var nature = InboxNature.usual
  private var isSurveyed = false
  private var isTold = false
  private var isWayKnown = false
  private var isAsked = true
  private var seat = FolderSeat()
  /// Kept while there is work: a daemon in another container or on another machine takes turns.
  private var lock: LinuxFile?
  private var watchTry: (next: Duration, pause: Backoff)?
  private var troubles = Troubles()

  init(path: String, state: any Folder) {
    self.path = path
    self.state = state
    memory = InboxMemory(in: state)
  }

  var softTrouble: Failure? { intakeTrouble ?? troubles.watch }
  /// Why no file may leave the inbox although its files are visible. On a read-only file system `.claim` is
  /// not to blame.
  var intakeTrouble: Failure? { troubles.record ?? troubles.change ?? troubles.claim }
  var isWatched: Bool { doorbell?.isWatching == true && troubles.watch == nil }
  /// Readable after the doorbell rang.
  var descriptor: Int32? { doorbell?.descriptor }

  /// An operator confirms that the path leads to the inbox.
  func ask() {
    isAsked = true
    watchTry = nil
  }

  /// - Parameter trouble: why a list that is accepted now would be lost. Call before `attach`.
  func note(record trouble: Failure?) { troubles.record = trouble }

  /// Call after any mount or unmount.
  func forgetWay() {
    isWayKnown = false
    isSurveyed = false
  }

  /// Drains the doorbell. Call before looking.
  func hear() -> Doorbell.Rings {
    guard let rings = doorbell?.drain() else { return [] }
    if rings.contains(.path) { isWayKnown = false }
    if rings.contains(.lost) { isSurveyed = false }
    return rings
  }

  /// The folders of the inbox that rang since the last call.
  func takeRung() -> Set<FileName> { doorbell?.takeRung() ?? [] }

  /// Lets changes in these folders of the inbox also ring.
  func listen(inside names: [FileName]) {
    guard let folder else { return }
    doorbell?.listen(inside: names, of: folder)
  }

  /// Opens the folder at the path, and watches it before the look. True if its nature is new or different.
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
      troubles.change = nil
    } catch {
      troubles.change =
        InboxTrouble.unchangeable(path, error, linkedTo: try? there.linkTarget())
    }
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

  /// Closes the folder and the lock until the next look.
  func rest() {
    folder = nil
    lock?.unlock()
    lock = nil
  }

  /// Gives the inbox up.
  func leave() {
    rest()
    doorbell?.leave()
    (identity, seat) = (nil, FolderSeat())
    isSurveyed = false
  }

  /// After a failure, tries again only after a growing pause.
  private func watch(at now: Duration, _ act: (Doorbell) throws(SystemError) -> Void) {
    if let watchTry, now < watchTry.next { return }
    do throws(SystemError) {
      let bell: Doorbell
      if let doorbell { bell = doorbell } else { bell = try Doorbell() }
      doorbell = bell
      try act(bell)
      if bell.isWatching, isWayKnown { (watchTry, troubles.watch) = (nil, nil) }
    } catch {
      var pause = watchTry?.pause ?? Self.watchPauses
      watchTry = (now + pause.take(), pause)
      troubles.watch = InboxTrouble.unwatched(error)
    }
  }

  private enum Standing { case marked, unmarked, unmounted }

  /// Raises a `Failure` if the folder is not the inbox.
  private func check(_ there: LinuxFolder) throws(Failure) {
    let standing: Standing
    let memory = memory
    let here: InboxMemory
    do throws(SystemError) {
      here = try InboxMemory(of: there)
      standing = try judge(there, here)
      troubles.claim = nil
    } catch { return troubles.claim = InboxTrouble.claim(path, error) }
    isAsked = false
    switch standing {
    case .marked: break
    case .unmounted:
      throw InboxTrouble.unmounted(path)
    case .unmarked:
      throw InboxTrouble.unmarked(path, isElsewhere: memory != nil && memory != here)
    }
    if memory == here { return }
    // If this fails, the next start reads the older memory, or none.
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
    if let identity, let rival = seat.take(identity) {
      throw InboxTrouble.taken(path, by: rival)
    }
    let claims = ClaimFolder(inbox: there)
    do throws(SystemError) {
      // The lock is kept while claims run.
      if lock == nil { lock = try claims.lock() }
    } catch {
      if error.name == .again { throw InboxTrouble.taken(path) }
      // A file system without locks cannot reveal a second daemon.
      if error.name != .noLocks, error.name != .notSupported {
        throw InboxTrouble.unreadable(error)
      }
    }
    if isSurveyed { return false }
    do throws(SystemError) {
      // If the probe fails, the lease of each file decides.
      let hasLeases = (try? claims.hasLeases()) ?? true
      let found = InboxNature(fileSystem: try there.fileSystem(), hasLeases: hasLeases)
      isSurveyed = true
      defer { (nature, isTold) = (found, true) }
      return !isTold || nature != found
    } catch { throw InboxTrouble.unreadable(error) }
  }
}
