// SPDX-License-Identifier: Apache-2.0
// How darkroomd ends, after sysexits.h where it has a word for it; darkroomd(8) lists them.

enum ExitCode {
  static let done: Int32 = 0
  static let usage: Int32 = 64
  /// The state could not be kept: the journal file cannot be written.
  static let io: Int32 = 74
  /// Another darkroomd has this state folder; or the running one cannot be reached.
  static let busy: Int32 = 75
  static let configuration: Int32 = 78
}

/// Why darkroomd could not start, in one sentence, and with which code it ends.
struct StartFailure: Error {
  let code: Int32
  let words: String
  /// The disk is full or broken: it may be well again without anybody touching darkroomd.
  let mayPass: Bool

  init(_ code: Int32, _ words: String, mayPass: Bool = false) {
    self.code = code
    self.words = words
    self.mayPass = mayPass
  }
}
