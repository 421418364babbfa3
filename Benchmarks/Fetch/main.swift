// SPDX-License-Identifier: Apache-2.0
// Download and Record alone: fetches URLs into a state folder, every transition durable before the
// photo counts, as `darkroomd` does it without chains, lists and pictures.
// darkroom-bench-fetch FOLDER CONNECTIONS yes|no: the URLs are in FOLDER/urls, the last word is `Sync=`.

import Download
import Linux
import Record
import Synchronization
import Transfer
import Vocabulary

func end(_ words: String) -> Never {
  try? StandardError.write(Array("darkroom-bench-fetch: \(words)\n".utf8))
  ThisProcess.exit(1)
}

func urls(in folder: LinuxFolder) throws(SystemError) -> [String] {
  let file = try folder.openFile(FileName(literal: "urls"), .read)
  var rest = try file.read(at: 0, upTo: Int(file.status().size))[...]
  var urls: [String] = []
  while let end = rest.firstIndex(of: 0x0A) {
    urls.append(String(decoding: rest[..<end], as: UTF8.self))
    rest = rest[(end + 1)...]
  }
  return urls
}

/// Photos for each connection that are fetched and not yet recorded, or wait to be fetched: as many wait
/// for the disk together as came while it was busy.
let ahead = 64

let words = CommandLine.arguments
guard words.count == 4, let connections = Int(words[2]) else {
  end("FOLDER CONNECTIONS yes|no, with a file of URLs in the folder")
}

do {
  // One thread for tasks, where the daemon has as many as there are processors: the network has its own,
  // and the origin needs a processor too.
  TaskHome.settle(on: OwnExecutor(threads: 1))
  let clock = try SystemClock()
  let state = try LinuxFolder.open(path: words[1])
  let urls = try urls(in: state)
  let (recorder, _) = try Recorder.open(
    state, time: clock,
    settings: JournalSettings(stateID: "1", bootID: "1", isSynced: words[3] == "yes"),
    durable: { _ in }, died: { end("the journal file is lost: \($0)") })
  let originals = try state.folder(FileName(literal: "originals"), creating: true)
  let network = try TransferLoop(
    TransferSettings(
      connections: connections, connectionsPerHost: connections,
      rules: AddressRules(allow: ["127.0.0.0/8"], deny: [])))
  let disk = try WorkLane("files")
  let downloader = Downloader(
    network: network,
    partials: PartialShelf(
      try state.folder(FileName(literal: "incoming"), creating: true), clock: clock),
    lane: { disk.run($0) })
  let next = Mutex(0)
  let left = Mutex(connections * ahead)
  let over = ThreadSignal()
  let number = ListID(1)

  @Sendable func work() async {
    while true {
      let place = next.withLock { next in
        defer { next += 1 }
        return next
      }
      guard place < urls.count else { break }
      let photo = PhotoID(list: number, number: UInt32(place + 1))
      do throws(Failure) {
        let original = try await downloader.download(
          photo, from: urls[place], into: originals, priority: .default)
        let isApplied = try await recorder.record(
          [.downloaded(photo, original.contents)],
          after: [.stand(original.file, in: originals)])
        if !isApplied { end("photo \(photo) was not recorded") }
      } catch { end("\(urls[place]): \(error)") }
    }
    let isLast = left.withLock { left in
      left -= 1
      return left == 0
    }
    if isLast { over.ring() }
  }

  TaskHome.start {
    do throws(Failure) {
      try await recorder.record([
        .accepted(
          number, Acceptance(photos: UInt32(urls.count), serviceClass: .default, sha256: "0"))
      ])
    } catch { end("\(error)") }
    for _ in 0..<(connections * ahead) { TaskHome.start { await work() } }
  }
  over.wait()
  print("\(recorder.counts.records) records in \(recorder.counts.groups) groups")
} catch { end("\(error)") }
