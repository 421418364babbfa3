// SPDX-License-Identifier: Apache-2.0
// The output of `show`: the list, then its photos page by page.

package import Steer
internal import Vocabulary

package enum PhotoText {
  package static func head(
    _ list: ListSummary, _ screen: ToolScreen, now: UInt64, users: (UInt32) -> String?
  ) -> String {
    guard screen.isTerminal else { return "list\t" + ListText.plain(list) }
    let title = list.title.isEmpty ? "" : ": \(Printable.text(list.title))"
    let owner = users(list.owner).map { Printable.text($0) } ?? "\(list.owner)"
    let age = Amounts.span(milliseconds: now - min(now, list.accepted))
    let state = screen.tinted(Printable.text(list.state), ListText.tone(list))
    return """
      \(screen.tinted(ListText.name(list), .heading))\(title)
      \(state), \(Printable.text(list.serviceClass)), accepted \(age) ago for \(owner)
      \(ListText.photos(list)): \(list.filtered) filtered, \(list.failed) failed, \
      \(list.downloaded) downloaded, \(list.new) new

      """
  }

  package static func page(_ photos: [PhotoSummary], _ screen: ToolScreen, now: UInt64) -> String {
    guard screen.isTerminal else { return photos.map { plain($0) }.joined() }
    if photos.isEmpty { return "" }
    var table = TextTable([
      .init("NUMBER", isRight: true), .init("STATE"), .init("NAME"), .init("SIZE", isRight: true),
      .init("PIXELS", isRight: true), .init("PRINT OR REASON"),
    ])
    for photo in photos {
      table.add([
        .init("\(photo.number)"), .init(Printable.text(photo.state), tone(photo)),
        .init(Printable.text(photo.name, limit: 60)),
        .init(photo.bytes > 0 ? Amounts.bytes(photo.bytes) : ""),
        .init(photo.width > 0 ? "\(photo.width)×\(photo.height)" : ""), .init(end(photo, now)),
      ])
    }
    return "\n" + table.text(screen)
  }

  /// Columns: `photo`, number, state, name, URL, attempts, bytes, width, height, print, code, reason, retry.
  private static func plain(_ photo: PhotoSummary) -> String {
    TextTable.plain([
      "photo", "\(photo.number)", Printable.text(photo.state), Printable.text(photo.name),
      Printable.text(photo.url, limit: 4096), "\(photo.attempts)", "\(photo.bytes)",
      "\(photo.width)", "\(photo.height)", Printable.text(photo.print),
      Printable.text(photo.code), Printable.text(photo.reason), "\(photo.retry)",
    ])
  }

  private static func end(_ photo: PhotoSummary, _ now: UInt64) -> String {
    if !photo.print.isEmpty { return Printable.text(photo.print) }
    let reason =
      photo.reason.isEmpty
      ? "" : "\(Printable.text(photo.code)): \(Printable.text(photo.reason))"
    guard photo.retry > 0 else { return reason }
    let wait = Amounts.span(milliseconds: photo.retry - min(now, photo.retry))
    return reason + (reason.isEmpty ? "" : "; ") + "next attempt in \(wait)"
  }

  private static func tone(_ photo: PhotoSummary) -> ToolScreen.Tone? {
    switch photo.state {
    case PhotoState.filtered.name: .good
    case PhotoState.failed.name: .bad
    default: nil
    }
  }
}
