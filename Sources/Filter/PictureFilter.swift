// SPDX-License-Identifier: Apache-2.0
// Develops one picture in one pass, a band of rows at a time: decode, filter, encode. JPEG becomes JPEG, PNG
// becomes PNG. The print is whole or the call fails. Raises `Failure`: `picture.…`, `jpeg.…`, `png.…` for the
// input, kind `machine` for this machine.

internal import Codecs
package import Vocabulary

package enum PictureFilter {
  /// Uses the descriptors of the files, from offset 0; syncs and closes none. `quality` (1...100) is for
  /// JPEG; without it the print keeps the original's quantisation. A thumbnail that cannot be made is left out
  /// of the result.
  package static func develop(
    original: any OpenFile, print: any OpenFile, function: FilterFunction,
    quality: Int? = nil, metadata: MetadataRule = .keep, limits: PictureLimits = PictureLimits(),
    thumbnail: Thumbnail.Order? = nil
  ) throws(Failure) -> Developed {
    let format = try format(of: original)
    let pass = Pass(
      original: original, print: print, matrix: matrix(of: function), quality: quality,
      metadata: metadata, limits: limits, thumbnail: thumbnail)
    let developed: Developed
    do throws(CodecError) {
      switch format {
      case .jpeg: developed = try pass.developJPEG()
      case .png: developed = try pass.developPNG()
      }
      try pass.cut(at: developed.size)
    } catch { throw error.failure(format) }
    return developed
  }

  private static func format(of original: any OpenFile) throws(Failure) -> PictureFormat {
    let head: [UInt8]
    do { head = try original.read(at: 0, upTo: PictureSniffer.headSize) } catch {
      throw error.failure
    }
    switch PictureSniffer.look(head) {
    case .picture(let format): return format
    case .empty:
      throw Failure(
        .final, code: "picture.empty", reason: "the file is empty",
        advice: "Check at its source why nothing was sent")
    case .other(let words):
      throw Failure(
        .final, code: "picture.format", reason: "it is \(words), and not a JPEG or PNG picture",
        advice: "Use a JPEG or PNG picture")
    }
  }

  private static func matrix(of function: FilterFunction) -> ColourMatrix {
    switch function {
    case .sepia(let thousandths): Sepia.matrix(thousandths: thousandths)
    }
  }

  /// The parts of one pass.
  struct Pass {
    let original: any OpenFile
    let print: any OpenFile
    let matrix: ColourMatrix
    let quality: Int?
    let metadata: MetadataRule
    let limits: PictureLimits
    let thumbnail: Thumbnail.Order?

    /// Truncates the print: an earlier try may have left a longer file.
    func cut(at size: UInt64) throws(CodecError) {
      try CodecError.system { () throws(SystemError) in
        if try print.status().size > size { try print.truncate(to: size) }
      }
    }
  }
}
