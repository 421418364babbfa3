// SPDX-License-Identifier: Apache-2.0
// The name of a file that is taken for a picture: by its ending, without case. The ending does not decide the
// format: the contents do.

package struct PictureName: Sendable {
  private static let endings = [".jpg", ".jpeg", ".png"].map { Array($0.utf8) }
  /// The endings, for people.
  package static let endingWords = ".jpg, .jpeg or .png"

  /// The name before its ending; the whole name if it has none.
  package let stem: ArraySlice<UInt8>
  package let isPicture: Bool

  package init(_ name: [UInt8]) {
    let size = NameEnding.length(of: Self.endings, in: name)
    stem = name.dropLast(size)
    isPicture = size > 0
  }
}
