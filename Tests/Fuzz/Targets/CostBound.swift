// SPDX-License-Identifier: Apache-2.0
// The processor time that an input may take: a constant for each of its bytes, above a floor. Programs that are not
// optimised take longer for everything, and have a greater constant. There, the same input in plain letters is a second,
// closer measure of a text.

import Support

enum CostBound {
  #if DEBUG
    private static let (perByte, slowness) = (Duration.microseconds(16), 25)
  #else
    private static let (perByte, slowness) = (Duration.microseconds(4), 1)
  #endif

  /// An input in letters costs at least this fraction of another one of its length.
  private static let ratio = 4

  static func check(_ target: FuzzTarget, _ bytes: [UInt8], _ run: ([UInt8]) -> Void) {
    let start = ProcessorTime.ofThread
    run(bytes)
    let first = ProcessorTime.ofThread - start
    let least = least(target, bytes.count)
    if first <= least { return }
    // The caches may have been cold.
    let cost = min(first, ProcessorTime.cost(runs: 2) { run(bytes) })
    must(cost <= most(target, bytes.count), "\(target): \(cost) for \(bytes.count) bytes")
    if target.isText {
      let plain = ProcessorTime.cost(runs: 1) { run(letters(bytes)) }
      must(
        cost <= least + plain * ratio,
        "\(target): \(cost) for \(bytes.count) bytes, \(plain) in letters")
    }
  }

  /// The bound for any bytes.
  static func most(_ target: FuzzTarget, _ bytes: Int) -> Duration {
    least(target, bytes) * slowness
  }

  private static func least(_ target: FuzzTarget, _ bytes: Int) -> Duration {
    floor(of: target) + perByte * bytes
  }

  /// Letters in place of all bytes that are not ASCII; different names mostly stay different.
  private static func letters(_ bytes: [UInt8]) -> [UInt8] {
    bytes.map { $0 < 0x80 ? $0 : 0x61 + $0 % 26 }
  }

  private static func floor(of target: FuzzTarget) -> Duration {
    switch target {
    // A few bytes may unfold into a million pixels.
    case .jpeg, .png: .seconds(2)
    default: .milliseconds(30)
    }
  }
}

extension FuzzTarget {
  var isText: Bool {
    switch self {
    case .xml, .lines, .json, .csv, .message, .url, .web, .server: true
    case .jpeg, .png, .binary, .catalog, .segment, .snapshot, .answer, .deflate: false
    }
  }
}
