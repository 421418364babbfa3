// SPDX-License-Identifier: Apache-2.0
// At most 24 tests with this trait run at once, since each holds an inotify instance: a user may have
// 128 of them, and other programs hold some.

import Support
import Testing

struct FewAtOnce: TestTrait, SuiteTrait, TestScoping {
  private static let places = BenchPlaces(24)

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    await Self.places.take()
    defer { Self.places.give() }
    try await function()
  }
}

extension Trait where Self == FewAtOnce {
  static var fewAtOnce: Self { FewAtOnce() }
}
