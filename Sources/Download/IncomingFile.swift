// SPDX-License-Identifier: Apache-2.0
// A file that watches what is written into it, in order: how much, its digest, its first bytes. So
// nothing has to be read again when the last byte has come.
// Concurrency model: `seen` guards the account; the file below is written outside the lock, by one
// at a time.

import Digests
import Synchronization
import Vocabulary

final class IncomingFile: OpenFile {
  private struct Account {
    var size: UInt64 = 0
    var hash = SHA256()
    var head: [UInt8] = []
    /// Something was not written at the end of what was there: the digest means nothing.
    var isBroken = false
  }

  static let headSize = 512

  let file: any OpenFile
  private let seen = Mutex(Account())

  /// `file` must be empty.
  init(_ file: any OpenFile) { self.file = file }

  var descriptor: Int32 { file.descriptor }
  var head: [UInt8] { seen.withLock { $0.head } }

  /// Size and digest of all that came; nil when it did not come in order.
  var contents: Contents? {
    seen.withLock { account in
      account.isBroken ? nil : Contents(size: account.size, hash: account.hash.digest().prefix)
    }
  }

  /// The whole digest; nil as above.
  var digest: SHA256Digest? {
    seen.withLock { account in account.isBroken ? nil : account.hash.digest() }
  }

  func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError) {
    try file.write(bytes, at: offset)
    seen.withLock { account in
      guard offset == account.size else {
        account.isBroken = true
        return
      }
      account.hash.add(bytes)
      account.size += UInt64(bytes.count)
      let room = Self.headSize - account.head.count
      if room > 0 { account.head += bytes.prefix(room) }
    }
  }

  func truncate(to size: UInt64) throws(SystemError) {
    try file.truncate(to: size)
    seen.withLock { account in
      if size == 0 { account = Account() } else { account.isBroken = account.size != size }
    }
  }

  func status() throws(SystemError) -> FileStatus { try file.status() }
  func read(at offset: UInt64, upTo count: Int) throws(SystemError) -> [UInt8] {
    try file.read(at: offset, upTo: count)
  }
  func reserve(_ size: UInt64) throws(SystemError) { try file.reserve(size) }
  func sync() throws(SystemError) { try file.sync() }
}
