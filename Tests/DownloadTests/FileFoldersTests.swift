// SPDX-License-Identifier: Apache-2.0
// Photos from this machine: only from the folders that are named, never through a link.

import Digests
import Download
import Linux
import Support
import Synchronization
import Testing
import Vocabulary

struct FileFoldersTests {
  let photo = PhotoID(list: ListID(1), number: 2)
  let photos: FreshFolder
  let originals: FreshFolder

  init() throws {
    photos = try FreshFolder()
    originals = try FreshFolder()
  }

  private static func folders(_ paths: String...) -> FileFolders {
    FileFolders(paths: paths) { path throws(SystemError) in try LinuxFolder.open(path: path) }
  }

  private func downloader(_ folders: FileFolders, maximumSize: UInt64 = 1 << 20)
    -> RunningDownloader
  {
    RunningDownloader(
      network: ScriptedNetwork(), partials: PartialShelf(originals.folder, clock: SimulatedClock()),
      settings: DownloadSettings(maximumSize: maximumSize), files: folders)
  }

  private func download(
    _ url: String, from folders: FileFolders? = nil, maximumSize: UInt64 = 1 << 20
  ) async throws -> Original {
    let downloader = downloader(folders ?? Self.folders(photos.path), maximumSize: maximumSize)
    return try await downloader.download(photo, from: url, into: originals.folder)
  }

  private func refusal(_ url: String, from folders: FileFolders? = nil) async -> Failure? {
    do {
      _ = try await download(url, from: folders)
      return nil
    } catch { return error as? Failure }
  }

  @Test func `A file beneath a named folder is copied, with its size and digest`() async throws {
    let body = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    try photos.write(body, to: "summer/at the sea.jpg")
    let original = try await download("file://\(photos.path)/summer/at%20the%20sea.jpg")
    #expect(originals.bytes(of: "000000002") == body)
    #expect(original.contents == Contents(size: 600_000, hash: SHA256.digest(of: body).prefix))
    #expect(original.host.isEmpty)
    #expect(original.status == 0)
  }

  @Test func `Without a named folder no file is read`() async throws {
    try photos.write([1], to: "a.jpg")
    let failure = await refusal("file://\(photos.path)/a.jpg", from: FileFolders())
    #expect(failure?.code == "file.refused")
    #expect(failure?.advice == "Add its folder to FileFolders= under [Download]")
  }

  @Test(
    "A path out of the named folders is refused",
    arguments: ["/etc/passwd", "/%2e%2e/a.jpg", "x/a.jpg", "", "/", "/sub/"])
  func outside(_ path: String) async throws {
    try photos.write([1], to: "sub/a.jpg")
    let base = path == "/etc/passwd" ? "" : photos.path
    #expect(await refusal("file://\(base)\(path)")?.code == "file.refused")
    #expect(try originals.folder.names().isEmpty)
  }

  @Test func `A link is not followed, whether it is the file or a folder on the way`()
    async throws
  {
    try photos.write([1], to: "real/a.jpg")
    try photos.link("link.jpg", to: "real/a.jpg")
    try photos.link("folder", to: "real")
    try photos.link("out", to: "/etc")
    for path in ["link.jpg", "folder/a.jpg", "out/passwd"] {
      let failure = await refusal("file://\(photos.path)/\(path)")
      #expect(failure?.code == "file.refused", "\(path)")
      #expect(failure?.reason.contains("link") == true)
    }
  }

  @Test func `A folder is refused, and so is a path through a file`() async throws {
    try photos.write([1], to: "real/a.jpg")
    for path in ["real", "real/a.jpg/b"] {
      #expect(await refusal("file://\(photos.path)/\(path)")?.code == "file.refused", "\(path)")
    }
  }

  @Test func `A FIFO is refused without waiting for a writer`() async throws {
    let path = "\(photos.path)/fifo.jpg"
    try #require(await HelperProcess.status(of: ["mkfifo", path]) == 0)
    #expect(await refusal("file://\(path)")?.code == "file.refused")
  }

  @Test func `A file that is not there is called missing`() async throws {
    try photos.write([1], to: "other.jpg")
    let failure = await refusal("file://\(photos.path)/none.jpg")
    #expect(failure?.code == "file.missing")
    #expect(failure?.kind == .final)
  }

  @Test func `A file over the limit fails and leaves nothing`() async throws {
    try photos.write([UInt8](repeating: 7, count: 1001), to: "a.jpg")
    let url = "file://\(photos.path)/a.jpg"
    let failure = await #expect(throws: Failure.self) {
      try await download(url, maximumSize: 1000)
    }
    #expect(failure?.code == "size.limit")
    #expect(try originals.folder.names().isEmpty)
    #expect(try await download(url, maximumSize: 1001).contents.size == 1001)
  }

  @Test func `A file is opened from the deepest named folder`() async throws {
    let inner = try FreshFolder()
    try inner.write([9], to: "a.jpg")
    try photos.link("inner", to: inner.path)
    let folders = Self.folders(photos.path, inner.path)
    #expect(try await download("file://\(inner.path)/a.jpg", from: folders).contents.size == 1)
    #expect(
      await refusal("file://\(photos.path)/inner/a.jpg", from: folders)?.code == "file.refused")
  }

  @Test func `A folder is opened each time a photo is copied from it, and not before`()
    async throws
  {
    try photos.write([1, 2, 3], to: "a.jpg")
    let opened = Mutex<[String]>([])
    let folders = FileFolders(paths: [photos.path, "/srv/hung"]) { path throws(SystemError) in
      opened.withLock { $0.append(path) }
      return try LinuxFolder.open(path: path)
    }
    let downloader = downloader(folders)
    downloader.downloader.change(DownloadSettings(), files: folders)
    #expect(opened.withLock { $0 } == [])
    for _ in 1...2 {
      _ = try await downloader.download(
        photo, from: "file://\(photos.path)/a.jpg", into: originals.folder)
    }
    #expect(opened.withLock { $0 } == [photos.path, photos.path])
  }

  @Test(arguments: [2, 5, 13, 20, 40, 107, 110, 112, 116] as [Int32])
  func `A folder that cannot be opened lets only its own photos wait`(code: Int32)
    async throws
  {
    try photos.write([1, 2, 3], to: "a.jpg")
    let folders = FileFolders(paths: [photos.path, "/srv/hung"]) { path throws(SystemError) in
      if path == "/srv/hung" { throw SystemError(code: code, call: "open", thing: path) }
      return try LinuxFolder.open(path: path)
    }
    let failure = await refusal("file:///srv/hung/a.jpg", from: folders)
    #expect(failure?.kind == .machine && failure?.scope == .one)
    #expect(failure?.code == "file.folder")
    #expect(failure?.reason.hasPrefix("the folder /srv/hung cannot be opened: ") == true)
    #expect(try await download("file://\(photos.path)/a.jpg", from: folders).contents.size == 3)
  }

  @Test func `The photos of an empty folder wait, since what is mounted there may be away`()
    async throws
  {
    let url = "file://\(photos.path)/summer/a.jpg"
    let failure = await refusal(url)
    #expect(failure?.kind == .machine && failure?.scope == .one)
    #expect(failure?.code == "file.folder")
    #expect(failure?.reason == "the folder \(photos.path) is empty")
    try photos.write([1], to: "summer/a.jpg")
    #expect(try await download(url).contents.size == 1)
  }

  @Test(arguments: [23, 24] as [Int32])
  func `A lack of descriptors for a folder is trouble of this machine`(code: Int32) async {
    let folders = FileFolders(paths: ["/srv"]) { path throws(SystemError) in
      throw SystemError(code: code, call: "open", thing: path)
    }
    #expect(await refusal("file:///srv/a.jpg", from: folders)?.kind == .machine)
  }

  @Test func `A cancelled copy ends with the current piece`() async throws {
    try photos.write([UInt8](repeating: 3, count: 600_000), to: "a.jpg")
    let folders = FileFolders(paths: [photos.path]) { path throws(SystemError) in
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try LinuxFolder.open(path: path)
    }
    let downloader = downloader(folders)
    let task = Task {
      try await downloader.download(
        photo, from: "file://\(photos.path)/a.jpg", into: originals.folder)
    }
    await #expect(throws: Failure.cancelled) { try await task.value }
    #expect(originals.bytes(of: "000000002")?.count == 262_144)
  }

  @Test func `Fifty copies at once give fifty originals`() async throws {
    try photos.write([UInt8](repeating: 3, count: 1000), to: "a.jpg")
    let downloader = downloader(Self.folders(photos.path))
    try await withThrowingTaskGroup(of: UInt64.self) { group in
      for number in 1...50 {
        let photo = PhotoID(list: ListID(1), number: UInt32(number))
        group.addTask {
          try await downloader.download(
            photo, from: "file://\(photos.path)/a.jpg", into: originals.folder
          ).contents.size
        }
      }
      for try await size in group { #expect(size == 1000) }
    }
    #expect(try originals.folder.names().count == 50)
  }
}
