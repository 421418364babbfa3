// SPDX-License-Identifier: Apache-2.0
// Why something could not be done. The kinds never mix: what follows depends on them alone.

package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: UInt8, Sendable {
    /// The world failed, perhaps not for long: try again with back-off, then give the photo up.
    case passing
    /// The world said no, or the input is bad: give the photo or the list up, say why.
    case final
    /// This machine is in trouble (disk full, out of descriptors): nothing is given up; wait.
    case machine
    /// Somebody asked to stop. Nothing failed.
    case cancelled
  }

  private struct Facts: Hashable, Sendable {
    let kind: Kind
    let code: String
    let reason: String
    let advice: String
    let waitSeconds: UInt32?
  }

  /// Behind a reference: failures are few, and what may fail is handed on for every photo.
  private final class Box: Sendable {
    let facts: Facts

    init(_ facts: Facts) { self.facts = facts }
  }

  private let box: Box

  package var kind: Kind { box.facts.kind }
  /// Short and stable, for programs: `http.404`, `jpeg.truncated`, `disk.full`.
  package var code: String { box.facts.code }
  /// For people: what happened, without the name of the photo and without a full stop.
  package var reason: String { box.facts.reason }
  /// What the person can do about it: a sentence without its full stop; empty where nothing is known.
  package var advice: String { box.facts.advice }
  /// Seconds the other side asked us to wait, where it did.
  package var waitSeconds: UInt32? { box.facts.waitSeconds }

  package init(
    _ kind: Kind, code: String, reason: String, advice: String = "", waitSeconds: UInt32? = nil
  ) {
    box = Box(
      Facts(kind: kind, code: code, reason: reason, advice: advice, waitSeconds: waitSeconds))
  }

  package static func == (one: Failure, other: Failure) -> Bool {
    one.box === other.box || one.box.facts == other.box.facts
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(box.facts) }

  /// Both for people, on one line.
  package var words: String { advice.isEmpty ? reason : "\(reason). \(advice)" }

  package var description: String { "\(code): \(reason)" }

  /// A worker died over it, or answered what no sound worker answers.
  package var isWorkerDeath: Bool { code == "worker.died" || code == "worker.answer" }

  package static let cancelled = Failure(.cancelled, code: "cancelled", reason: "it was cancelled")
}

/// The three steps of a chain.
package enum Stage: UInt8, Sendable, CaseIterable {
  case download = 0
  case filter = 1
  case output = 2

  package var name: String {
    switch self {
    case .download: "download"
    case .filter: "filter"
    case .output: "output"
    }
  }
}
