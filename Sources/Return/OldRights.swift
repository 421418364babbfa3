// SPDX-License-Identifier: Apache-2.0
// Takes the files that earlier versions left readable for the group from it: results, with the copy and the retry
// list of their name, go to the owner that the results name, and everything else to root. Runs once for a state
// folder, and is repeated after a crash. Raises SystemError.
// Concurrency: immutable; waits for a disk. Returns and rejections may run at the same time.

internal import Files
package import Vocabulary

package struct OldRights: Sendable {
  private static let mark = FileName(literal: "private-files")
  /// The owner is one of the first keys.
  private static let headLength = 64 << 10

  private let state: any Folder
  private let done: any Folder
  private let failed: any Folder

  package init(state: any Folder, done: any Folder, failed: any Folder) {
    (self.state, self.done, self.failed) = (state, done, failed)
  }

  package func mend() throws(SystemError) {
    if try state.has(Self.mark) { return }
    let names = try done.names().filter { $0.bytes.first != 0x2E }
    var owners: [ArraySlice<UInt8>: UInt32] = [:]
    for name in names {
      guard let stem = Self.stem(of: name, ".result.plist"),
        let owner = try Self.owner(name, in: done)
      else { continue }
      owners[stem] = owner
    }
    for name in names {
      let stem = Self.stem(of: name, ".result.plist") ?? ListName(name).stem
      try close(name, in: done, to: owners[stem])
    }
    for name in try failed.names() where name.bytes.first != 0x2E {
      // Pictures that were given back may be the only ones, and nothing tells their owner.
      if try failed.status(ifThere: name)?.kind == .folder { continue }
      // A rejected list of that name may be another user's.
      let stem = Self.stem(of: name, "\(ListName.retryMark).plist")
      try close(name, in: failed, to: stem.flatMap { owners[$0] })
    }
    try state.write(whole: [], as: Self.mark)
  }

  private func close(
    _ name: FileName, in folder: any Folder, to owner: UInt32?
  ) throws(SystemError) {
    guard let status = try folder.status(ifThere: name), status.mode & 0o077 != 0,
      status.kind == .file || status.kind == .folder
    else { return }
    // A file that was given back meanwhile has its reader.
    if (try? folder.reader(of: name)) ?? nil != nil { return }
    do throws(SystemError) { try folder.setReaders(FileReaders(owner: owner), of: name) } catch {
      // It has gone, or it is not ours, as a file that was too large to copy.
      guard error.isMissing || error.name == .notPermitted else { throw error }
    }
  }

  private static func stem(of name: FileName, _ ending: String) -> ArraySlice<UInt8>? {
    guard name.bytes.count > ending.utf8.count,
      name.bytes.suffix(ending.utf8.count).elementsEqual(ending.utf8)
    else { return nil }
    return name.bytes.dropLast(ending.utf8.count)
  }

  private static func owner(_ name: FileName, in done: any Folder) throws(SystemError) -> UInt32? {
    guard let bytes = try done.contents(of: name, upTo: headLength) else { return nil }
    return ListResults.number("Owner", in: String(decoding: bytes, as: UTF8.self))
      .flatMap { UInt32(exactly: $0) }
  }
}

extension ListResults {
  /// A number among the first keys of results that we wrote: no text of a user has a bare `<`.
  static func number(_ key: String, in head: String) -> UInt64? {
    guard let rest = tail(of: head[...], after: "<key>\(key)</key>"),
      let digits = tail(of: rest.prefix(100), after: "<integer>")
    else { return nil }
    return UInt64(digits.prefix { $0 != "<" })
  }

  private static func tail(of text: Substring, after word: String) -> Substring? {
    var rest = text.utf8[...]
    let bytes = Array(word.utf8)
    while let start = rest.firstIndex(of: bytes[0]) {
      rest = rest[start...]
      if rest.starts(with: bytes) { return Substring(rest.dropFirst(bytes.count)) }
      rest = rest.dropFirst()
    }
    return nil
  }
}
