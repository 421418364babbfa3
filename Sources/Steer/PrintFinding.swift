// SPDX-License-Identifier: Apache-2.0
// The outcome of a comparison of a print with the record.

package struct PrintFinding: MessageValue {
  package enum Kind: String, CaseIterable, MessagePart {
    case asRecorded, missing, changed, unreadable
    /// The record has the print, but its result is missing or cannot be read.
    case lost
  }

  package var kind = Kind.asRecorded
  /// A clause; empty if it is as recorded.
  package var why = ""

  package init(_ kind: Kind, why: String = "") { (self.kind, self.why) = (kind, why) }

  package static let asRecorded = PrintFinding(.asRecorded)
  package static let missing = PrintFinding(.missing, why: "it does not exist")
  package static let notOfPrint = PrintFinding(.changed, why: "its name is not one of a print")
  package static let otherContents = PrintFinding(.changed, why: "its contents differ")

  package static func size(_ found: UInt64, recorded: UInt64) -> PrintFinding {
    PrintFinding(.changed, why: "it has \(found) bytes, \(recorded) were recorded")
  }

  package init() {}
  package static let fields: [Field] = [Field("finding", \.kind), Field("why", \.why)]
}
