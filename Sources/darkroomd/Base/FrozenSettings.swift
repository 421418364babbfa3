// SPDX-License-Identifier: Apache-2.0
// The settings of a list that change pixels or names, and the URL to notify, fixed when the list is accepted; a later
// configuration does not change them. Stored as `Key=value` lines in the list's `about`. A value. Raises `list.about`
// for text that cannot be read.

import Cluster
import Files
import Linux
import Output
import Vocabulary

struct FrozenSettings: Equatable, Sendable {
  /// Where its photos are developed.
  enum Kind: Equatable, Sendable {
    /// Here alone: all of them, or some (`PartTask`).
    case own(NumberRanges? = nil)
    /// By all nodes, as shares. Its name among nodes was drawn at random; it has a number when the ledger has answered.
    case entry(FileName, LedgerList? = nil)
    /// Some photos of such a list, here.
    case share(ShareMark, NumberRanges, of: FileName)
  }

  static let damage = "list.about"

  /// The folder of the list's prints, one checked component.
  var prints: FileName
  /// Of the marks in that folder: drawn at random for the first list there, and the same in the lists that take over from
  /// it. Nil for a list whose folder has no mark: nodes of a cluster and tasks with parts agree about folders by other means.
  var line: String?
  let filter: FilterFunction
  var quality = PrintQuality.source
  var metadata = MetadataRule.keep
  let title: String
  /// The earlier list of the same name and owner, whose prints this one takes over.
  var revises: ListID?
  /// It was made of dropped pictures.
  var isRoll = false
  /// The photos of the revised list to try again; its other failed photos stay failed. Nil for all.
  var again: RetryChoice?
  /// Notified when the list is over, if Webhooks= still allows it then.
  var notify: PhotoURL?
  /// The prints are for the owner of the list alone.
  var isPrivate = false
  /// The folder of the prints has a page that shows them.
  var hasSheet = false
  var kind = Kind.own()

  /// The photos that are developed here; nil for all.
  var part: NumberRanges? {
    switch kind {
    case .own(let photos): photos
    case .entry: nil
    case .share(_, let photos, of: _): photos
    }
  }

  /// The name among nodes of the list that all nodes develop.
  var origin: FileName? {
    switch kind {
    case .own: nil
    case .entry(let origin, _), .share(_, _, of: let origin): origin
    }
  }

  /// The readers of its prints, beside the daemon.
  func readers(_ owner: UInt32) -> FileReaders { isPrivate ? .user(owner) : .group }

  /// Claims the folder of prints for the list. Nil if its folder has none.
  func mark(of list: ListID) -> PrintsMark? {
    line.flatMap { PrintsMark(line: $0, list: list) }
  }

  /// Raises `machine` without random numbers.
  static func newLine() throws(Failure) -> String {
    try asMachine { () throws(SystemError) in String(hex: try ThisProcess.randomBytes(8)) }
  }

  /// For the ledger.
  var originText: String { origin.map { "\($0)" } ?? "" }

  var ledger: LedgerList? { if case .entry(_, let list) = kind { list } else { nil } }
  var share: ShareMark? { if case .share(let mark, _, of: _) = kind { mark } else { nil } }

  /// Its photos are developed by other lists, here and on other nodes.
  var isEntry: Bool { if case .entry = kind { true } else { false } }

  /// The copy of the list's files that all shares of it use; nil for lists that are whole.
  var copy: FileName? { if case .share(_, _, of: let origin) = kind { origin } else { nil } }

  /// Its prints are where all nodes have theirs.
  var isOfCluster: Bool { if case .own = kind { false } else { true } }

  /// Nil if the prints of the list are not in a store.
  func storedPrints(in folders: StateFolders) -> StoredPrints? {
    if case .stored(let prints) = folders.place(of: self) { prints } else { nil }
  }

  /// Raises `machine` without random numbers.
  static func newOrigin() throws(Failure) -> FileName {
    try asMachine { () throws(SystemError) in
      FileName(made: String(hex: try ThisProcess.randomBytes(16)))
    }
  }

  var text: String {
    """
    Prints=\(String(decoding: prints.bytes, as: UTF8.self))
    Line=\(line ?? "")
    Filter=\(filter)
    Quality=\(quality)
    Metadata=\(metadata)
    Revises=\(revises.map { "\($0)" } ?? "")
    Again=\(again?.text ?? "")
    Notify=\(notify?.text ?? "")
    Private=\(isPrivate ? "yes" : "no")
    ContactSheet=\(hasSheet ? "yes" : "no")
    Roll=\(isRoll ? "yes" : "no")
    Part=\(part?.text ?? "")
    Origin=\(originText)
    Ledger=\(ledger.map { "\($0)" } ?? "")
    Share=\(share?.text ?? "")
    Title=\(title.split(whereSeparator: \.isNewline).joined(separator: " "))

    """
  }
}

extension FrozenSettings {
  init(text: String) throws(Failure) {
    let values = KeyedLines(text)
    guard let prints = values["Prints"].flatMap({ FileName($0) }), let filter = values["Filter"],
      let function = try? FilterFunction(parsing: filter),
      let quality = try? PrintQuality(parsing: values["Quality"] ?? "source"),
      let metadata = MetadataRule(name: values["Metadata"] ?? "keep"), let kind = Kind(values)
    else {
      throw Failure(
        .final, code: Self.damage, reason: "its frozen settings cannot be read",
        advice: "Drop the list again")
    }
    self.init(
      prints: prints, line: values["Line"].flatMap { PrintsMark.isLine($0) ? $0 : nil },
      filter: function, quality: quality, metadata: metadata,
      title: values["Title"] ?? "",
      revises: values["Revises"].flatMap { UInt64($0) }.map { ListID($0) },
      isRoll: values["Roll"] == "yes", again: values["Again"].flatMap { RetryChoice(text: $0) },
      notify: values["Notify"].flatMap { try? PhotoURL(parsing: $0) },
      isPrivate: values["Private"] == "yes", hasSheet: values["ContactSheet"] == "yes",
      kind: kind)
  }
}

extension FrozenSettings.Kind {
  /// Nil for words that do not go together.
  fileprivate init?(_ values: KeyedLines) {
    let photos = values["Part"].flatMap { NumberRanges(text: $0) }
    let origin = values["Origin"].flatMap { FileName($0) }
    let mark = values["Share"].flatMap { ShareMark(text: $0) }
    switch (origin, mark, photos) {
    case (nil, nil, let photos): self = .own(photos)
    case (let origin?, nil, nil):
      self = .entry(origin, values["Ledger"].flatMap { UInt64($0) }.map { LedgerList($0) })
    case (let origin?, let mark?, let photos?): self = .share(mark, photos, of: origin)
    default: return nil
    }
  }
}
