// SPDX-License-Identifier: Apache-2.0
// The failed photos of a list by reason, the most frequent first, each with what a person can do about it.
// A value.

internal import Steer
internal import Vocabulary

struct FailureGroups {
  private struct Group {
    let code: String
    let reason: String
    var photos = 0
    /// The name of the first photo.
    let example: String
  }

  private static let mostShown = 5
  /// Reasons beyond these are only counted: some name the bytes or the place of each photo.
  private static let mostKept = 1000

  private var groups: [Group] = []
  private var places: [String: Int] = [:]
  /// Photos whose reason is not kept.
  private var others = 0

  var isEmpty: Bool { groups.isEmpty }

  mutating func add(_ photo: PhotoSummary) {
    guard photo.state == PhotoState.failed.name else { return }
    let key = "\(photo.code)\n\(photo.reason)"
    if let place = places[key] {
      groups[place].photos += 1
    } else if groups.count < Self.mostKept {
      places[key] = groups.count
      groups.append(
        Group(code: photo.code, reason: photo.reason, photos: 1, example: photo.name))
    } else {
      others += 1
    }
  }

  /// - Parameter all: every reason, not only the most frequent ones.
  func text(
    of list: ListSummary, at place: DaemonPlace, _ screen: ToolScreen, all: Bool = false
  ) -> String {
    let most = all ? groups.count : Self.mostShown
    var lines: [String] = []
    // The first of equal groups stays first.
    let sorted = groups.enumerated().sorted {
      ($1.element.photos, $0.offset) < ($0.element.photos, $1.offset)
    }
    for (_, group) in sorted.prefix(most) {
      let name = "'\(Printable.text(group.example, limit: 60))'"
      let photos = group.photos == 1 ? name : "\(group.photos) photos, \(name) among them"
      let reason = "\(Printable.text(group.code)): \(Printable.sentence(group.reason))"
      lines.append(
        Prose.folded("\(photos): \(reason)", screen, indent: 4, tone: .bad, of: photos))
      if let advice = Self.advice(code: group.code, reason: group.reason, at: place) {
        lines.append(Prose.folded("  \(advice)", screen, indent: 4))
      }
    }
    let rest = sorted.dropFirst(most).reduce(others) { $0 + $1.element.photos }
    let name = place.word(for: list)
    if all, rest > 0 {
      lines.append("\(Amounts.photos(rest)) for other reasons")
    } else if rest > 0 {
      let show = "\(place.tool) show --state failed \(name)"
      lines.append(
        Prose.folded("\(Amounts.photos(rest)) for other reasons: \(show)", screen, indent: 4))
    }
    // A photo that is wrong in the list fails again.
    let mayHelp = others > 0 || groups.contains { !Self.isOfList($0.code) }
    if list.isFinal, mayHelp {
      lines.append(
        Prose.folded("To do it again: \(place.tool) retry \(name)", screen, indent: 4))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: Advice

  /// By code: the reasons of finished photos are stored without the advice that the journal had.
  static func advice(code: String, reason: String, at place: DaemonPlace) -> String? {
    switch code {
    case "address.refused": network(reason).map { setting("AllowNetworks=\($0)", place) }
    case "file.refused" where reason.contains("FileFolders="):
      setting("FileFolders=, with the folder of the file,", place)
    case "size.limit": setting("a higher MaximumSize=", place)
    case "http.401", "http.403", "http.404", "http.410", "file.missing":
      "If it is there now, do it again; otherwise correct the list, not its retry list, and drop it"
    case let code where isOfList(code): "Correct the list and drop it again"
    default: nil
    }
  }

  private static func isOfList(_ code: String) -> Bool {
    code == "list.entry" || code.hasPrefix("url.")
  }

  private static func setting(_ words: String, _ place: DaemonPlace) -> String {
    "To allow it, write \(words) under [Download] in \(place.settings), then: \(place.tool) reload"
  }

  /// The range that refused the address, from the reason's words.
  private static func network(_ reason: String) -> NetworkRange? {
    guard let start = reason.firstRange(of: " leads to ")?.upperBound,
      let address = NetworkAddress(String(reason[start...].prefix { $0 != "," })),
      case .reserved(let range, _) = AddressRules().refusal(
        of: address, isOwn: { _ in reason.contains(AddressRefusal.own) })?.cause
    else { return nil }
    return range
  }
}
