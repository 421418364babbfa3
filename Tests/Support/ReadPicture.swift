// SPDX-License-Identifier: Apache-2.0
// A print as an independent reader sees it: plain libjpeg and libpng. A print with a warning is
// unreadable.

internal import CSamples

package struct ReadPicture: Sendable {
  package let width: Int
  package let height: Int
  package let depth: Int
  package let hasAlpha: Bool
  package let components: Int
  /// Bits of a palette index; 0 without a palette.
  package let indexDepth: Int
  package let isProgressive: Bool
  package let sampling: [[Int]]
  package let tables: [[UInt16]]
  /// Red, green, blue, alpha of every pixel; opaque is 255 or 65535.
  package let channels: [UInt16]

  package init?(jpeg bytes: [UInt8]) {
    var picture = unsafe sample_picture()
    guard unsafe sample_jpeg_read(bytes, bytes.count, &picture) == 0 else { return nil }
    unsafe self.init(picture)
  }

  package init?(png bytes: [UInt8]) {
    var picture = unsafe sample_picture()
    guard unsafe sample_png_read(bytes, bytes.count, &picture) == 0 else { return nil }
    unsafe self.init(picture)
  }

  private init(_ picture: sample_picture) {
    var picture = unsafe picture
    defer { unsafe sample_free(picture.channels) }
    width = unsafe Int(picture.width)
    height = unsafe Int(picture.height)
    depth = unsafe Int(picture.depth)
    hasAlpha = unsafe picture.has_alpha != 0
    components = unsafe Int(picture.components)
    indexDepth = unsafe Int(picture.index_depth)
    isProgressive = unsafe picture.is_progressive != 0
    let across = unsafe [picture.across.0, picture.across.1, picture.across.2, picture.across.3]
    let down = unsafe [picture.down.0, picture.down.1, picture.down.2, picture.down.3]
    sampling = zip(across, down).prefix(components).map { [Int($0), Int($1)] }
    let all = unsafe withUnsafeBytes(of: &picture.tables) {
      unsafe Array($0.bindMemory(to: UInt16.self))
    }
    tables = (0..<min(components, 4)).map { Array(all[($0 * 64)..<($0 * 64 + 64)]) }
    channels = unsafe Array(
      UnsafeBufferPointer(start: picture.channels, count: width * height * 4))
  }
}
