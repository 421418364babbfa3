// SPDX-License-Identifier: Apache-2.0
// Reads the text of a setting as a value; sizes, times and lists are written as in systemd's files. A value.
// Raises `TextProblem`, worded for the author of the file.

import Vocabulary

struct SettingForm<Value: Equatable & Sendable>: Sendable {
  let read: @Sendable (String) throws(TextProblem) -> Value
  /// Combines the value of earlier lines with the value of this line.
  var join: @Sendable (_ old: Value, _ new: Value) -> Value = { $1 }
  /// Repeated lines add up, as `join` says.
  var addsUp = false

  /// `auto` stands for nil.
  static func auto<Wrapped>(or form: SettingForm<Wrapped>) -> Self where Value == Wrapped? {
    word("auto", or: form)
  }

  /// `infinity` stands for nil.
  static func infinity(or form: SettingForm<Duration>) -> Self where Value == Duration? {
    word("infinity", or: form)
  }

  private static func word<Wrapped>(
    _ word: String, or form: SettingForm<Wrapped>
  ) -> Self where Value == Wrapped? {
    Self { (text) throws(TextProblem) in text == word ? nil : try form.read(text) }
  }
}

extension SettingForm where Value: FixedWidthInteger {
  static func count(from least: Value, to most: Value) -> Self {
    Self { (text) throws(TextProblem) in
      guard let value = Value(text), value >= least, value <= most else {
        throw TextProblem("expected a whole number from \(least) to \(most), not '\(text)'")
      }
      return value
    }
  }
}

extension SettingForm<UInt64> {
  /// Of a picture. A number that could mean megapixels is refused, because every photo would fail.
  static func pixels(_ key: String, from least: UInt64, to most: UInt64) -> Self {
    Self { (text) throws(TextProblem) in
      if let number = UInt64(text), number > 0, number < least {
        throw TextProblem(
          "\(key)=\(text) counts pixels, and at least \(least) must be allowed"
            + (number <= most / 1_000_000 ? "; write \(number)000000 for \(number) megapixels" : "")
        )
      }
      return try count(from: least, to: most).read(text)
    }
  }
}

extension SettingForm<UInt64> {
  /// `64M`, `1G`: K, M, G and T are powers of 1024. A number that could mean bytes or megabytes needs its unit, because
  /// all photos fail whose originals are larger than a size of some bytes. 0 needs none.
  static func size(_ key: String, from least: UInt64, to most: UInt64) -> Self {
    Self { (text) throws(TextProblem) in
      let units: [Character: UInt64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
      let unit = text.last.flatMap { units[$0] }
      let digits = unit == nil ? text[...] : text.dropLast()
      guard let number = UInt64(digits) else {
        throw TextProblem("a size is written as 64K, 64M or 1G, not '\(text)'")
      }
      guard unit != nil || number == 0 else {
        throw TextProblem("\(key)=\(text) has no unit\(advice(number, from: least, to: most))")
      }
      let (value, isTooLarge) = number.multipliedReportingOverflow(by: unit ?? 1)
      guard !isTooLarge, value >= least, value <= most else {
        throw TextProblem(
          "expected a size from \(words(least)) to \(words(most)), not '\(text)'")
      }
      return value
    }
  }

  /// The size that was meant: of megabytes if they are within the limits, else of bytes.
  private static func advice(_ number: UInt64, from least: UInt64, to most: UInt64) -> String {
    let (megabytes, isTooLarge) = number.multipliedReportingOverflow(by: 1 << 20)
    if !isTooLarge, megabytes >= least, megabytes <= most {
      return "; write \(number)M for \(number) MiB"
    }
    guard number >= least, number <= most else {
      return "; a size is written as 64K, 64M or 1G"
    }
    let kilobytes = (number + 1023) >> 10
    return
      "; write \(kilobytes % 1024 == 0 ? "\(kilobytes >> 10)M" : "\(kilobytes)K") for \(number) bytes"
  }

  private static func words(_ size: UInt64) -> String {
    for (letter, shift) in [("T", 40), ("G", 30), ("M", 20), ("K", 10)] as [(String, UInt64)]
    where size >= 1 << shift && size % (1 << shift) == 0 {
      return "\(size >> shift)\(letter)"
    }
    return "\(size)"
  }
}

extension SettingForm<Duration> {
  /// `250ms`, `5s`, `1min 30s`, `2h`; a number without a unit counts seconds.
  static func duration(from least: Duration, to most: Duration) -> Self {
    Self { (text) throws(TextProblem) in
      guard let total = sum(text) else {
        throw TextProblem("a time is written as 250ms, 5s, 10min, 1h 30min or 1d, not '\(text)'")
      }
      guard total >= least, total <= most else {
        throw TextProblem(
          "expected a time from \(words(least)) to \(words(most)), not '\(text)'")
      }
      return total
    }
  }

  /// The same for a setting by which files are removed: a number that could mean seconds or days needs its unit.
  /// - Parameter other: words for what else may be written: `0`, `no` and `never` could mean either end.
  static func age(
    _ key: String, from least: Duration, to most: Duration, or other: String = ""
  ) -> Self {
    Self { (text) throws(TextProblem) in
      let bare = text.split(separator: " ").compactMap { Int64($0) }.first
      if let bare, bare > 0 {
        let days = bare == 1 ? "1 day" : "\(bare) days"
        throw TextProblem("\(key)=\(text) has no unit; write \(bare)d for \(days)")
      }
      guard bare == nil, let total = sum(text), total >= least, total <= most else {
        throw TextProblem(
          "expected a time with its unit (s, min, h, d), from \(words(least)) to \(words(most))\(other), not '\(text)'"
        )
      }
      return total
    }
  }

  private static func sum(_ text: String) -> Duration? {
    var total = Duration.zero
    let parts = text.split(separator: " ")
    for part in parts {
      guard let time = Duration(written: part) else { return nil }
      total += time
    }
    return parts.isEmpty ? nil : total
  }

  private static func words(_ time: Duration) -> String {
    let (seconds, attoseconds) = time.components
    if attoseconds != 0 { return "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000)ms" }
    if seconds >= 86400, seconds % 86400 == 0 { return "\(seconds / 86400)d" }
    if seconds >= 3600, seconds % 3600 == 0 { return "\(seconds / 3600)h" }
    if seconds >= 60, seconds % 60 == 0 { return "\(seconds / 60)min" }
    return "\(seconds)s"
  }
}

extension SettingForm<Bool> {
  static var yesOrNo: Self {
    Self { (text) throws(TextProblem) in
      switch text.lowercased() {
      case "yes", "true", "on", "1": return true
      case "no", "false", "off", "0": return false
      default: throw TextProblem("expected yes or no, not '\(text)'")
      }
    }
  }
}

extension SettingForm<[NetworkRange]> {
  static var networks: Self {
    words { (word) throws(TextProblem) in
      return try NetworkRange(parsing: word)
    }
  }
}

extension SettingForm<ProxyServer?> {
  /// Empty stands for nil.
  static var proxy: Self {
    Self { (text) throws(TextProblem) in
      if text.isEmpty { return nil }
      return try ProxyServer(parsing: text)
    }
  }
}

extension SettingForm<[HostPattern]> {
  static var hosts: Self {
    words { (word) throws(TextProblem) in
      return try HostPattern(parsing: word)
    }
  }
}

extension SettingForm<String> {
  /// A part of a header: a URL or an address. Empty stands for none.
  static var contact: Self {
    Self { (text) throws(TextProblem) in
      let isFit = text.utf8.allSatisfy {
        (0x21...0x7E).contains($0) && $0 != 0x28 && $0 != 0x29 && $0 != 0x5C
      }
      guard isFit, text.utf8.count <= 200 else {
        throw TextProblem(
          "a contact is a URL or a mail address of at most 200 bytes, without spaces and brackets, not '\(text)'"
        )
      }
      return text
    }
  }
}

extension SettingForm<[WebhookPrefix]> {
  static var webhooks: Self {
    words { (word) throws(TextProblem) in try WebhookPrefix(parsing: word) }
  }
}

extension SettingForm<[String]> {
  static var absolutePaths: Self {
    words { (word) throws(TextProblem) in
      guard word.hasPrefix("/"), !word.split(separator: "/").contains("..") else {
        throw TextProblem("a folder is written as a full path without '..', not '\(word)'")
      }
      return word
    }
  }
}

extension SettingForm<String?> {
  /// The longest path of the kernel, with its NUL.
  private static var longestPath: Int { 4096 }

  /// Of a file or a folder. Empty stands for nil.
  static var path: Self {
    Self { (text) throws(TextProblem) in
      if text.isEmpty { return nil }
      guard text.hasPrefix("/"), text.utf8.count < longestPath, !text.utf8.contains(0),
        !text.split(separator: "/").contains("..")
      else { throw TextProblem("expected a full path without '..', not '\(text)'") }
      return text
    }
  }

  /// Empty stands for nil. Without spaces: an argument would become part of the name, unnoticed.
  static var program: Self {
    Self { (text) throws(TextProblem) in
      if text.isEmpty { return nil }
      guard text.hasPrefix("/"), text.utf8.count < longestPath, text.utf8.last != 0x2F,
        !text.split(separator: "/").contains(".."), !text.utf8.contains(0x20),
        !text.utf8.contains(0)
      else {
        throw TextProblem(
          "a program is written as a full path without '..', spaces and arguments, not '\(text)'")
      }
      return text
    }
  }
}

extension SettingForm<String?> {
  /// A connection string or URI. Empty stands for nil.
  static var ledger: Self {
    Self { (text) throws(TextProblem) in
      if text.isEmpty { return nil }
      // postgresql://USER:PASSWORD@HOST/DATABASE
      let parts = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
      let login = parts.count == 3 && parts[1].isEmpty ? parts[2].split(separator: "@") : []
      let isSecret =
        text.contains("password=") || login.count > 1 && login[0].contains(":")
      guard !isSecret, text.utf8.count < longestPath else {
        throw TextProblem(
          "the ledger is written as host=db1,db2 dbname=darkroom user=darkroom, without a password: see LedgerPassword="
        )
      }
      return text
    }
  }

  /// The path of a file, or the name of a credential. Empty stands for nil.
  static var secret: Self {
    Self { (text) throws(TextProblem) in
      if text.isEmpty { return nil }
      guard text.hasPrefix("/") || FileName(text) != nil else {
        throw TextProblem("expected a full path or the name of a credential, not '\(text)'")
      }
      return text
    }
  }

  /// `auto` stands for nil.
  static var node: Self {
    Self { (text) throws(TextProblem) in
      if text == "auto" { return nil }
      return try NodeName.read(text)
    }
  }
}

/// Where the nodes of a cluster find prints and lists.
enum BlobPlace: Equatable, Sendable {
  /// A folder that all nodes mount.
  case folder(String)
  case store(StorePlace)
}

extension SettingForm<BlobPlace?> {
  /// A full path, or the URL of a bucket. Empty stands for nil.
  static var blobs: Self {
    Self { (text) throws(TextProblem) in
      guard text.contains("://") else {
        return try SettingForm<String?>.path.read(text).map { .folder($0) }
      }
      // The reason does not repeat the text, which may have a secret in it.
      return .store(try StorePlace(parsing: text))
    }
  }
}

extension SettingForm<String> {
  /// Of a bucket, as `eu-central-1`.
  static var region: Self {
    Self { (text) throws(TextProblem) in
      guard isPlainName(text, marks: "-_") else {
        throw TextProblem(
          "a region has a name of at most 64 letters, digits and dashes, not '\(text)'")
      }
      return text
    }
  }
}

extension SettingForm {
  /// True for 1 to 64 letters, digits and marks.
  static func isPlainName(_ text: String, marks: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || marks.utf8.contains($0)
      }
  }

  /// Words separated by spaces. Repeated lines add up; an empty one clears them, as in units.
  fileprivate static func words<Word: Equatable & Sendable>(
    _ read: @escaping @Sendable (String) throws(TextProblem) -> Word
  ) -> Self where Value == [Word] {
    Self(
      read: { (text) throws(TextProblem) in
        try text.split(separator: " ").map { (word) throws(TextProblem) in
          try read(String(word))
        }
      }, join: { old, new in new.isEmpty ? [] : old + new }, addsUp: true)
  }
}

extension SettingForm<FilterFunction> {
  static var filter: Self {
    Self { (text) throws(TextProblem) in try FilterFunction(parsing: text) }
  }
}

extension SettingForm<PrintQuality> {
  static var quality: Self {
    Self { (text) throws(TextProblem) in
      do { return try PrintQuality(parsing: text) } catch {
        throw TextProblem("\(error), not '\(text)'")
      }
    }
  }
}

extension SettingForm<MetadataRule> {
  static var metadata: Self {
    Self { (text) throws(TextProblem) in
      guard let rule = MetadataRule(name: text) else {
        throw TextProblem("expected \(MetadataRule.names), not '\(text)'")
      }
      return rule
    }
  }
}

extension SettingForm<UInt16?> {
  /// A height in pixels, or `no`.
  static var thumbnails: Self {
    Self { (text) throws(TextProblem) in
      if text.lowercased() == "no" { return nil }
      guard let height = UInt16(text), Thumbnail.heights.contains(height) else {
        let heights = Thumbnail.heights.map { "\($0)" }.joined(separator: " or ")
        throw TextProblem("expected no, \(heights), not '\(text)'")
      }
      return height
    }
  }
}
