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

  /// Cuts out of an XMP packet what its print must not have; false if the packet has to be left out.
  mutating func clean(packet: inout [UInt8]) -> Bool {
    guard let promised = PacketPromise.remove(from: &packet) else {
      note(.unreadable)
      return false
    }
    formUnion(promised)
    let outcome = PacketPreview.remove(from: &packet)
    note(outcome)
    return outcome != .unreadable
  }
}
