// SPDX-License-Identifier: Apache-2.0
// What is asked of the loop, and how it answers.

import Vocabulary

struct TransferJob: Sendable {
  let ticket: UInt64
  let url: PhotoURL
  let request: TransferRequest
  let file: any OpenFile
  let answer: CheckedContinuation<Result<TransferReply, Failure>, Never>
}

enum TransferCommand: Sendable {
  case start(TransferJob)
  case cancel(UInt64)
  case change(TransferSettings)
  /// Resumed once nothing of the loop is left.
  case stop(CheckedContinuation<Void, Never>)
}

/// Who has been told what: a cancellation may come before its start, and after its end. A value.
struct TicketDesk {
  private enum Phase {
    /// Known, not yet handed to the loop.
    case announced
    case cancelled
    case submitted
  }

  private var phases: [UInt64: Phase] = [:]
  private var last: UInt64 = 0

  mutating func announce() -> UInt64 {
    last += 1
    phases[last] = .announced
    return last
  }

  /// Whether the loop shall start it; false when it was cancelled before.
  mutating func submit(_ ticket: UInt64) -> Bool {
    if phases[ticket] == .cancelled {
      phases[ticket] = nil
      return false
    }
    phases[ticket] = .submitted
    return true
  }

  /// Whether the loop must be told.
  mutating func cancel(_ ticket: UInt64) -> Bool {
    switch phases[ticket] {
    case .announced:
      phases[ticket] = .cancelled
      return false
    case .submitted: return true
    case .cancelled, nil: return false
    }
  }

  mutating func finish(_ ticket: UInt64) { phases[ticket] = nil }

  var isEmpty: Bool { phases.isEmpty }
}
