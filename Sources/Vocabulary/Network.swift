// SPDX-License-Identifier: Apache-2.0
// The network as the Download stage sees it. `Transfer` has the real one (libcurl); tests script one.

package protocol Network: Sendable {
  /// Writes what the origin sends into `file`, from its beginning, and returns when the transfer
  /// is over. Cancelling the task stops the transfer; what has arrived stays in the file.
  /// Raises a `Failure` worded for the photo's reason.
  func fetch(_ request: TransferRequest, into file: any OpenFile) async throws(Failure)
    -> TransferReply
}

package struct TransferRequest: Sendable {
  /// Absolute, http or https.
  package let url: String
  package let maximumSize: UInt64
  package let timeout: Duration
  package let connectTimeout: Duration
  package let priority: ServiceClass

  package init(
    url: String, maximumSize: UInt64, timeout: Duration, connectTimeout: Duration,
    priority: ServiceClass
  ) {
    self.url = url
    self.maximumSize = maximumSize
    self.timeout = timeout
    self.connectTimeout = connectTimeout
    self.priority = priority
  }
}

package struct TransferReply: Equatable, Sendable {
  package let status: Int
  package let size: UInt64
  /// As the origin named it; only ever shown, never believed.
  package let contentType: String

  package init(status: Int, size: UInt64, contentType: String) {
    self.status = status
    self.size = size
    self.contentType = contentType
  }
}
