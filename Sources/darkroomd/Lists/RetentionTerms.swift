// SPDX-License-Identifier: Apache-2.0
// The settings by which one look of the retention judges, its knowledge from earlier looks, and the state that people
// see. Values.

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

/// The knowledge that a look hands to the next one.
struct RetentionProgress: Sendable {
  var terms: RetentionTerms
  var steady: SteadyClock
  /// The shared place may be another one: nothing is decided about lists that have their prints there.
  var isForeign = false
  /// The lists whose prints are hidden and not removed yet, with the time since which they rest; nil until the disk has
  /// told. While the shared place may be another one, without the prints there.
  var hidden: [ListID: UInt64]?
  /// The next look for lists that the record has forgotten, which reads the names of all folders.
  var survey = Duration.zero
  var isSurveyed = true
  /// The lists whose prints cannot be told from another list's, which was reported. They stay, and no list waits for them.
  var left: Set<ListID> = []
  /// Of lists that the record has forgotten.
  var ends = EndTimes()
  /// Asked for each look; nil after the keeper's stop.
  var lives: ListLives?
}
