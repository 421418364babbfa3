// SPDX-License-Identifier: Apache-2.0
// Which settings file this daemon reads, at start and at each reload.

struct ConfigurationSource: Equatable, Sendable {
  let path: String
  /// The operator named it, so it must be there.
  let isNamed: Bool

  func read() throws(ConfigurationError) -> Settings {
    try ConfigurationFile.read(path, isNamed: isNamed)
  }
}
