// SPDX-License-Identifier: Apache-2.0
// The commands about downloads: what is on its way, and what is kept. Raises `ControlFailure`.

internal import Steer
internal import Vocabulary

extension DaemonTalk {
  /// On a terminal the same lines again and again; else, and as JSON, one report after the other.
  func watch(_ list: ListReference?) throws(ControlFailure) -> ExitCode {
    let client = try ControlClient(path: order.socket, clock: clock)
    var last: WatchReport?
    var height = 0
    try client.stream(.watch(WatchOrder(list: list))) { reply in
      guard case .watch(let report) = reply else { return false }
      last = report
      if order.isJSON {
        voice.say(.object(report.object))
      } else {
        let text = WatchText.text(report, voice.screen)
        let back = voice.screen.isTerminal && height > 0 ? "\u{1B}[\(height)A\u{1B}[J" : ""
        voice.say(back + text)
        height = text.utf8.count { $0 == 0x0A }
      }
      return true
    }
    guard let end = last?.lists.first, list != nil, end.isFinal else { throw .lost }
    return .of([end])
  }

  func cache(_ clear: Bool) throws(ControlFailure) -> ExitCode {
    guard case .cache(let report) = try ask(.cache(clear: clear)) else { throw Self.otherKind }
    if order.isJSON {
      voice.say(["cache": .object(report.object)])
    } else {
      voice.say(CacheText.text(report, voice.screen))
    }
    return .done
  }
}
