// SPDX-License-Identifier: Apache-2.0
// One look at one line: whom it has to give, whom it has to ask about, whom it sets aside.

import Vocabulary

extension Admission {
  enum Look {
    case ask(UInt32)
    case give(UInt32, LostHost?)
    /// Something was done; it is worth another look.
    case again
    case nothing
  }

  /// The line is taken out while it changes: a second owner would copy all that waits in it.
  mutating func look(
    at key: LineKey, now: Duration, after: (ListID, UInt32) -> UInt32?
  ) -> Look {
    guard lines[key]?.isPaused == false, var line = lines.removeValue(forKey: key) else {
      return .nothing
    }
    defer { put(line, key, entering: false) }
    if let candidate = line.candidate {
      guard let prospect = candidate.prospect else { return .ask(candidate.number) }
      line.candidate = nil
      return place(candidate, prospect, key, &line, now)
    }
    if let host = hosts.call(for: key) { return answer(host, key, &line, now) }
    if let due = line.waiting.take(now: now) {
      line.candidate = Candidate(number: due, isFresh: false)
    } else if !line.returned.isEmpty {
      line.candidate = Candidate(number: line.returned.removeFirst(), isFresh: false)
    } else if line.canLookAhead, let fresh = fresh(in: key.list, &line, after: after) {
      line.candidate = Candidate(number: fresh, isFresh: true)
    }
    return line.candidate.map { .ask($0.number) } ?? .nothing
  }

  private func fresh(
    in list: ListID, _ line: inout Line, after: (ListID, UInt32) -> UInt32?
  ) -> UInt32? {
    while !line.isExhausted {
      guard let number = after(list, line.cursor), number <= line.last else {
        line.isExhausted = true
        return nil
      }
      line.cursor = number
      if !line.holds(number) { return number }
    }
    return nil
  }

  private mutating func place(
    _ candidate: Candidate, _ prospect: Prospect, _ key: LineKey, _ line: inout Line,
    _ now: Duration
  ) -> Look {
    let number = candidate.number
    if candidate.isFresh, !isOf(key, number, prospect.own) {
      passed += 1
      return .again
    }
    passed = 0
    guard let host = prospect.host else {
      line.inFlight[number] = Seat()
      return .give(number, nil)
    }
    if !hosts.isSuspended, companions < Self.mostCompanions,
      prospect.url.map({ flying[$0] != nil }) == true
    {
      companions += 1
      line.inFlight[number] = Seat(host: host, isCompanion: true)
      return .give(number, nil)
    }
    // Behind those of its line that wait there already, unless it is to give up.
    let answer = hosts.ask(
      host, line.serviceClass, isTried: prospect.isTried, hasFresh: line.aside.hasFresh(host),
      now: now)
    switch answer {
    case .start(let isProbe):
      line.inFlight[number] = seat(host, isProbe, prospect.url)
      return .give(number, nil)
    case .lost(let closure):
      line.inFlight[number] = Seat()
      return .give(number, LostHost(name: host, closure: closure))
    case .wait:
      line.aside.add(number, host: host, url: prospect.url, isTried: prospect.isTried)
      hosts.join(host, key, line.serviceClass, now: now)
      return .again
    }
  }

  /// Whether a photo that the cursor found is for this line. Those of a class that no line was named for
  /// go with the list, whatever its catalog says of itself.
  private func isOf(_ key: LineKey, _ number: UInt32, _ own: ServiceClass?) -> Bool {
    guard let all = keys[key.list], all.count > 1 else { return true }
    if all.contains(where: { lines[$0]?.holds(number) == true }) { return false }
    if own == key.own { return true }
    return key.own == nil && lines[LineKey(key.list, own: own)]?.reaches(number) != true
  }

  /// Nobody hangs on a probe: it may well fail, and each of them with it.
  private mutating func seat(_ host: String, _ isProbe: Bool, _ url: Int?) -> Seat {
    let url = isProbe ? nil : url
    if let url { flying[url, default: 0] += 1 }
    return Seat(host: host, isProbe: isProbe, url: url)
  }

  private mutating func answer(
    _ host: String, _ key: LineKey, _ line: inout Line, _ now: Duration
  ) -> Look {
    guard line.aside.has(host) else {
      hosts.leave(host, key, now: now)
      return .again
    }
    let answer = hosts.answer(
      host, key, isTried: line.aside.hasTried(host), hasFresh: line.aside.hasFresh(host),
      hasMore: line.aside.count(host) > 1, now: now)
    switch answer {
    case .wait: return .again
    case .start(let isProbe):
      let isFresh = isProbe && hosts.closure(of: host)?.isFreshProbe == true
      guard let (number, url) = line.aside.take(host, isFresh: isFresh) else { return .again }
      line.inFlight[number] = seat(host, isProbe, url)
      return .give(number, nil)
    case .lost(let closure):
      guard let (number, _) = line.aside.take(host) else { return .again }
      line.inFlight[number] = Seat()
      return .give(number, LostHost(name: host, closure: closure))
    }
  }
}
