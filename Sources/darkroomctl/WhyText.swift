// SPDX-License-Identifier: Apache-2.0
// The output of `why`: a sentence about the list or the photo, what a person can do, and the groups of photos.

package import Steer
internal import Vocabulary

package struct WhyText {
  private typealias Kind = WaitSummary.Kind

  private let report: WhyReport
  private let place: DaemonPlace
  private let now: UInt64

  package static func text(
    _ report: WhyReport, socket: String, _ screen: ToolScreen, now: UInt64
  ) -> String {
    let text = WhyText(report: report, place: DaemonPlace(socket: socket), now: now)
    return screen.isTerminal ? text.sentences : text.plain
  }

  private var word: String { place.word(for: report.list) }
  private var isPhoto: Bool { report.wait.number > 0 }

  private var sentences: String {
    let wait = report.wait
    let list = ListText.name(report.list)
    let subject = isPhoto ? "'\(Printable.text(wait.name, limit: 60))' of \(list)" : list
    var lines = [
      isPhoto && isOfPhoto(wait)
        ? "\(subject) \(words(wait, isOne: true))." : "\(subject) \(listWords(wait))."
    ]
    if let advice = advice(wait) { lines.append("  \(advice)") }
    for group in report.groups {
      let photos = Amounts.photos(group.photos)
      let name = "'\(Printable.text(group.name, limit: 60))'"
      let subject =
        group.name.isEmpty ? photos : group.photos == 1 ? name : "\(photos), \(name) among them,"
      lines.append("\(subject) \(words(group, isOne: group.photos == 1))")
      if let advice = advice(group) { lines.append("  \(advice)") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func isOfPhoto(_ wait: WaitSummary) -> Bool {
    switch Kind(rawValue: wait.kind) {
    case .downloading, .connection, .filtering, .writing, .step, .host, .room, .retry, .turn,
      .failed, .filtered, .cancelled, .unknown:
      true
    default: false
    }
  }

  // MARK: a list

  private func listWords(_ wait: WaitSummary) -> String {
    let reason = reason(wait)
    let until = until(wait)
    let subject = isPhoto ? "waits with its list, which " : ""
    let words: String
    switch Kind(rawValue: wait.kind) {
    case .working: words = "is at work, with \(Amounts.photos(wait.photos)) to go"
    case .paused: words = "is paused, with \(Amounts.photos(wait.photos)) to go"
    case .openingTurn:
      words = "waits for its turn to be opened: users take turns, and few lists are opened at once"
    case .opening: words = "is being opened"
    case .takeOver: words = "waits until earlier lists with the same prints have ended"
    case .blocked: words = "cannot be opened\(reason)\(until)"
    case .damaged: words = "cannot be opened\(reason)"
    case .machine: words = "waits like all work, since this machine is in trouble\(reason)"
    case .ledger:
      words = "waits like all lists of the cluster, since the ledger is in trouble\(reason)"
    case .nodes: words = "begins no new photo\(since(wait)), like all lists of the cluster\(reason)"
    case .trouble: words = "is in trouble\(reason)"
    case .downloads: words = "waits until downloads are possible\(reason)"
    case .finishing: words = "is done; its end is being recorded\(reason)\(until)"
    case .ending: words = "has ended; its last steps are being stopped"
    case .returningTurn:
      words =
        "is \(state); its copy waits for its turn: users take turns, and few copies are made at once"
    case .returning: words = "is \(state); its copy is being made\(reason)\(until)"
    case .over:
      words =
        "is \(state): \(report.list.filtered) of \(Amounts.photos(report.list.total)) filtered"
        + ListText.expired(report.list)
        + (wait.reason.isEmpty ? "" : "; a hook or webhook of it was left out\(reason)")
    case .lost: words = "is \(state), and is lost\(reason)"
    default: words = Printable.text(wait.kind)
    }
    return subject + words
  }

  private var state: String { Printable.text(report.list.state) }

  // MARK: photos

  private func words(_ wait: WaitSummary, isOne: Bool) -> String {
    let (be, waits) = isOne ? ("is", "waits") : ("are", "wait")
    let host = Printable.text(wait.host)
    switch Kind(rawValue: wait.kind) {
    case .downloading:
      return "\(be) being downloaded" + (host.isEmpty ? "" : " from \(host)") + since(wait)
        + bytes(wait)
    case .connection: return "\(waits) for a connection; Connections= limits them" + since(wait)
    case .filtering: return "\(be) being filtered" + since(wait)
    case .writing: return "\(be) being written" + since(wait)
    case .step: return "\(waits) for a place in the next step" + since(wait)
    case .host:
      return
        "\(waits) for \(host), which has failed\(since(wait)) and \(count(wait.attempt, "attempt"))"
        + "\(reason(wait))\(until(wait))"
    case .room:
      return host.isEmpty
        ? "\(waits) for connections to other hosts"
        : "\(waits) for a connection to \(host)\(reason(wait))"
    case .retry:
      let attempt =
        wait.attempts > 0
        ? "attempt \(wait.attempt + 1) of \(wait.attempts)" : "another attempt"
      return
        isOne
        ? "\(waits) for \(attempt)\(reason(wait))\(until(wait))"
        : "\(waits) for another attempt, this one after\(reason(wait).dropFirst())\(until(wait))"
    case .turn: return "\(waits) for \(isOne ? "its" : "their") turn" + others(wait)
    case .failed: return "failed" + reason(wait)
    case .filtered: return "is filtered" + reason(wait)
    case .cancelled: return "was not finished when its list was cancelled"
    case .unknown: return "has ended, but its result is lost" + reason(wait)
    default: return Printable.text(wait.kind)
    }
  }

  private func others(_ wait: WaitSummary) -> String {
    var words = wait.ahead > 0 ? ", behind \(wait.ahead) of more urgent lists" : ""
    if wait.beside > 0 { words += ", beside \(count(wait.beside, "other list")) of its class" }
    return words
  }

  private func bytes(_ wait: WaitSummary) -> String {
    guard wait.received > 0 || wait.total > 0 else { return "" }
    let total = wait.total > 0 ? " of \(Amounts.bytes(wait.total))" : ""
    return ", \(Amounts.bytes(wait.received))\(total)"
  }

  private func since(_ wait: WaitSummary) -> String {
    wait.since == 0 ? "" : " for \(Amounts.span(milliseconds: now - min(now, wait.since)))"
  }

  private func until(_ wait: WaitSummary) -> String {
    if wait.until == 0 { return "" }
    return wait.until <= now
      ? "; next attempt now" : "; next attempt in \(Amounts.span(milliseconds: wait.until - now))"
  }

  private func reason(_ wait: WaitSummary) -> String {
    wait.code.isEmpty ? "" : ": \(Printable.text(wait.code)): \(Printable.sentence(wait.reason))"
  }

  private func count(_ number: some BinaryInteger, _ thing: String) -> String {
    "\(number) \(thing)\(number == 1 ? "" : "s")"
  }

  // MARK: advice

  private func advice(_ wait: WaitSummary) -> String? {
    switch Kind(rawValue: wait.kind) {
    case .paused: return "To continue it: \(place.tool) resume \(word)"
    case .host: return "To try now: \(place.tool) flush \(Printable.text(wait.host))"
    case .retry: return "To try now, as root: \(place.tool) flush"
    case .turn:
      return "To let it go first: \(place.tool) focus \(word)\(isPhoto ? " \(wait.number)" : "")"
    case .failed where isPhoto:
      return FailureGroups.advice(code: wait.code, reason: wait.reason, at: place)
        ?? "To do it again: \(place.tool) retry \(word)"
    case .failed: return "Their reasons: \(place.tool) show --state failed \(word)"
    case .cancelled: return "To do it: \(place.tool) retry \(word)"
    default: return nil
    }
  }

  // MARK: columns

  /// Columns: kind, photos, number, name, host, code, reason, since, until, attempt, attempts, received, total,
  /// ahead, beside. The first row is the list or the photo.
  private var plain: String {
    ([report.wait] + report.groups).map { wait in
      TextTable.plain([
        Printable.text(wait.kind), "\(wait.photos)", "\(wait.number)", Printable.text(wait.name),
        Printable.text(wait.host), Printable.text(wait.code), Printable.sentence(wait.reason),
        "\(wait.since)", "\(wait.until)", "\(wait.attempt)", "\(wait.attempts)",
        "\(wait.received)", "\(wait.total)", "\(wait.ahead)", "\(wait.beside)",
      ])
    }.joined()
  }
}
