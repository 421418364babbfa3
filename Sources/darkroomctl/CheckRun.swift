// SPDX-License-Identifier: Apache-2.0
// `check`: reads a photo list in a worker, as the daemon would, and shows its photos and errors. The catalog
// is in memory and read page by page: a long list is written as it is read.

internal import Catalog
internal import Linux
internal import Steer
package import Vocabulary

package struct CheckRun {
  private let file: String
  private let workers: any Workers
  private let voice: ToolVoice
  private let isJSON: Bool

  package init(file: String, workers: any Workers, voice: ToolVoice, isJSON: Bool) {
    self.file = file
    self.workers = workers
    self.voice = voice.speaking(json: isJSON)
    self.isJSON = isJSON
  }

  package func run() async -> ExitCode {
    do throws(Failure) {
      let list = try await read()
      let problems = isJSON ? try tellJSON(list) : try tell(list)
      if problems == 0 { return .done }
      let photos = Amounts.photos(problems)
      voice.complain(
        "list.entry", "\(Printable.text(file)): \(photos) of \(list.count) cannot be processed")
      return .failed
    } catch {
      if isJSON {
        voice.say([
          "file": .string(file), "accepted": false, "code": .string(error.code),
          "reason": .string(error.reason), "advice": .string(error.advice),
        ])
      }
      voice.complain(error.code, "Could not read \(Printable.text(file)): \(error.words)")
      return .failed
    }
  }

  private func read() async throws(Failure) -> CatalogFile {
    let limits = ListLimits()
    let list: LinuxFile
    let catalog: LinuxFile
    do throws(SystemError) {
      list = try Surroundings.openNamed(file)
      guard try list.status().kind == .file else {
        throw SystemError(.invalid, call: "open", thing: file)
      }
      catalog = try Surroundings.scratchFile()
    } catch { throw error.failure }
    try await workers.readList(
      list, of: ThisProcess.user, catalog: catalog, limits: limits)
    return try CatalogFile(catalog, limits: limits)
  }

  /// Writes the list; returns the number of photos with a problem.
  private func tell(_ list: CatalogFile) throws(Failure) -> Int {
    if voice.screen.isTerminal {
      let options = list.options
      let title = options.title.isEmpty ? "" : ": \(Printable.text(options.title))"
      let settings = [
        options.serviceClass?.name, options.filter?.description,
        options.quality.map { "quality \($0)" }, options.metadata.map { "metadata \($0)" },
        options.isPrivate.map { $0 ? "private" : "not private" },
        options.contactSheet.map { $0 ? "contact sheet" : "no contact sheet" },
        options.notify.map { "notify \(Printable.text($0.shown))" },
      ].compactMap { $0 }
      let tail = settings.isEmpty ? "" : ", \(settings.joined(separator: ", "))"
      let words = "\(Printable.text(file))\(title), \(Amounts.photos(list.count))\(tail)"
      voice.say(Prose.folded(words, voice.screen, indent: 2) + "\n")
    }
    return try tellPhotos(list, line)
  }

  /// Writes the photos, many at once; returns the number of photos with a problem.
  private func tellPhotos(
    _ list: CatalogFile, _ words: (UInt32, CatalogEntry, Failure?) -> String
  ) throws(Failure) -> Int {
    var problems = 0
    var pending = ""
    for number in list.numbers {
      let entry = try list.entry(number)
      let failure = entry.refusal
      if failure != nil { problems += 1 }
      pending += words(number, entry, failure)
      if pending.utf8.count < 65536 { continue }
      voice.say(pending)
      pending = ""
    }
    voice.say(pending)
    return problems
  }

  private func line(_ number: UInt32, _ entry: CatalogEntry, _ failure: Failure?) -> String {
    let name = Printable.text(entry.name)
    let url = Printable.text(entry.url, limit: 4096)
    guard voice.screen.isTerminal else {
      return TextTable.plain([
        "\(number)", name, url, failure.map { Printable.sentence($0.reason) } ?? "",
      ])
    }
    let start = "  \(number)  \(TextTable.shortened(name, to: 30))  "
    guard let failure else {
      return TextTable.cut(start + url, to: voice.screen.columns) + "\n"
    }
    let problem = Printable.sentence(failure.words)
    return Prose.folded(start + problem, voice.screen, indent: 6, tone: .bad, of: problem) + "\n"
  }

  /// Writes one object in pieces; returns the number of photos with a problem.
  private func tellJSON(_ list: CatalogFile) throws(Failure) -> Int {
    let options = list.options
    var head = JSONObject([
      "file": .string(file), "accepted": true, "count": .count(list.count),
      "title": .string(options.title),
    ])
    head["serviceClass"] = options.serviceClass.map { .string($0.name) }
    head["filter"] = options.filter.map { .string($0.description) }
    head["quality"] = options.quality.map { .string($0.description) }
    head["metadata"] = options.metadata.map { .string($0.name) }
    head["private"] = options.isPrivate.map { .bool($0) }
    head["contactSheet"] = options.contactSheet.map { .bool($0) }
    head["notify"] = options.notify.map { .string($0.text) }
    voice.say(JSONWriter.text(.object(head)).dropLast() + ",\"photos\":[")
    let problems = try tellPhotos(list) { number, entry, failure in
      var photo = JSONObject([
        "number": .count(number), "name": .string(entry.name), "url": .string(entry.url),
      ])
      photo["problem"] = failure.map { .string($0.reason) }
      photo["code"] = failure.map { .string($0.code) }
      return (number > 1 ? "," : "") + JSONWriter.text(.object(photo))
    }
    voice.say("]}\n")
    return problems
  }
}

extension CatalogEntry {
  /// Why the photo fails without a download; checked in the order in which the daemon does.
  var refusal: Failure? { failure ?? PhotoURL.refusal(of: url) }
}
