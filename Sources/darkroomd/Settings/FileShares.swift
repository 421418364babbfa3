// SPDX-License-Identifier: Apache-2.0
// Divides the limit on open files among the kinds of work. Under a low limit less is done at once, but never
// nothing. A value; raises nothing.

import Linux
import Vocabulary

struct FileShares: Equatable, Sendable {
  /// The files that each opens: a daemon with nothing but a webhook to send, a claim, an open list, an admitted
  /// photo (its original), and in addition a download, a worker, and a print with its thumbnail.
  private static let idle = 39
  private static let claim = 9
  private static let list = 4
  private static let photo = 1
  private static let download = 2
  private static let worker = 5
  private static let output = 2

  /// Below this limit no list can be read while another one waits.
  static let least = 57

  let limit: Int
  let claims: Int
  /// Lists that are kept open.
  let lists: Int
  /// Photos that are admitted, in all stages.
  let photos: Int
  let downloads: Int
  let workers: Int
  let outputs: Int
  /// Webhooks at once; the first is in `idle`.
  let webhooks: Int
  /// Connections on the control socket.
  let callers: Int

  init(limit: Int) {
    self.limit = limit
    webhooks = limit < 256 ? 1 : 8
    // Under a low limit they are so few that setting them aside would leave no room for work.
    callers = min(512, max(72, limit / 8))
    let room = max(0, min(limit, 1 << 20) - Self.idle - (limit < 1024 ? 0 : callers))
    claims = min(16, max(1, room / 48))
    lists = min(256, max(1, room / (4 * Self.list)))
    let rest = room - claims * Self.claim - lists * Self.list
    // Without room for two photos in different stages, claims and photos get in each other's way at times, and
    // try again.
    let isOneByOne = rest < Self.photo + Self.download + Self.worker + Self.output
    photos = isOneByOne ? 1 : max(2, rest * 35 / 100 / Self.photo)
    downloads = max(1, rest * 25 / 100 / Self.download)
    workers = max(1, rest * 25 / 100 / Self.worker)
    outputs = min(64, max(1, rest * 15 / 100 / Self.output))
  }

  /// Of this process: its limit was raised at the start, and does not change.
  static let ofThisProcess = FileShares(limit: ThisProcess.descriptorLimit)

  /// Why less runs at once than the settings ask for; nil if there is room for all.
  func shortage(_ settings: Settings) -> Failure? {
    if settings.connections == settings.download.connections,
      settings.workerCount == settings.filter.wantedWorkers
    {
      return nil
    }
    return Failure(
      .machine, code: "files.limit", reason: "only \(limit) files may be open at once",
      advice: "Raise LimitNOFILE= in the unit, or the limit of the shell: ulimit -n")
  }
}
