// SPDX-License-Identifier: Apache-2.0
// The results of `darkroomd run`: JSON lines, first one about the list, then one for each photo with its number in
// the whole list. Photo by photo, so that a long part is never in memory. The file appears whole. Raises the failures
// of the list's files, and `machine`.

import Catalog
import Files
import Linux
import Record
import Return
import Steer
import Vocabulary

struct PartResults {
  let path: String
  let list: ListEntry
  /// Of the list's file.
  let sha256: String
  let range: NumberRanges?

  private static let piece = 64 << 10

  /// Prints that are recorded, and were removed or cut since.
  struct Lost {
    var count = 0
    var first = ""
  }

  func write(_ work: ListWork) throws(Failure) -> Lost {
    let outcome = try work.outcome(of: list.id, isLast: true)
    let catalog = try work.lists.look(list.id).catalog
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    guard let name = FileName(slash.map { path[path.index(after: $0)...] } ?? path[...]) else {
      throw Failure(.final, code: "results.name", reason: "the path does not end in a name")
    }
    let prints = try asMachine { () throws(SystemError) in try Self.folder(outcome.prints) }
    var lost = Lost()
    let file = try asMachine { () throws(SystemError) in
      try NewFile(in: LinuxFolder.open(path: folder))
    }
    do throws(Failure) {
      var bytes = JSONWriter.bytes(.object(head(outcome))) + [0x0A]
      var offset: UInt64 = 0
      for number in catalog.numbers {
        let photo = try outcome.photo(number)
        if case .filtered(let print) = photo.ending, try !Self.stands(print, in: prints) {
          if lost.count == 0 { lost.first = print.name }
          lost.count += 1
        }
        bytes += JSONWriter.bytes(.object(Self.object(photo, catalog.place(of: number))))
        bytes.append(0x0A)
        guard bytes.count >= Self.piece || number == catalog.count else { continue }
        try asMachine { () throws(SystemError) in try file.file.write(bytes, at: offset) }
        offset += UInt64(bytes.count)
        bytes.removeAll(keepingCapacity: true)
      }
      try asMachine { () throws(SystemError) in
        try file.appear(as: name, mode: 0o644, replacing: true)
      }
    } catch {
      file.discard()
      throw error
    }
    return lost
  }

  private static func folder(_ path: String?) throws(SystemError) -> LinuxFolder? {
    guard let path else { return nil }
    do throws(SystemError) { return try LinuxFolder.open(path: path) } catch {
      if error.isMissing { return nil }
      throw error
    }
  }

  private static func stands(
    _ print: PhotoOutcome.Print, in folder: LinuxFolder?
  ) throws(Failure) -> Bool {
    guard let folder, let name = FileName(print.name) else { return false }
    return try asMachine { () throws(SystemError) in
      try folder.status(ifThere: name)?.size == print.bytes
    }
  }

  private func head(_ outcome: ListOutcome) -> JSONObject {
    var object = JSONObject([
      "list": .string(outcome.name), "sha256": .string(sha256),
      "prints": .string(outcome.prints ?? ""),
    ])
    object["range"] = range.map { .string($0.text) }
    object["total"] = .count(outcome.total)
    object["filtered"] = .count(list.counts.filtered)
    object["failed"] = .count(list.counts.failed)
    return object
  }

  private static func object(_ photo: PhotoOutcome, _ place: UInt32) -> JSONObject {
    var object = JSONObject(["photo": .count(place), "name": .string(photo.name)])
    switch photo.ending {
    case .filtered(let print):
      object["state"] = .string(PhotoState.filtered.name)
      object["print"] = .string(print.name)
      object["bytes"] = .count(print.bytes)
      object["sha256"] = .string(print.sha256)
      object["width"] = .count(print.width)
      object["height"] = .count(print.height)
    case .failed(let code, let reason, _):
      object["state"] = .string(PhotoState.failed.name)
      object["code"] = .string(code)
      object["reason"] = .string(reason)
    case .new: object["state"] = .string(PhotoState.new.name)
    case .unknown: object["state"] = .string("unknown")
    }
    return object
  }
}
