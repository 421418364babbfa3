// SPDX-License-Identifier: Apache-2.0
// The files of a returned list, as the file `returned` in its folder lists them: their names, sizes and sums, so
// that a removal never takes a file of another list which has got the name since. A value and its text, a line for
// each file.
//
//   copy 812 9f86d081… barn.plist     the name with all but letters, digits and . _ ~ - as %XX

internal import Files
internal import Vocabulary

struct ReturnReceipt: Equatable {
  static let maximumSize = 4096

  struct Entry: Equatable {
    let part: ReturnPart
    let name: FileName
    let sum: FileCopy.Sum
  }

  let entries: [Entry]

  init(_ entries: [Entry]) { self.entries = entries }

  /// The parts may be more than the files.
  init(_ files: [FreshFile], as parts: [ReturnPart], beside copy: FileName) {
    entries = zip(parts, files).compactMap { part, file in
      part.name(beside: copy).map { Entry(part: part, name: $0, sum: file.sum) }
    }
  }

  /// Of a list that has this mark; nil without it.
  init?(_ mark: FileName, in folder: any Folder) throws(SystemError) {
    guard let text = try folder.contents(of: mark, upTo: Self.maximumSize) else { return nil }
    self.init(text: text)
  }

  func entry(of part: ReturnPart) -> Entry? { entries.first { $0.part == part } }
  func name(of part: ReturnPart) -> FileName? { entry(of: part)?.name }

  var text: String {
    entries.map {
      "\($0.part.rawValue) \($0.sum.size) \($0.sum.sha256) "
        + "\(HexDigits.percentEncoded($0.name.bytes))\n"
    }.joined()
  }

  /// Ignores lines of later versions.
  init(text: [UInt8]) {
    entries = text.split(separator: 0x0A).compactMap { line in
      let words = line.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
      guard words.count == 4, let part = ReturnPart(rawValue: words[0]),
        let size = UInt64(words[1]), words[2].utf8.count == 64,
        let name = HexDigits.percentDecoded(words[3].utf8).flatMap({ FileName(bytes: $0) })
      else { return nil }
      return Entry(part: part, name: name, sum: FileCopy.Sum(size: size, sha256: words[2]))
    }
  }
}

extension Folder {
  /// The file is there, with these bytes.
  func holds(_ name: FileName, _ sum: FileCopy.Sum) throws(SystemError) -> Bool {
    guard let status = try self.status(ifThere: name), status.kind == .file,
      status.size == sum.size
    else { return false }
    return try FileCopy.sum(open(name, .read), upTo: sum.size) == sum
  }
}
