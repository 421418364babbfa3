// SPDX-License-Identifier: Apache-2.0
// One transfer that is not over, and the photos that wait for it.

package import Vocabulary

package struct DownloadProgress: Equatable, Sendable {
  package let photos: [PhotoID]
  package let transfer: TransferProgress

  /// To cancel it loses no byte, and gains time: another transfer can continue it, a single photo waits for it,
  /// and the rest takes longer than a second.
  package var mayStop: Bool {
    guard transfer.isResumable, photos.count == 1 else { return false }
    guard let total = transfer.total else { return true }
    return total - min(total, transfer.received) > transfer.rate
  }
}
