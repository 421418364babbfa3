// SPDX-License-Identifier: Apache-2.0
// What every start needs first: the places, the file with the settings, and the reporter. Raises `StartFailure`.

import Linux
import Report
import Vocabulary

extension CommandLineOptions {
  /// Makes the folders below `--root`.
  func places() throws(StartFailure) -> Places {
    guard let root else {
      if configuration != nil || Places.isInstalled {
        try StateOwner.check(.system)
        return .system
      }
      throw StartFailure(
        ExitCode.usage,
        "darkroom is not installed here; to try it: darkroomd --root DIR, which keeps everything "
          + "below one folder; to install it: make install, in its source folder")
    }
    func use<Value>(_ act: () throws(SystemError) -> Value) throws(StartFailure) -> Value {
      do throws(SystemError) { return try act() } catch {
        throw StartFailure(
          error.isMachineTrouble ? ExitCode.io : ExitCode.usage,
          "could not use the root \(Printable.text(root)): \(error)")
      }
    }
    let path = try use { () throws(SystemError) in try ThisProcess.absolutePath(root) }
    try StateOwner.check(.below(path))
    try use { () throws(SystemError) in try Places.make(root: path) }
    return .below(path)
  }

  func source(_ places: Places) -> ConfigurationFile {
    ConfigurationFile(
      path: configuration ?? places.configuration, isNamed: configuration != nil)
  }

  func reporter(
    _ environment: [String: String], _ settings: Settings
  ) throws(StartFailure) -> Reporter {
    let sink = ReportSink.choose(
      environment: environment, asked: levelPrefixes ? .prefixed : nil)
    return try StartFailure.unless("the reporter") { () throws(SystemError) in
      let reporter = try Reporter(
        sink: sink, level: settings.report.transitions ? .debug : .info,
        users: { Surroundings.userName($0) })
      try reporter.start()
      return reporter
    }
  }
}
