// SPDX-License-Identifier: Apache-2.0
// The settings file that this daemon reads, at the start and at each reload. A value. Raises
// `ConfigurationError`; waits for a disk.

struct ConfigurationSource: Equatable, Sendable {
  let path: String
  /// The operator named it, so it must exist.
  let isNamed: Bool

  func read() throws(ConfigurationError) -> Settings {
    try ConfigurationFile.read(path, isNamed: isNamed)
  }
}
