// SPDX-License-Identifier: Apache-2.0
// The settings that a reload changes, by their names in the file, and the ones that take effect only at
// the next start. A value; raises nothing.

struct SettingChanges: Equatable {
  let all: [String]
  let waiting: [String]

  init(from old: Settings, to new: Settings) {
    let changed = SettingEntry.all.filter { $0.differs(old, new) }
    all = Self.keys(of: changed)
    waiting = Self.keys(of: changed.filter(\.waits))
  }

  /// A key of two sections, such as `Timeout`, is named once.
  private static func keys(of entries: [SettingEntry]) -> [String] {
    entries.map(\.key).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}
