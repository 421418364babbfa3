// SPDX-License-Identifier: Apache-2.0
// Turns the name of a photo or a list into one safe path component. Pure.
//
// Control bytes, `/`, `%`, a leading `.` or `-`, a `~` before a digit and characters that a reader does not see become
// %XX; at most 200 bytes, cut between characters, or within a first one that is longer. Joiners and selectors stay where a script or an emoji has them, so that
// a family stays one. Of names that differ only in case, in Unicode composition or in a picture's extension,
// the later ones get `~NUMBER`, with which no other name can end.

package import Vocabulary

package enum PrintName {
  /// The longest stem; `~NUMBER`, the extension and a temporary's dot stay within 255 bytes.
  static let longest = 200

  /// The stem of a photo's print. The extension follows from the format.
  package static func stem(of name: String) -> String { escaped(withoutExtension(name)) }

  /// The file name of a print. `number` distinguishes it if its stem is taken.
  package static func file(stem: String, number: UInt32?, format: PictureFormat) -> FileName {
    let mark = number.map { "~\($0)" } ?? ""
    return FileName(made: "\(stem)\(mark).\(format.fileExtension)")
  }

  /// The folder of a list's prints.
  package static func folder(list name: String, number: UInt64?) -> FileName {
    let mark = number.map { "~\($0)" } ?? ""
    return FileName(made: "\(escaped(name))\(mark)")
  }

  /// The folders that a list may get, in the order of preference. Several daemons that print on one disk may have lists
  /// of one name and number.
  package static func folders(list name: String, number: UInt64) -> [FileName] {
    let own = folder(list: name, number: number)
    return [folder(list: name, number: nil), own] + (2...9).map { FileName(made: "\(own)~\($0)") }
  }

  /// Equal for names whose prints would collide in one folder on some file system.
  package static func collisionKey(_ name: String) -> String {
    // Upper case first: `ß` and `SS`, `ſ` and `S` collide where file systems fold case.
    stem(of: name).uppercased().lowercased()
  }

  /// Equal for folders that are one folder on some file system.
  package static func collisionKey(folder: FileName) -> String {
    String(decoding: folder.bytes, as: UTF8.self).uppercased().lowercased()
  }

  /// `Barn.JPG` and `Barn` are one name: the print gets the extension of its format.
  private static func withoutExtension(_ name: String) -> String {
    String(decoding: PictureName(Array(name.utf8)).stem, as: UTF8.self)
  }

  private static func escaped(_ name: String) -> String {
    var out: [UInt8] = []
    var before: Unicode.Scalar?
    for place in name.indices {
      let isMark = beginsNumber(name, at: place)
      let end = name.index(after: place)
      var piece: [UInt8] = []
      // The number of bytes of the piece that fit, without a part of an escape at the end.
      var fitting = 0
      var next = place
      while next < end, piece.count <= longest {
        let scalar = name.unicodeScalars[next]
        name.unicodeScalars.formIndex(after: &next)
        let after = next < name.endIndex ? name.unicodeScalars[next] : nil
        let isShown = HiddenCharacter(scalar)?.belongs(between: before, and: after) ?? true
        before = scalar
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
          let isFirst = out.isEmpty && piece.isEmpty
          if !isMark, isShown, isSafe(byte, isFirst: isFirst) {
            piece.append(byte)
          } else {
            piece.append(percent: byte)
          }
        }
        if piece.count <= longest { fitting = piece.count }
      }
      if out.count + piece.count > longest {
        if out.isEmpty { out += piece.prefix(fitting) }
        break
      }
      out += piece
    }
    return out.isEmpty ? "%" : String(decoding: out, as: UTF8.self)
  }

  /// `~` and a digit: the mark of a name that is taken.
  private static func beginsNumber(_ name: String, at place: String.Index) -> Bool {
    guard name.utf8[place] == 0x7E, let digit = name.utf8[place...].dropFirst().first else {
      return false
    }
    return digit >= 0x30 && digit <= 0x39
  }

  private static func isSafe(_ byte: UInt8, isFirst: Bool) -> Bool {
    if byte < 0x20 || byte == 0x7F || byte == 0x2F || byte == 0x25 { return false }
    return !(isFirst && (byte == 0x2E || byte == 0x2D))
  }
}
