// SPDX-License-Identifier: Apache-2.0
// How many workers the memory of this machine has room for: unknown until the kernel kills a worker for lack of
// memory. Then one worker fewer may run. As workers answer, more workers may run again. A plain value.

struct MemoryLimit: Equatable {
  /// The answers after which one more worker may run.
  static let answersForOneMore = 32

  /// The limit; nil without one.
  private(set) var workers: Int?
  private var answers = 0

  /// The kernel killed a worker while this number of others had requests.
  mutating func starved(besides others: Int) {
    workers = min(workers ?? .max, max(1, others))
    answers = 0
  }

  /// A worker answered. The limit ends at the full width.
  mutating func answered(width: Int) {
    guard let workers else { return }
    answers += 1
    guard answers == Self.answersForOneMore else { return }
    answers = 0
    self.workers = workers + 1 < width ? workers + 1 : nil
  }
}
