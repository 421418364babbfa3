// SPDX-License-Identifier: Apache-2.0
// Pictures: any bytes give a refusal in words that are safe to show, or a print and a thumbnail that other readers
// accept, that are the same each time, and a print that is refused when it is cut. A print announces no part that it
// does not have.

import Codecs
import Filter
import Support
import Vocabulary

enum PictureProof {
  private static let limits = PictureLimits(
    codec: CodecLimits(pixels: 1 << 20, memory: 24 << 20, scans: 20), metadataSize: 1 << 20,
    metadataParts: 64)
  /// Smaller than most pictures of the corpus, so that their thumbnails are reduced.
  private static let height: UInt16 = 5

  static func run(_ bytes: [UInt8]) {
    // A print that depends on the bytes of new memory differs.
    defer { HeapFill.set(0) }
    HeapFill.set(0x5A)
    guard let (developed, print, thumbnail) = develop(bytes) else { return }
    must(UInt64(print.count) == developed.size, "the print's size is not what was answered")
    let seen = look(print, developed.format)
    // Metadata is copied as it is: a reader that rejects the original may reject the print, too.
    must(seen != nil || look(bytes, developed.format) == nil, "others cannot read the print")
    must(
      seen == nil || seen?.width == Int(developed.width) && seen?.height == Int(developed.height),
      "the print is not as large as was answered")
    HeapFill.set(0xA5)
    guard let again = develop(bytes) else { fatalError("the same bytes, and now refused") }
    must(again.print == print, "the same bytes, and another print")
    must(
      again.developed == developed && again.thumbnail == thumbnail,
      "the same bytes, and another thumbnail")
    if let made = developed.thumbnail {
      let small = ReadPicture(jpeg: thumbnail)
      must(small?.width == Int(made.width) && small?.height == Int(made.height), "a bad thumbnail")
      must(made.height <= height, "a thumbnail of \(made.height) rows")
    }
    let parts: PictureNotices = [.gainMapDropped, .motionDropped]
    if !developed.notices.isDisjoint(with: parts), let next = develop(print) {
      must(next.developed.notices.isDisjoint(with: parts), "the print announces what it lacks")
    }
    // The length of the input decides where to cut, so that a finding can be repeated.
    let kept = print.count - 1 - bytes.count * 7 % print.count
    must(develop(Array(print[..<kept])) == nil, "a print that was cut was developed")
  }

  private static func look(_ bytes: [UInt8], _ format: PictureFormat) -> ReadPicture? {
    format == .jpeg ? ReadPicture(jpeg: bytes) : ReadPicture(png: bytes)
  }

  private static func develop(
    _ bytes: [UInt8]
  ) -> (developed: Developed, print: [UInt8], thumbnail: [UInt8])? {
    do {
      let original = try ScratchFile.make(bytes)
      let (print, thumbnail) = (try ScratchFile.make(), try ScratchFile.make())
      let developed = try PictureFilter.develop(
        original: original, print: print, function: .standard, limits: limits,
        thumbnail: Thumbnail.Order(file: thumbnail, height: height))
      return (developed, try ScratchFile.bytes(of: print), try ScratchFile.bytes(of: thumbnail))
    } catch let failure as Failure {
      FailureProof.check(failure, codes: ["jpeg.", "png.", "picture."])
      return nil
    } catch { fatalError("no scratch file: \(error)") }
  }
}
