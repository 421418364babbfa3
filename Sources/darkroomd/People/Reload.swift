// SPDX-License-Identifier: Apache-2.0
// Reloads the settings and hands them to the parts, one reload at a time. A bad file changes nothing. Raises
// nothing: a bad file is reported, is the answer of `ask`, and stays a trouble until a reload succeeds.
// Concurrency model: requests are letters to the task in `run`, which alone replaces the settings.

import Linux
import Report
import Steer
import Vocabulary

final class Reload: Sendable {
  /// Notes for people, or the reason why nothing changed; nil if the daemon stops.
  typealias Answer = Result<[String], Failure>?

  /// Counts the prints and lists that the second settings remove after the first.
  typealias Forecast = (Settings, Settings) -> [String]

  /// Reads the files that the settings name, and returns the settings whose secrets have changed. A failure refuses
  /// the reload. Waits for a disk.
  typealias Secrets = @Sendable (Settings) throws(Failure) -> [String]

  private struct Request: Sendable {
    /// Nil for SIGHUP: no caller waits for the answer.
    var caller: (user: UInt32, reply: Reply<Answer>)?
    /// Changes nothing: a question about settings that are not in force.
    var trial: (order: ForecastOrder, reply: Reply<[String]?>)?
  }

  private let requests: AsyncStream<Request>
  private let mail: AsyncStream<Request>.Continuation
  private let source: ConfigurationFile
  private let live: LiveSettings

  init(_ source: ConfigurationFile, _ live: LiveSettings) {
    (requests, mail) = AsyncStream.makeStream()
    self.source = source
    self.live = live
  }

  /// Returns when the new settings are in force.
  func ask(by user: UInt32) async -> Answer {
    await Reply.wait { reply in
      let request = Request(caller: (user, reply))
      if case .terminated = mail.yield(request) { reply.give(nil) }
    }
  }

  /// Counts the prints and lists that these settings would remove; nil if the daemon stops.
  func forecast(_ order: ForecastOrder) async -> [String]? {
    await Reply.wait { reply in
      let request = Request(trial: (order, reply))
      if case .terminated = mail.yield(request) { reply.give(nil) }
    }
  }

  /// For SIGHUP.
  func hangUp() { mail.yield(Request()) }

  func stop() { mail.finish() }

  /// Runs until `stop`. Each part takes the new settings through one function.
  func run(
    _ status: ServiceStatus, _ health: HealthBoard, telling tell: (Notice) -> Void,
    forecast: Forecast,
    secrets: Secrets = { _ in [] },
    _ parts: [(Settings) -> Void]
  ) async {
    for await request in requests {
      if let trial = request.trial {
        let now = live.current
        var new = now
        new.record.keepLists = trial.order.keepLists
        new.record.keepPrints = trial.order.keepPrints
        trial.reply.give(forecast(now, new))
        continue
      }
      // A service manager that does not read keeps a disk's thread waiting, not this one.
      await onDisk { status.reloading() }
      let (answer, notice) = await reload(request.caller?.user, forecast, secrets, parts)
      let refusal: Failure? =
        if case .failure(let error) = answer { error } else { nil }
      health.set(refusal, for: .settings)
      // A reader of the message may ask for the health.
      tell(notice)
      await onDisk { status.ready() }
      request.caller?.reply.give(answer)
    }
  }

  private func reload(
    _ user: UInt32?, _ forecast: Forecast,
    _ secrets: Secrets,
    _ parts: [(Settings) -> Void]
  ) async -> (Answer, Notice) {
    do throws(Failure) {
      let ((new, origins), renewed, notes) = try await onDisk { () throws(Failure) in
        let read = try source.readWithSecrets()
        return (read, try secrets(read.settings), read.settings.notes)
      }
      let old = live.replace(with: new, origins)
      for part in parts { part(new) }
      let changes = SettingChanges(from: old, to: new)
      return (
        .success(
          changes.waiting.map { "\($0) takes effect at the next start" }
            + renewed.map { "the contents of \($0)= have changed" } + notes + forecast(old, new)),
        .configurationReloaded(
          changed: changes.all + renewed.filter { !changes.all.contains($0) },
          by: user.map { Person($0) })
      )
    } catch { return (.failure(error), .configurationRejected(error)) }
  }
}
