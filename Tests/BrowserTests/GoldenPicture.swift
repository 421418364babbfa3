// SPDX-License-Identifier: Apache-2.0
// Screenshots that a person has looked at, made smaller. After a change of the page, `DARKROOM_REWRITE=1 swift test
// --filter BrowserTests` writes them again; look at them before you commit them.

import Foundation
import Support
import Testing

enum GoldenPicture {
  private static let width = 360
  private static let folder = "Tests/BrowserTests/Golden"

  private struct Small {
    let width: Int
    let height: Int
    /// Red, green, blue.
    let pixels: [UInt8]
  }

  /// Compares a screenshot with the golden one of this name.
  static func check(_ screenshot: [UInt8], _ name: String) throws {
    let picture = try #require(ReadPicture(png: screenshot))
    let small = reduced(picture)
    let path = Repository.path("\(folder)/\(name).jpg")
    if ProcessInfo.processInfo.environment["DARKROOM_REWRITE"] != nil {
      let form = JPEGForm(width: small.width, height: small.height) {
        ($0.quality, $0.across, $0.down) = (92, 1, 1)
      }
      try Data(form.bytes(small.pixels)).write(to: URL(filePath: path))
      return
    }
    let golden = try #require(ReadPicture(jpeg: Array(Data(contentsOf: URL(filePath: path)))))
    try #require(golden.width == small.width && golden.height == small.height, "\(name)")
    var sum = 0
    var far = 0
    for place in 0..<(small.width * small.height) {
      var most = 0
      for channel in 0..<3 {
        let difference = abs(
          Int(golden.channels[place * 4 + channel]) - Int(small.pixels[place * 3 + channel]))
        sum += difference
        most = max(most, difference)
      }
      if most > 40 { far += 1 }
    }
    let count = small.width * small.height
    #expect(Double(sum) / Double(count * 3) < 2.5, "\(name): the mean difference")
    #expect(Double(far) / Double(count) < 0.004, "\(name): the share of other pixels")
  }

  /// By averages over areas.
  private static func reduced(_ picture: ReadPicture) -> Small {
    let wide = min(width, picture.width)
    let high = picture.height * wide / picture.width
    var pixels: [UInt8] = []
    pixels.reserveCapacity(wide * high * 3)
    for y in 0..<high {
      let rows = (y * picture.height / high)..<((y + 1) * picture.height / high)
      for x in 0..<wide {
        let columns = (x * picture.width / wide)..<((x + 1) * picture.width / wide)
        var sums = [0, 0, 0]
        for row in rows {
          for column in columns {
            let at = (row * picture.width + column) * 4
            for channel in 0..<3 { sums[channel] += Int(picture.channels[at + channel]) }
          }
        }
        pixels += sums.map { UInt8($0 / (rows.count * columns.count)) }
      }
    }
    return Small(width: wide, height: high, pixels: pixels)
  }
}
