// SPDX-License-Identifier: Apache-2.0
// Reloads the settings and hands them to the parts, one reload at a time. A bad file changes nothing. Raises
// nothing: a bad file is reported, and is the answer of `ask`.
// Concurrency model: requests are letters to the task in `run`, which alone replaces the settings.

import Linux
import Report
import Vocabulary

final class Reload: Sendable {
  /// Notes for people, or the reason why nothing changed; nil if the daemon stops.
  typealias Answer = Result<[String], ConfigurationError>?

  private let requests: AsyncStream<Reply<Answer>?>
  private let mail: AsyncStream<Reply<Answer>?>.Continuation
  private let source: ConfigurationFile
  private let live: LiveSettings

  init(_ source: ConfigurationFile, _ live: LiveSettings) {
    (requests, mail) = AsyncStream.makeStream()
    self.source = source
    self.live = live
  }

  /// Returns when the new settings are in force.
  func ask() async -> Answer {
    await Reply.wait { reply in
      if case .terminated = mail.yield(reply) { reply.give(nil) }
    }
  }

  /// For SIGHUP: no caller waits for the answer.
  func hangUp() { mail.yield(nil) }

  func stop() { mail.finish() }

  /// Runs until `stop`. Each part takes the new settings through one function.
  func run(
    _ status: ServiceStatus, telling tell: (Notice) -> Void, _ parts: [(Settings) -> Void]
  ) async {
    for await reply in requests {
      // A service manager that does not read keeps a disk's thread waiting, not this one.
      await onDisk { status.reloading() }
      let answer = await reload(telling: tell, parts)
      await onDisk { status.ready() }
      reply?.give(answer)
    }
  }

  private func reload(
    telling tell: (Notice) -> Void, _ parts: [(Settings) -> Void]
  ) async -> Answer {
    do throws(ConfigurationError) {
      let (new, origins) = try await onDisk { () throws(ConfigurationError) in
        try source.readChecked()
      }
      let old = live.replace(with: new, origins)
      for part in parts { part(new) }
      let changes = SettingChanges(from: old, to: new)
      tell(.configurationReloaded(changed: changes.all))
      return .success(changes.waiting.map { "\($0) takes effect at the next start" })
    } catch {
      tell(
        .configurationRejected(Failure(.final, code: "configuration", reason: error.description)))
      return .failure(error)
    }
  }
}
