// SPDX-License-Identifier: Apache-2.0
// The output of `show`: the list, then its photos page by page.

package import Steer
internal import Vocabulary

package struct PhotoText {
  private let screen: ToolScreen
  private var table = TextTable([
    .init("NUMBER", isRight: true), .init("STATE"), .init("NAME", least: 8, fair: 12, cut: .middle),
    .init("SIZE", isRight: true, isSpare: true), .init("PIXELS", isRight: true, isSpare: true),
    .init("PRINT OR REASON", least: 8, fair: 24),
  ])
  private var hasPhotos = false

  package init(_ screen: ToolScreen) { self.screen = screen }

  package static func head(
    _ list: ListSummary, _ screen: ToolScreen, now: UInt64, users: (UInt32) -> String?
  ) -> String {
    if screen.isPlain { return "list\t" + ListText.plain(list) }
    let title = list.title.isEmpty ? "" : ": \(Printable.text(list.title))"
    var lines = [
      Prose.folded(ListText.name(list) + title, screen, indent: 2, tone: .heading),
      Prose.folded(standing(list, now, users), screen, indent: 2, tone: ListText.tone(list)),
      Prose.folded(
        "\(ListText.photos(list)): \(list.filtered) filtered, \(list.failed) failed, "
          + "\(list.downloaded) downloaded, \(list.new) new", screen, indent: 2),
    ]
    if let words = expiry(list, now) { lines.append(Prose.folded(words, screen, indent: 2)) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// When the prints go, or went; nil if they stay.
  private static func expiry(_ list: ListSummary, _ now: UInt64) -> String? {
    if let gone = list.end.printsExpired {
      return "its prints expired \(Amounts.age(since: gone, now: now)) ago (KeepPrints=)"
    }
    return list.end.printsExpire.map { end in
      end > now
        ? "its prints expire in \(Amounts.span(milliseconds: end - now)) (KeepPrints=)"
        : "its prints are about to expire (KeepPrints=)"
    }
  }

  private static func standing(
    _ list: ListSummary, _ now: UInt64, _ users: (UInt32) -> String?
  ) -> String {
    let end = list.ended == 0 ? "" : ", ended \(Amounts.age(since: list.ended, now: now)) ago"
    let left = list.secondsLeft.map { ", \(Amounts.span(milliseconds: $0 * 1000)) left" } ?? ""
    // The owner goes without saying.
    let other = list.halter.flatMap { $0 == list.owner ? nil : $0 }
    let halter = other.map { " by \(ListText.name(of: $0, users))" } ?? ""
    return "\(Printable.text(list.state))\(halter), \(Printable.text(list.serviceClass)), accepted "
      + "\(Amounts.age(since: list.accepted, now: now)) ago for "
      + "\(ListText.name(of: list.owner, users))\(end)\(left)"
  }

  /// The next photos.
  package mutating func page(_ photos: [PhotoSummary], now: UInt64) -> String {
    if screen.isPlain { return photos.map { Self.plain($0) }.joined() }
    if photos.isEmpty { return "" }
    for photo in photos {
      table.add([
        .init("\(photo.number)"), .init(Printable.text(photo.state), Self.tone(photo)),
        .init(Printable.text(photo.name)),
        .init(photo.bytes > 0 ? Amounts.bytes(photo.bytes) : ""),
        .init(photo.width > 0 ? "\(photo.width)×\(photo.height)" : ""),
        .init(Self.end(photo, now)),
      ])
    }
    defer { hasPhotos = true }
    return (hasPhotos ? "" : "\n") + table.page(screen)
  }

  /// Columns: `photo`, number, state, name, URL, attempts, bytes, width, height, print, code, reason, retry.
  private static func plain(_ photo: PhotoSummary) -> String {
    TextTable.plain([
      "photo", "\(photo.number)", Printable.text(photo.state), Printable.text(photo.name),
      Printable.text(photo.url, limit: 4096), "\(photo.attempts)", "\(photo.bytes)",
      "\(photo.width)", "\(photo.height)", Printable.text(photo.print),
      Printable.text(photo.code), Printable.sentence(photo.reason), "\(photo.retry)",
    ])
  }

  private static func end(_ photo: PhotoSummary, _ now: UInt64) -> String {
    if !photo.print.isEmpty { return Printable.text(photo.print) }
    let reason =
      photo.reason.isEmpty
      ? "" : "\(Printable.text(photo.code)): \(Printable.sentence(photo.reason))"
    guard let attempt = attempt(photo, now) else { return reason }
    return reason + (reason.isEmpty ? "" : "; ") + attempt
  }

  /// `next attempt in 9 s`; nil for a photo that does not wait for one.
  static func attempt(_ photo: PhotoSummary, _ now: UInt64) -> String? {
    guard photo.retry > 0 else { return nil }
    return "next attempt in \(Amounts.span(milliseconds: photo.retry - min(now, photo.retry)))"
  }

  private static func tone(_ photo: PhotoSummary) -> ToolScreen.Tone? {
    switch photo.state {
    case SeenState.filtered.name: .good
    case SeenState.failed.name, SeenState.unknown.name: .bad
    default: nil
    }
  }
}
