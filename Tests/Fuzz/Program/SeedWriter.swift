// SPDX-License-Identifier: Apache-2.0
// Writes the seeds of the corpus that need code: small pictures of every form, catalogs, journal
// files and answers. Lists, messages and URLs are written by hand.

import Catalog
import Digests
import FuzzTargets
import Glibc
import Record
import Support
import Vocabulary
import Worker

enum SeedWriter {
  static func write(into folder: String) {
    for (name, bytes) in PictureSeeds.jpegs { put(bytes, "\(folder)/jpeg/\(name).jpg") }
    for (name, bytes) in PictureSeeds.pngs { put(bytes, "\(folder)/png/\(name).png") }
    for count in [1, 3, 17, 40] {
      put(catalog(photos: count), "\(folder)/catalog/photos-\(count)")
    }
    let own = PhotoOptions(
      checksum: SHA256.digest(of: [1]), filter: .standard, quality: .level(9), metadata: .strip)
    put(catalog(photos: 17, own: own), "\(folder)/catalog/own-17")
    for (name, bytes) in JournalSeeds.segments { put(bytes, "\(folder)/segment/\(name)") }
    for (name, bytes) in JournalSeeds.snapshots { put(bytes, "\(folder)/snapshot/\(name)") }
    for (name, bytes) in answers { put(bytes, "\(folder)/answer/\(name)") }
  }

  private static func put(_ bytes: [UInt8], _ path: String) {
    guard let file = unsafe fopen(path, "w") else { fatalError("cannot write \(path)") }
    unsafe fwrite(bytes, 1, bytes.count, file)
    unsafe fclose(file)
  }

  private static func catalog(
    photos count: Int, own: PhotoOptions = PhotoOptions()
  ) -> [UInt8] {
    let file = MemoryFile()
    do {
      var writer = try CatalogWriter(file, limits: ListLimits())
      for number in 1...count {
        try writer.add(
          CatalogRow(
            name: Array("Photo \(number)".utf8), url: Array("http://x/\(number).jpg".utf8),
            problem: number % 5 == 0 ? "its URL is odd (line \(number))" : nil,
            options: number % 3 == 0 ? own : PhotoOptions(),
            place: number % 2 == 0 ? .line(UInt64(number)) : .byte(UInt64(number * 300))))
      }
      var options = ListOptions()
      options.title = "Two"
      options.serviceClass = .utility
      options.filter = .standard
      try writer.finish(options)
    } catch { fatalError("\(error)") }
    return file.bytes
  }

  private static let answers: [(String, [UInt8])] = [
    ("ready", WorkerAnswer(number: 0, body: .ready(.all)).encoded),
    ("list-read", WorkerAnswer(number: 7, body: .listRead).encoded),
    (
      "developed",
      WorkerAnswer(
        number: 9,
        body: .developed(Developed(format: .png, width: 4032, height: 3024, size: 1 << 22))
      ).encoded
    ),
    (
      "failed",
      WorkerAnswer(
        number: 10,
        body: .failed(
          Failure(
            .final, code: "jpeg.truncated", reason: "the JPEG is cut off", advice: "Look at it"))
      ).encoded
    ),
    (
      "disk-full",
      WorkerAnswer(
        number: 11, body: .failed(Failure(.machine, code: "disk.full", reason: "the disk is full"))
      ).encoded
    ),
  ]
}
