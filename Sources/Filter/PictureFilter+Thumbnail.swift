// SPDX-License-Identifier: Apache-2.0
// The thumbnail of a pass. Trouble with it leaves it out; the print does not depend on it.

internal import Codecs
internal import Inflate
internal import Vocabulary

extension PictureFilter.Pass {
  /// Nil if none is wanted.
  func thumbnailMaker(_ width: Int, _ height: Int, _ orientation: Int) -> ThumbnailMaker? {
    thumbnail.flatMap {
      ThumbnailMaker(
        width: width, height: height, orientation: orientation, most: Int($0.height))
    }
  }

  func write(_ maker: ThumbnailMaker?, profile: [UInt8]?) -> Thumbnail? {
    guard let maker, let file = thumbnail?.file else { return nil }
    do throws(CodecError) {
      guard let (made, size) = try maker.write(to: file.descriptor, profile: profile) else {
        return nil
      }
      // An earlier try may have left a longer file.
      guard let before = try? file.status().size else { return nil }
      if before > size, (try? file.truncate(to: size)) == nil { return nil }
      return made
    } catch { return nil }
  }
}

/// The colour profile of a thumbnail: only one that is small, and not the profile of sRGB, which viewers assume.
enum SmallProfile {
  static let most = 4096
  private static let head = Array("ICC_PROFILE".utf8) + [0, 1, 1]
  private static let usual = Array("sRGB".utf8)

  /// The segment of a JPEG, with its head.
  static func segment(of profile: [UInt8]) -> [UInt8]? {
    guard profile.count >= 128, profile.count <= most else { return nil }
    // Descriptions are ASCII, or UTF-16 with a zero in each byte pair.
    let text = profile.filter { $0 != 0 }
    return text.firstRange(of: usual) == nil ? head + profile : nil
  }
}

enum PictureOrientation {
  /// 1 to 8; 1 if it is not given.
  static func number(in directory: [UInt8]) -> Int {
    guard let view = ExifView(directory), let first = view.first,
      let number = view.numbers(ExifView.Tag.orientation, of: first).first, 1...8 ~= number
    else { return 1 }
    return number
  }
}

extension JPEGMetadata {
  /// Of several EXIF segments, readers use the first.
  func orientation(in file: any OpenFile) -> Int {
    guard let segment = segments.first(where: { $0.kind == .exif }),
      let bytes = try? file.read(at: segment.offset, upTo: segment.size)
    else { return 1 }
    return PictureOrientation.number(in: Array(bytes.dropFirst(6)))
  }

  func smallProfile(in file: any OpenFile) -> [UInt8]? {
    let pieces = segments.filter { $0.kind == .profile }
    guard pieces.count == 1, pieces[0].size <= SmallProfile.most,
      let bytes = try? file.read(at: pieces[0].offset, upTo: pieces[0].size)
    else { return nil }
    return SmallProfile.segment(of: Array(bytes.dropFirst(14)))
  }
}

extension PNGMetadata {
  func orientation(in file: any OpenFile) -> Int {
    guard let chunk = chunks.first(where: { $0.name == "eXIf" }),
      let bytes = try? file.read(at: chunk.offset, upTo: Int(chunk.size))
    else { return 1 }
    return PictureOrientation.number(in: bytes)
  }

  /// Compressed in the file.
  func smallProfile(in file: any OpenFile) -> [UInt8]? {
    guard let chunk = chunks.first(where: { $0.name == "iCCP" }), chunk.size <= SmallProfile.most,
      let bytes = try? file.read(at: chunk.offset, upTo: Int(chunk.size)),
      var inflater = ByteInflater()
    else { return nil }
    var profile: [UInt8] = []
    let isRead = inflater.inflate(Array(bytes)) { piece in
      profile += piece
      return profile.count <= SmallProfile.most
    }
    return isRead && inflater.isAtEnd ? SmallProfile.segment(of: profile) : nil
  }
}
