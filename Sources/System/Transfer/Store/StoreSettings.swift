// SPDX-License-Identifier: Apache-2.0
// The configuration of a store of objects. Values.

package import Vocabulary

package struct StoreSettings: Equatable, Sendable {
  package let place: StorePlace
  package let login: StoreLogin
  /// Part of the signature.
  package let region: String
  package let userAgent: String
  /// Certificates to trust beside the system's, in PEM.
  package let ownAuthorities: [UInt8]

  package init(
    _ place: StorePlace, _ login: StoreLogin, region: String, userAgent: String = "darkroom",
    ownAuthorities: [UInt8] = []
  ) {
    (self.place, self.login, self.region) = (place, login, region)
    (self.userAgent, self.ownAuthorities) = (userAgent, ownAuthorities)
  }
}

/// An access key and its secret: `KEY:SECRET`, one line of text. Its description has neither.
package typealias StoreLogin = ProxyLogin
