// SPDX-License-Identifier: Apache-2.0
// The pace from which users see the time left.

import Testing
import Vocabulary

@testable import darkroomd

struct PhotoPaceTests {
  @Test func `the pace is unknown at first, then that of the last minute`() {
    var pace = PhotoPace()
    #expect(pace.photosPerHour(at: .seconds(100)) == 0)
    for second in 100...400 {
      for _ in 0..<2 { pace.ended(at: .seconds(second)) }
      if second == 102 { #expect(pace.photosPerHour(at: .seconds(102)) == 0, "too early") }
      if second == 104 { #expect(pace.photosPerHour(at: .seconds(104)) == 7200) }
    }
    #expect(pace.photosPerHour(at: .seconds(400)) == 7200)
    #expect(pace.photosPerHour(at: .seconds(430)) == 3600, "half of the minute had no photo")
    #expect(pace.photosPerHour(at: .seconds(460)) == 0, "it stands still")
  }

  @Test func `after a pause the pace begins again`() {
    var pace = PhotoPace()
    for second in 0...30 { pace.ended(at: .seconds(second)) }
    pace.ended(at: .seconds(1000))
    #expect(pace.photosPerHour(at: .seconds(1010)) == 0, "one photo is no pace")
    pace.ended(at: .seconds(1010))
    #expect(pace.photosPerHour(at: .seconds(1010)) == 360)
  }
}
