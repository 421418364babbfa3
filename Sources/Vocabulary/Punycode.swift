// SPDX-License-Identifier: Apache-2.0
// The `xn--` form of a host's name (RFC 3492), for advice: a list has to name hosts in ASCII.

enum Punycode {
  /// Nil if the form depends on tables of Unicode that are not here, or if a label gets too long.
  static func host(_ name: String) -> String? {
    var labels: [String] = []
    for label in name.lowercased().split(separator: ".", omittingEmptySubsequences: false) {
      guard let form = form(Array(label.unicodeScalars)), form.utf8.count <= 63 else { return nil }
      labels.append(form)
    }
    return labels.joined(separator: ".")
  }

  private static func form(_ label: [Unicode.Scalar]) -> String? {
    if label.allSatisfy(\.isASCII) { return String(String.UnicodeScalarView(label)) }
    // Other signs have more than one spelling, or none in a host's name.
    let isPlain = label.allSatisfy {
      $0.isASCII
        || ($0.properties.isAlphabetic && $0.properties.canonicalCombiningClass == .notReordered)
    }
    guard isPlain, let digits = encode(label.map(\.value)) else { return nil }
    return "xn--" + digits
  }

  private static func encode(_ points: [UInt32]) -> String? {
    var out = points.filter { $0 < 0x80 }.map { UInt8($0) }
    let basic = out.count
    if basic > 0 { out.append(UInt8(ascii: "-")) }
    var (next, delta, bias, done) = (UInt32(0x80), 0, 72, basic)
    while done < points.count {
      guard let least = points.filter({ $0 >= next }).min(), points.count < 64 else { return nil }
      delta += Int(least - next) * (done + 1)
      next = least
      for point in points {
        if point < next { delta += 1 }
        guard point == next else { continue }
        append(delta, bias, to: &out)
        bias = adapted(delta, count: done + 1, isFirst: done == basic)
        delta = 0
        done += 1
      }
      delta += 1
      next += 1
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// A number in digits whose base changes from place to place.
  private static func append(_ delta: Int, _ bias: Int, to out: inout [UInt8]) {
    var (rest, place) = (delta, 36)
    while true {
      let least = min(max(place - bias, 1), 26)
      if rest < least { break }
      out.append(digit(least + (rest - least) % (36 - least)))
      rest = (rest - least) / (36 - least)
      place += 36
    }
    out.append(digit(rest))
  }

  private static func digit(_ value: Int) -> UInt8 {
    value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "0") + UInt8(value - 26)
  }

  private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
    var delta = isFirst ? delta / 700 : delta / 2
    delta += delta / count
    var places = 0
    while delta > 455 {
      delta /= 35
      places += 36
    }
    return places + 36 * delta / (delta + 38)
  }
}
