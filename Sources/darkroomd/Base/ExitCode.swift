// SPDX-License-Identifier: Apache-2.0
// The exit codes of darkroomd, from sysexits.h where it has one, and the error that ends a start.
// darkroomd(8) lists the codes. Values.

import Vocabulary

enum ExitCode {
  static let done: Int32 = 0
  /// The daemon is idle, and something needs a person: damaged files of a list, or lost prints of `darkroomd run`.
  static let attention: Int32 = 4
  /// The command line is wrong.
  static let usage: Int32 = 64
  /// The list of `darkroomd run` is not one, or has no photo in the range.
  static let data: Int32 = 65
  /// The list of `darkroomd run` cannot be opened.
  static let noInput: Int32 = 66
  /// This machine is in trouble: the journal file cannot be written, or a part cannot start.
  static let io: Int32 = 74
  /// Another darkroomd uses this state folder or control socket, or `--reload` cannot reach the daemon.
  static let busy: Int32 = 75
  /// A signal has stopped `darkroomd run` before the end of its list: a scheduler must not take that for success.
  static let stopped: Int32 = 75
  /// Root was asked to work on the state of another user.
  static let notPermitted: Int32 = 77
  /// A settings file is wrong. The unit does not restart the daemon after 64 or 78: a person wrote something.
  static let configuration: Int32 = 78
}

/// The reason why darkroomd could not start, in one sentence, and its exit code.
struct StartFailure: Error {
  let code: Int32
  let words: String
  /// The code of a trouble that may pass: the start is tried again.
  let trouble: String?
  /// The remedy; nil if it follows from the code of the trouble.
  let advice: String?

  init(_ code: Int32, _ words: String, trouble: String? = nil, advice: String? = nil) {
    self.code = code
    self.words = words
    self.trouble = trouble
    self.advice = advice
  }

  /// Makes a part; its error fails the start. Only a full disk may pass.
  static func unless<Part>(
    _ what: String, _ make: () throws(SystemError) -> Part
  ) throws(StartFailure) -> Part {
    try unless(what, passes: \.isDiskFull, make)
  }

  /// The same for a part on the disk of the state, which may also be read-only or fail.
  static func unlessOnDisk<Part>(
    _ what: String, _ make: () throws(SystemError) -> Part
  ) throws(StartFailure) -> Part {
    try unless(what, passes: \.isDiskTrouble, make)
  }

  private static func unless<Part>(
    _ what: String, passes: KeyPath<SystemError, Bool>, _ make: () throws(SystemError) -> Part
  ) throws(StartFailure) -> Part {
    do throws(SystemError) { return try make() } catch {
      throw StartFailure(
        ExitCode.io, "could not start \(what): \(error)",
        trouble: error[keyPath: passes] ? error.machineFailure.code : nil)
    }
  }
}
