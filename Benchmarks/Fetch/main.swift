// SPDX-License-Identifier: Apache-2.0
// Download and Record alone: fetches URLs into a state folder as `darkroomd` does, but without chains, lists
// and pictures. A photo counts when its transition is durable.
// darkroom-bench-fetch FOLDER CONNECTIONS yes|no: the URLs are in FOLDER/urls, the last word is `Sync=`.

import Download
import Linux
import Record
import Synchronization
import Transfer
import Vocabulary

func end(_ words: String) -> Never {
  try? StandardStream.error.write(Array("darkroom-bench-fetch: \(words)\n".utf8))
  ThisProcess.exit(1)
}

struct Books {
  /// The number of the photo started last.
  var last = 0
  /// Fetched and not yet recorded.
  var waiting = 0
  /// Not yet recorded.
  var left: Int
}

func urls(in folder: LinuxFolder) throws(SystemError) -> [String] {
  let file = try folder.openFile(FileName(literal: "urls"), .read)
  var rest = try file.read(at: 0, upTo: Int(file.status().size))[...]
  var urls: [String] = []
  while !rest.isEmpty {
    let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
    urls.append(String(decoding: rest[..<end], as: UTF8.self))
    rest = rest[end...].dropFirst()
  }
  return urls
}

/// Photos in progress in addition to the connections, so that each connection has its next photo at once.
let reserve = 128
/// The most photos that are fetched and not yet recorded: all that arrive during a sync share the next one.
let mostWaiting = 1024

let words = CommandLine.arguments
guard words.count == 4, let connections = Int(words[2]) else {
  end("FOLDER CONNECTIONS yes|no, with a file of URLs in the folder")
}

do {
  // One disk thread, while the daemon has one per processor: the network has its own thread, and the origin
  // needs a processor as well.
  TaskHome.settle(
    quick: try OwnExecutor("tasks", threads: 1), disk: try OwnExecutor("disk", threads: 1))
  let clock = try SystemClock()
  let state = try LinuxFolder.open(path: words[1])
  let urls = try urls(in: state)
  if urls.isEmpty { end("no URLs") }
  let (recorder, _) = try Recorder.open(
    state, time: clock,
    settings: JournalSettings(stateID: "1", bootID: "1", isSynced: words[3] == "yes"),
    died: { end("the journal file is lost: \($0)") })
  let originals = try state.folder(FileName(literal: "originals"), creating: true)
  let network = try TransferLoop(
    TransferSettings(
      connections: connections, connectionsPerHost: connections,
      rules: AddressRules(allowed: [NetworkRange(parsing: "127.0.0.0/8")])))
  let downloader = Downloader(
    network: network,
    partials: PartialShelf(
      try state.folder(FileName(literal: "incoming"), creating: true), clock: clock))
  let books = Mutex(Books(left: urls.count))
  let over = ThreadSignal()
  let list = ListID(1)

  @Sendable func recorded(_ photo: PhotoID, _ result: Result<Void, Failure>) {
    guard case .success = result else { end("photo \(photo) was not recorded: \(result)") }
    let isLast = books.withLock { books in
      books.waiting -= 1
      books.left -= 1
      return books.left == 0
    }
    if isLast { over.ring() }
  }

  /// Waits for the record only if `mostWaiting` photos wait already.
  @Sendable func record(_ photo: PhotoID, _ original: Original) async throws(Failure) {
    let changes = [Change.downloaded(photo, original.contents)]
    let effects = [Effect.stand(original.file, in: originals)]
    let isFull = books.withLock { books in
      books.waiting += 1
      return books.waiting >= mostWaiting
    }
    if isFull {
      try await recorder.record(changes, after: effects)
      recorded(photo, .success(()))
    } else {
      recorder.record(changes, after: effects) { recorded(photo, $0) }
    }
  }

  @Sendable func work() async {
    while true {
      let number = books.withLock { books in
        books.last += 1
        return books.last
      }
      guard number <= urls.count else { return }
      let photo = PhotoID(list: list, number: UInt32(number))
      do throws(Failure) {
        let original = try await downloader.download(
          photo, from: PhotoURL(parsing: urls[number - 1]), into: originals, priority: .default)
        try await record(photo, original)
      } catch { end("\(urls[number - 1]): \(error)") }
    }
  }

  TaskHome.quick.start { await downloader.run() }
  TaskHome.disk.start {
    do throws(Failure) {
      try await recorder.record([
        .accepted(
          list, Acceptance(photos: UInt32(urls.count), serviceClass: .default, sha256: "0"))
      ])
    } catch { end("\(error)") }
    for _ in 0..<(connections + reserve) { TaskHome.disk.start { await work() } }
  }
  over.wait()
  print("\(recorder.counts.records) records in \(recorder.counts.groups) groups")
} catch { end("\(error)") }
