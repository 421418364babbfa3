// SPDX-License-Identifier: Apache-2.0
// Tests that each hold something the kernel counts by user: inotify instances are 128 in all, and others
// have some, too.

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
