// SPDX-License-Identifier: Apache-2.0
// What came of looking for a preview in a piece of metadata.

internal import Vocabulary

enum PreviewOutcome: Equatable {
  /// There is none; not a byte was changed.
  case none
  case removed
  /// It cannot be told; the piece is left out rather than let a coloured picture through.
  case unreadable
}

extension PictureNotices {
  mutating func note(_ outcome: PreviewOutcome) {
    switch outcome {
    case .none: break
    case .removed: insert(.previewRemoved)
    case .unreadable: insert(.metadataDropped)
    }
  }
}
