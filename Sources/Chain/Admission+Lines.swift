// SPDX-License-Identifier: Apache-2.0
// One look at one line: gives a photo, asks about one, or lets one wait for its host.

import Vocabulary

extension Admission {
  enum Look {
    case seek(after: UInt32)
    case ask(UInt32)
    case give(UInt32, LostHost?)
    /// The line has changed: look again.
    case again
    case nothing
  }

  /// The line is taken out while it changes: a second owner would copy all of its queues.
  mutating func look(at key: LineKey, now: Duration) -> Look {
    guard lines[key]?.isStill == false, var line = lines.removeValue(forKey: key) else {
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
    } else if line.canLookAhead {
      return .seek(after: line.cursor)
    }
    return line.candidate.map { .ask($0.number) } ?? .nothing
  }

  private mutating func place(
    _ candidate: Candidate, _ prospect: Prospect, _ key: LineKey, _ line: inout Line,
    _ now: Duration
  ) -> Look {
    let number = candidate.number
    if candidate.isFresh, !isOf(key, number, prospect.own) {
      turns.pass()
      return .again
    }
    turns.found()
    guard let host = prospect.host else {
      line.inFlight[number] = Place()
      return .give(number, nil)
    }
    if !hosts.isSuspended, riders.mayRide(prospect.url) {
      riders.ride()
      line.inFlight[number] = Place(host: host, isRider: true)
      return .give(number, nil)
    }
    // A photo of its line that already waits there goes first, unless this one gives up.
    let answer = hosts.ask(
      host, line.serviceClass, isTried: prospect.isTried, hasFresh: line.forHost.hasFresh(host),
      now: now)
    switch answer {
    case .start(let isProbe):
      line.inFlight[number] = place(at: host, isProbe, prospect.url)
      return .give(number, nil)
    case .lost(let closure):
      line.inFlight[number] = Place()
      return .give(number, LostHost(name: host, closure: closure))
    case .wait:
      line.forHost.add(number, host: host, url: prospect.url, isTried: prospect.isTried)
      hosts.join(host, key, line.serviceClass, now: now)
      return .again
    }
  }

  /// True if a photo that the cursor found belongs to this line. Photos of a class without a line go with the
  /// list's class, even if the catalog's spans are wrong.
  private func isOf(_ key: LineKey, _ number: UInt32, _ own: ServiceClass?) -> Bool {
    guard let all = keys[key.list], all.count > 1 else { return true }
    if all.contains(where: { lines[$0]?.holds(number) == true }) { return false }
    if own == key.own { return true }
    return key.own == nil && lines[LineKey(key.list, own: own)]?.reaches(number) != true
  }

  /// No photo rides on a probe: a probe often fails, and would take its riders down with it.
  private mutating func place(at host: String, _ isProbe: Bool, _ url: Int?) -> Place {
    let url = isProbe ? nil : url
    if let url { riders.fly(url) }
    return Place(host: host, isProbe: isProbe, url: url)
  }

  private mutating func answer(
    _ host: String, _ key: LineKey, _ line: inout Line, _ now: Duration
  ) -> Look {
    guard line.forHost.has(host) else {
      hosts.leave(host, key, now: now)
      return .again
    }
    let answer = hosts.answer(
      host, key, isTried: line.forHost.hasTried(host), hasFresh: line.forHost.hasFresh(host),
      hasMore: line.forHost.count(host) > 1, now: now)
    switch answer {
    case .wait: return .again
    case .start(let isProbe):
      let isFresh = isProbe && hosts.closure(of: host)?.isFreshProbe == true
      guard let (number, url) = line.forHost.take(host, isFresh: isFresh) else { return .again }
      line.inFlight[number] = place(at: host, isProbe, url)
      return .give(number, nil)
    case .lost(let closure):
      guard let (number, _) = line.forHost.take(host) else { return .again }
      line.inFlight[number] = Place()
      return .give(number, LostHost(name: host, closure: closure))
    }
  }
}
