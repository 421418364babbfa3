// SPDX-License-Identifier: Apache-2.0
// Makes the store of Blobs= from the settings, and tests whether it keeps the first of two objects with one key. Raises
// `StartFailure`, with a trouble while the store cannot be asked.
// Concurrency: values; every call waits for the network.

import Digests
import Files
import Linux
import Transfer
import Vocabulary

enum SharedStore {
  /// Nil if no store is set.
  static func open(_ settings: Settings, in state: any Folder) throws(StartFailure) -> BucketStore?
  {
    let cluster = settings.cluster
    guard cluster.ledger != nil, case .store(let place) = cluster.blobs else { return nil }
    let store = BucketStore(
      StoreSettings(
        place, try cluster.readLogin(), region: cluster.blobRegion, userAgent: settings.userAgent,
        ownAuthorities: settings.networkFiles.authorities))
    let problem: String?
    do throws(Failure) { problem = try StoreProbe(store: store, state: state).run() } catch {
      if error.code == "store.unfit" { throw unfit(place, error.reason) }
      let isOwn = !error.code.hasPrefix("store.")
      throw StartFailure(
        ExitCode.io,
        isOwn
          ? "could not start with the state folder: \(error.reason)"
          : "the store of Blobs= cannot be used: \(error.reason)", trouble: error.code,
        advice: error.advice.isEmpty ? "Check Blobs=, and the store" : error.advice)
    }
    if let problem { throw unfit(place, problem) }
    return store
  }

  private static func unfit(_ place: StorePlace, _ problem: String) -> StartFailure {
    StartFailure(
      ExitCode.configuration,
      "the store at \(place.server) cannot keep the first of two prints of a photo: \(problem)")
  }
}

/// Makes an object twice, reads it, finds it in a listing, and removes it.
struct StoreProbe {
  private static let root = FileName(literal: "probe")
  private static let texts = ["darkroom\n", "another\n"].map { Array($0.utf8) }

  let store: any ObjectStore
  let state: any Folder

  /// Why the store is unfit, as a clause; nil if it is fit.
  func run() throws(Failure) -> String? {
    let random = try asMachine { () throws(SystemError) in try ThisProcess.randomBytes(16) }
    let key = ObjectKey(Self.root, FileName(made: String(hex: random)))
    let problem: String?
    do throws(Failure) { problem = try run(key) } catch {
      // A store that hangs once would hang twice.
      if error.code != "store.unreachable" { try? store.remove(key) }
      throw error
    }
    try store.remove(key)
    if problem == nil, try store.size(of: key) != nil {
      return "it keeps an object that was removed"
    }
    return problem
  }

  private func run(_ key: ObjectKey) throws(Failure) -> String? {
    // A proxy may have repeated the request.
    if try !create(key, Self.texts[0]), try contents(of: key) != Self.texts[0] {
      return "it says that a new key is taken"
    }
    if try create(key, Self.texts[1]) { return "it replaces an object, and ignores If-None-Match" }
    guard try contents(of: key) == Self.texts[0] else {
      return "it returns other bytes than were stored"
    }
    guard try store.keys(beginningWith: key, most: 2) == [key] else {
      return "its listing lacks an object"
    }
    return nil
  }

  private func contents(of key: ObjectKey) throws(Failure) -> [UInt8]? {
    let file = try asMachine { () throws(SystemError) in try state.nameless([]) }
    guard try store.fetch(key, into: file, upTo: 4096) else { return nil }
    return try asMachine { () throws(SystemError) in try file.read(at: 0, upTo: 4096) }
  }

  private func create(_ key: ObjectKey, _ bytes: [UInt8]) throws(Failure) -> Bool {
    let file = try asMachine { () throws(SystemError) in try state.nameless(bytes) }
    return try store.create(key, of: file, ObjectContents(bytes))
  }
}

extension ObjectContents {
  init(_ bytes: [UInt8]) {
    self.init(size: UInt64(bytes.count), sha256: SHA256.digest(of: bytes).bytes)
  }
}

extension Folder {
  /// A file without a name, for the way to a store or from there.
  func nameless(_ bytes: [UInt8]) throws(SystemError) -> any OpenFile {
    let name = FileName(literal: ".nameless")
    let file = try openAnew(name)
    try file.write(bytes, at: 0)
    // Another task may make one now, and have removed the name.
    try removeIfThere(name)
    return file
  }
}
