// SPDX-License-Identifier: Apache-2.0
// A worker that lies after its answer: it keeps the descriptors of what it has written, and changes the files when it
// likes. `keep TEXT` answers with the text, and `spoil` changes all files that were kept, and its own original.

import CAttempts
import Linux
import Synchronization
import Vocabulary

enum LaterDeeds {
  /// A file, and the address of its shared mapping; 0 if the kernel refuses one.
  private struct Kept: Sendable {
    let file: any OpenFile
    let address: UInt
    let size: Int
  }

  private static let kept = Mutex<[Kept]>([])

  /// Nil for another command.
  static func develop(
    _ original: any OpenFile, _ print: any OpenFile
  ) throws(Failure) -> Developed? {
    let bytes = (try? original.read(at: 0, upTo: 4096)) ?? []
    switch String(decoding: bytes.prefix { $0 != 0x20 }, as: UTF8.self) {
    case "keep":
      let answer = try write(bytes, to: print)
      keep(print, size: bytes.count)
      return answer
    case "spoil":
      let deeds = "spoilt: \(spoilAll()) input: \(spoilInput(original))."
      return try write(Array(deeds.utf8), to: print)
    default: return nil
    }
  }

  static func keep(_ file: any OpenFile, size: Int) {
    let address = dr_map(file.descriptor, size)
    kept.withLock { $0.append(Kept(file: file, address: address, size: size)) }
  }

  /// The deeds that the kernel let a worker do to a file that it is to read.
  static func spoilInput(_ file: any OpenFile) -> String {
    spoil(Kept(file: file, address: dr_map(file.descriptor, 1), size: 1))
  }

  static func spoilAll() -> String {
    kept.withLock { files in files.map(spoil).joined(separator: " ") }
  }

  private static func write(
    _ bytes: [UInt8], to print: any OpenFile
  ) throws(Failure) -> Developed {
    do throws(SystemError) { try print.write(bytes, at: 0) } catch { throw error.failure }
    return Developed(format: .jpeg, width: 2, height: 3, size: UInt64(bytes.count))
  }

  /// Writes to the mapping, writes over the file, and cuts it; returns what the kernel let it do.
  private static func spoil(_ one: Kept) -> String {
    var done: [String] = []
    if one.address != 0 {
      dr_scribble(one.address, one.size)
      done.append("mapped")
    }
    if (try? one.file.write(Array("OVERWRITTEN".utf8), at: 0)) != nil { done.append("written") }
    if (try? one.file.truncate(to: 5)) != nil { done.append("cut") }
    return done.joined(separator: ",")
  }
}
