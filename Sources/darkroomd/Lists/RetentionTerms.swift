// SPDX-License-Identifier: Apache-2.0
// The settings by which one look of the retention judges, and the state that people see. Values.

import Return
import Vocabulary

struct RetentionTerms: Equatable, Sendable {
  let lists: Retention
  let prints: Retention?
  var shortest: Duration { min(lists.time, prints?.time ?? lists.time) }

  init(_ settings: Settings.Record) {
    lists = Retention(settings.keepLists)
    prints = settings.keepPrints.map { Retention($0) }
  }
}

/// The state that people see.
struct RetentionOutlook: Sendable {
  var terms: RetentionTerms
  /// The uptime at which the clock and the settings are believed.
  var believed: Duration
  /// Of the clock alone: a changed setting does not begin it again.
  var steady: SteadyClock
  /// The lists whose prints rest, with the time since which they do.
  var resting: [ListID: UInt64] = [:]
  var ends = EndTimes()
}
