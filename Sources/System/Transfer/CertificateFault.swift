// SPDX-License-Identifier: Apache-2.0
// Why a host's certificate was refused, from the number of OpenSSL's verdict (X509_V_ERR_…).

import Vocabulary

enum CertificateFault: Equatable {
  case expired, early, selfSigned, issuer, name, other

  /// The name is compared by libcurl, for which OpenSSL's verdict is "none" (0), "not yet known" (1), or the
  /// name (62) or the address (64) as libcurl passed it on.
  init(_ verdict: Int) {
    self =
      switch verdict {
      case 0, 1, 62, 64: .name
      case 2, 19, 20, 21: .issuer
      case 9: .early
      case 10: .expired
      case 18: .selfSigned
      default: .other
      }
  }

  /// A certificate that is not valid yet becomes valid, here or by the clock of this machine.
  /// - Parameter now: milliseconds since 1970, by that clock.
  func failure(server: String, now: UInt64) -> Failure {
    if self == .early, now < Release.date { return Self.wrongClock(now) }
    let (code, words, advice) = parts
    return Failure(
      self == .early ? .passing : .final, code: code,
      reason: "the certificate of \(server) \(words)", advice: advice)
  }

  /// No photo and no host is to blame.
  private static func wrongClock(_ now: UInt64) -> Failure {
    .wrongClock(now, so: "no certificate is valid")
  }

  private var parts: (code: String, words: String, advice: String) {
    switch self {
    case .expired:
      (
        "tls.expired", "has expired",
        "The host's operator must renew it, unless this machine's clock is wrong"
      )
    case .early: ("tls.early", "is not valid yet", "Check this machine's clock")
    case .selfSigned:
      (
        "tls.self-signed", "is self-signed",
        "If you trust it, add it to this machine's authorities with update-ca-certificates"
      )
    case .issuer:
      (
        "tls.issuer", "is signed by an unknown authority",
        "The host must send its intermediate certificates. "
          + "If you trust the authority, add it with update-ca-certificates"
      )
    case .name:
      ("tls.name", "is for another host", "Use the host name for which it was issued")
    case .other: ("tls.certificate", "cannot be trusted", "")
    }
  }
}
