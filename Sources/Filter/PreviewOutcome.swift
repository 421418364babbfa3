// SPDX-License-Identifier: Apache-2.0
// The result of a search for previews in a piece of metadata.

internal import Vocabulary

enum PreviewOutcome: Equatable {
  /// There is no preview; the bytes are unchanged.
  case none
  case removed
  /// The search failed; the piece is left out, since it may contain an unfiltered preview.
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
