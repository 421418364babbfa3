// SPDX-License-Identifier: Apache-2.0
// Why a request to a store was not fulfilled, in words for the administrator. Each is the trouble of this machine or of
// the store: no photo and no list is to blame.

import CCurl
import Linux
import Vocabulary

enum StoreTrouble {
  static let unreachable = "store.unreachable"

  /// There is no whole answer.
  static func failure(_ result: CURLcode, _ handle: EasyHandle, server: String) -> Failure {
    switch result {
    case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT: return TransferEnding.resources
    case CURLE_PEER_FAILED_VERIFICATION:
      let fault = CertificateFault(handle.number(CURLINFO_SSL_VERIFYRESULT)).failure(
        server: server, now: MachineTime().wallTime())
      if fault.kind == .machine { return fault }
      return Failure(
        .machine, scope: .prints, code: "store.certificate",
        reason: "the store cannot be used: \(fault.reason)",
        advice: "Name its authority in CertificateAuthorities=")
    default: break
    }
    let words =
      handle.words.isEmpty ? unsafe String(cString: curl_easy_strerror(result)) : handle.words
    return Failure(
      .machine, scope: .prints, code: unreachable,
      reason: "the store at \(server) cannot be reached: \(Printable.text(words))")
  }

  /// Not the object that was stored: it is read again.
  static func damaged(_ key: ObjectKey, _ place: StorePlace) -> Failure {
    Failure(
      .machine, scope: .one, code: "store.damaged",
      reason: "the store at \(place.server) answers with other bytes than \(key) has")
  }

  /// A proxy may drop the length. Without it the end of the object is not known.
  static func endless(_ key: ObjectKey, _ place: StorePlace) -> Failure {
    Failure(
      .machine, scope: .one, code: "store.answer",
      reason: "the store at \(place.server) answers without the length of \(key)")
  }

  static func tooLong(_ limit: UInt64) -> Failure {
    Failure(
      .machine, scope: .one, code: "store.damaged",
      reason: "the store answers with more than \(limit) bytes")
  }

  /// True if the store may fulfil the same request a moment later.
  static func isBusy(_ answer: StoreAnswer) -> Bool {
    switch answer.status {
    case 429, 500, 502, 503, 504: true
    case 400: code(answer) == "RequestTimeout"
    default: false
    }
  }

  /// The answer is whole, and not the one that was asked for.
  static func failure(_ answer: StoreAnswer, _ place: StorePlace) -> Failure {
    let (code, message) = (code(answer), text("Message", in: answer))
    let words = message.isEmpty ? code : "\(code): \(message)"
    let told = words.isEmpty ? "\(answer.status)" : "\(answer.status) (\(words))"
    func trouble(
      _ name: StaticString, _ reason: String, _ advice: String = "",
      scope: Failure.Scope = .prints
    ) -> Failure {
      Failure(.machine, scope: scope, code: "store.\(name)", reason: reason, advice: advice)
    }
    switch (answer.status, code) {
    case (404, "NoSuchBucket"):
      return trouble(
        "missing", "the store at \(place.server) has no bucket \(place.bucket)", "Make it")
    case (403, "RequestTimeTooSkewed"):
      return trouble(
        "refused", "the store refuses the request: \(told)", "Set the clock of this machine")
    case (400, "AuthorizationHeaderMalformed"), (301, _), (307, _):
      let region = answer.region.map { ": \(Printable.text($0))" } ?? ""
      return trouble(
        "refused", "the store refuses the request: \(told)",
        "Set BlobRegion= to the region of the bucket\(region)")
    case (401, _), (403, _):
      return trouble(
        "refused", "the store refuses the request: \(told)",
        "Check BlobCredentials=, BlobRegion=, and what the key may do with the bucket")
    case (507, _), (_, "QuotaExceeded"), (_, "XMinioStorageFull"):
      return trouble("full", "the store is full: \(told)", "Make room in it")
    case (501, _):
      return trouble("unfit", "the store at \(place.server) does not know the request: \(told)")
    case (500...599, _): return trouble("busy", "the store at \(place.server) answers \(told)")
    case _ where isBusy(answer):
      return trouble("busy", "the store at \(place.server) answers \(told)")
    default: return trouble("answer", "the store at \(place.server) answers \(told)", scope: .one)
    }
  }

  /// Of the error that the store reports; empty if it reports none.
  static func code(_ answer: StoreAnswer) -> String { text("Code", in: answer) }

  private static func text(_ name: OutsideText, in answer: StoreAnswer) -> String {
    let leaves = StoreDocument.leaves(answer.message) ?? []
    return Printable.text((leaves.first { $0.name == name }?.text ?? []).prefix(200))
  }
}
