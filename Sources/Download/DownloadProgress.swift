// SPDX-License-Identifier: Apache-2.0
// One running transfer, and the photos that wait for it.

package import Vocabulary

package struct DownloadProgress: Equatable, Sendable {
  package let photos: [PhotoID]
  package let transfer: TransferProgress
}
