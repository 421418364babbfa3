// SPDX-License-Identifier: Apache-2.0
// Why something could not be done. The kinds never mix: the kind decides the reaction; scope, worker deaths,
// `server` and `waitSeconds` refine it. The words are for people.

package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: UInt8, Sendable {
    /// The outside world failed, perhaps briefly: try again with back-off, then give up the photo.
    case passing
    /// The outside world refused, or the input is bad: give up the photo or the list and say why.
    case final
    /// This machine is in trouble (disk full, out of descriptors): give up nothing; wait.
    case machine
    /// A stop was requested. Nothing failed.
    case cancelled
  }

  /// The reach of this machine's trouble.
  package enum Scope: UInt8, Sendable {
    /// All work: no disk space, no memory, no descriptors.
    case everything
    /// Requests through the proxy.
    case proxy
    /// The place of the prints, as a store, or a shared folder that is full: only a new print there shows that it is over.
    case prints
    /// One file or folder, and the list that it belongs to.
    case one
  }

  private struct Facts: Hashable, Sendable {
    let kind: Kind
    let scope: Scope
    let code: String
    let reason: String
    let advice: String
    let waitSeconds: UInt32?
    var server: String?
  }

  /// Behind a reference: failures are rare, but a slot for one is passed along with every photo.
  private indirect enum Box: Hashable, Sendable { case holding(Facts) }

  private let box: Box
  private var facts: Facts {
    switch box {
    case .holding(let facts): facts
    }
  }

  package var kind: Kind { facts.kind }
  package var scope: Scope { facts.scope }
  /// Short and stable, for programs: `http.404`, `jpeg.truncated`, `disk.full`.
  package var code: String { facts.code }
  /// For people: what happened, without the name of the photo and without a full stop.
  package var reason: String { facts.reason }
  /// A remedy for the person: a sentence without its full stop; empty if none is known.
  package var advice: String { facts.advice }
  /// Seconds to wait, if the origin asked for a delay.
  package var waitSeconds: UInt32? { facts.waitSeconds }
  /// The server that failed, as `PhotoURL.serverName`: the one of the URL, or another one to which it redirects. Nil if it was
  /// none.
  package var server: String? { facts.server }

  package init(
    _ kind: Kind, scope: Scope = .everything, code: String, reason: String, advice: String = "",
    waitSeconds: UInt32? = nil
  ) {
    box = .holding(
      Facts(
        kind: kind, scope: scope, code: code, reason: reason, advice: advice,
        waitSeconds: waitSeconds))
  }

  /// The same failure as one of that server, unless the failure is not one of the world or already has its server.
  package func at(_ server: String) -> Failure {
    guard kind == .passing || kind == .final, self.server == nil else { return self }
    var facts = facts
    facts.server = server
    return Failure(facts)
  }

  private init(_ facts: Facts) { box = .holding(facts) }

  /// Reason and advice on one line.
  package var words: String { advice.isEmpty ? reason : "\(reason). \(advice)" }

  package var description: String { "\(code): \(reason)" }

  /// A worker died during the request, or was killed because it gave an answer that no sound worker gives, or did nothing.
  package var isWorkerDeath: Bool {
    code == "worker.died" || code == "worker.answer" || isWorkerIdle
  }

  package var isWorkerIdle: Bool { code == "worker.idle" }

  /// The list changed state before this change could be recorded.
  package static let overtaken = Failure(
    .cancelled, code: "overtaken", reason: "the list has ended or has changed in the meantime")

  /// The code of trouble that ends for all photos when this machine has a network again.
  package static let noNetwork = "network.down"

  package static let cancelled = Failure(.cancelled, code: "cancelled", reason: "it was cancelled")
}

/// The three steps of a chain.
package enum Stage: String, Sendable, CaseIterable {
  case download, filter, output

  package var name: String { rawValue }
}
