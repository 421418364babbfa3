// SPDX-License-Identifier: Apache-2.0
// The settings of a list that change pixels or names, and the URL to notify, fixed when the list is accepted; a later
// configuration does not change them. Stored as `Key=value` lines in the list's `about`. A value. Raises `list.about`
// for text that cannot be read.

import Cluster
import Linux
import Output
import Vocabulary

struct FrozenSettings: Equatable, Sendable {
  static let damage = "list.about"

  /// The folder of the list's prints, one checked component.
  var prints: FileName
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
  /// The photos that are developed here; nil for all. See `PartTask`.
  var part: NumberRanges?
  /// The list's name among nodes, drawn at random: it is developed by all nodes.
  var origin: FileName?
  /// Its number in the ledger, when that has answered.
  var ledger: LedgerList?
  /// This list is a share of such a list.
  var share: ShareMark?

  /// For the ledger.
  var originText: String { origin.map { "\($0)" } ?? "" }

  /// Its photos are developed by other lists, here and on other nodes.
  var isEntry: Bool { origin != nil && share == nil }

  /// The copy of the list's files that all shares of it use; nil for lists that are whole.
  var copy: FileName? { share == nil ? nil : origin }

  /// Its prints are where all nodes have theirs.
  var isOfCluster: Bool { origin != nil || share != nil }

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
  /// Lists from before Quality=, Metadata=, Roll=, Again=, Notify=, Private=, ContactSheet=, Part=, Origin=, Ledger= and
  /// Share= have no such keys; the defaults fit them.
  init(text: String) throws(Failure) {
    let values = KeyedLines(text)
    guard let prints = values["Prints"].flatMap({ FileName($0) }), let filter = values["Filter"],
      let function = try? FilterFunction(parsing: filter),
      let quality = try? PrintQuality(parsing: values["Quality"] ?? "source"),
      let metadata = MetadataRule(name: values["Metadata"] ?? "keep")
    else {
      throw Failure(
        .final, code: Self.damage, reason: "its frozen settings cannot be read",
        advice: "Drop the list again")
    }
    self.init(
      prints: prints, filter: function, quality: quality, metadata: metadata,
      title: values["Title"] ?? "",
      revises: values["Revises"].flatMap { UInt64($0) }.map { ListID($0) },
      isRoll: values["Roll"] == "yes", again: values["Again"].flatMap { RetryChoice(text: $0) },
      notify: values["Notify"].flatMap { try? PhotoURL(parsing: $0) },
      isPrivate: values["Private"] == "yes", hasSheet: values["ContactSheet"] == "yes",
      part: values["Part"].flatMap { NumberRanges(text: $0) },
      origin: values["Origin"].flatMap { FileName($0) },
      ledger: values["Ledger"].flatMap { UInt64($0) }.map { LedgerList($0) },
      share: values["Share"].flatMap { ShareMark(text: $0) })
  }
}
