// SPDX-License-Identifier: Apache-2.0
// What a simulated world owes to hosts and people: which photos were asked for, and why again; which lists are still. And
// the lists that are dropped there: names of which some have one folder, of two users.

import Accept
import Vocabulary

@testable import darkroomd

/// Lists of one family take over from each other.
struct JointFamily: Hashable {
  let name: FileName
  let owner: UInt32

  var list: ListName { ListName(name) }
  var stem: [UInt8] { Array(list.stem) }

  /// Two names that are not UTF-8 look the same when they are shown; two differ in their endings alone.
  static let all: [JointFamily] = {
    let names: [[UInt8]] = [
      Array("caf".utf8) + [0xE9] + Array(".txt".utf8),
      Array("caf".utf8) + [0xE8] + Array(".csv".utf8), Array("barn.plist".utf8),
    ]
    return names.compactMap { FileName(bytes: $0) }.flatMap { name in
      [1000, 1001].map { JointFamily(name: name, owner: $0) }
    }
  }()
}

/// The labels of lists, made once for all worlds of a stream.
final class JointLabels {
  private struct Key: Hashable {
    let family: JointFamily
    let folder: FileName
  }

  private var labels: [Key: ListLabel] = [:]

  func label(_ family: JointFamily, _ folder: FileName) -> ListLabel? {
    let key = Key(family: family, folder: folder)
    if let known = labels[key] { return known }
    let terms = FrozenSettings(prints: folder, filter: .standard, title: "")
    let about = AboutFile(
      name: family.name,
      status: FileStatus(
        kind: .file, device: 1, inode: 1, size: 1, owner: family.owner, mode: 0o600, modified: 0,
        changed: 0), sha256: "", accepted: 1,
      terms: ListTerms(photos: 1, serviceClass: .default, settings: terms.text))
    let label = try? ListLabel(about)
    labels[key] = label
    return label
  }
}

struct JointBook {
  private(set) var violations: [String] = []
  /// Lists whose cancel was answered: nothing of them may run again.
  var still: Set<ListID> = []
  /// How often the host of a photo was asked, and how often it may be.
  private var requests: [PhotoID: Int] = [:]
  private var allowed: [PhotoID: Int] = [:]
  /// Photos that were recorded as downloaded, and not as lost since.
  private var downloaded: Set<PhotoID> = []
  /// Lists whose cancel is recorded: nothing but their removal follows.
  private var cancelled: Set<ListID> = []
  private(set) var asks = 0
  private(set) var ends = 0
  var removals = 0
  var crashes = 0
  /// All choices in their order, for a replay.
  private(set) var trace: UInt64 = 0

  mutating func note(_ choice: UInt64) { trace = trace &* 31 &+ choice }

  mutating func violate(_ words: String) { violations.append(words) }

  mutating func asked(_ photo: PhotoID) {
    asks += 1
    note(UInt64(photo.number))
    requests[photo, default: 0] += 1
    if downloaded.contains(photo) {
      violate("\(photo) was recorded as downloaded, and is asked for")
    }
    let most = allowed[photo, default: 0] + 1
    if requests[photo, default: 0] > most {
      violate(
        "\(photo) is asked for \(requests[photo, default: 0]) times, and may be \(most) times")
    }
  }

  mutating func applied(_ change: Change) {
    if cancelled.contains(change.list), change != .removed(change.list) {
      violate("\(change) is applied, and the list is cancelled")
    }
    switch change {
    case .downloaded(let photo, _): downloaded.insert(photo)
    case .lost(let photo):
      downloaded.remove(photo)
      allowed[photo, default: 0] += 1
    case .retry(let photo, .download, _, _, _, _): allowed[photo, default: 0] += 1
    case .cancelled(let list):
      ends += 1
      cancelled.insert(list)
    default: break
    }
  }

  /// A chain has ended. If its request has no record, another one may follow.
  mutating func left(_ photo: PhotoID, _ trip: JointTrip) {
    if trip.isAsked { allowed[photo, default: 0] += 1 }
  }
}
