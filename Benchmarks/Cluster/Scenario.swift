// SPDX-License-Identifier: Apache-2.0
// What a run of the simulated nodes is to do: NAME=NUMBER words, each with a default. Raises nothing.

struct Scenario: Sendable {
  var nodes = 3
  /// Of ten users.
  var lists = 10
  /// Of a list.
  var photos = 100_000
  /// Photos a second of a node; 0: as many as the ledger records.
  var rate = 0
  /// Before the time that is measured.
  var settle = 0
  /// Of the time that is measured.
  var seconds = 10
  /// So many nodes die after half of the time.
  var deaths = 0
  /// 1: the nodes go on to the end of all lists; then every photo is looked for.
  var whole = 0
  /// Seconds.
  var lease = 30
  var chunk = 256
  var seed = 1

  private static var names: [(String, WritableKeyPath<Scenario, Int>)] {
    [
      ("nodes", \.nodes), ("lists", \.lists), ("photos", \.photos), ("rate", \.rate),
      ("settle", \.settle),
      ("seconds", \.seconds), ("deaths", \.deaths), ("whole", \.whole), ("lease", \.lease),
      ("chunk", \.chunk), ("seed", \.seed),
    ]
  }

  static var usage: String {
    "PLACE [NAME=NUMBER]..., of " + names.map(\.0).joined(separator: " ")
  }

  /// Nil for a word that is not known.
  init?(_ words: some Sequence<String>) {
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let number = Int(parts[1]), number >= 0,
        let path = Self.names.first(where: { $0.0 == parts[0] })?.1
      else { return nil }
      self[keyPath: path] = number
    }
    guard nodes > 0, deaths < nodes, lease > 0 else { return nil }
  }
}
