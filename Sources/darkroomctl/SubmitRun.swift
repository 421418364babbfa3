// SPDX-License-Identifier: Apache-2.0
// `submit`: reads a list in a worker, as `check` does, puts it into the daemon's inbox under its name, durable
// and in one step, and waits until it is accepted. The list is a file, standard input, or URLs. With options
// it is rewritten as JSON; the options of its photos stay. Pictures and folders of pictures are copied there.

internal import Catalog
internal import Digests
internal import Files
internal import Linux
internal import Steer
internal import Vocabulary

struct SubmitRun {
  /// A list that can be submitted, and its file name in the inbox.
  private struct Candidate {
    let contents: LinuxFile
    let name: String
    let photos: UInt32
    let problems: UInt32
  }

  let task: SubmitTask
  let talk: DaemonTalk
  let workers: any Workers

  private var voice: ToolVoice { talk.voice }
  private static let limits = ListLimits()

  func run() async -> ExitCode {
    let deadline = task.timeout.map { talk.clock.uptime() + $0 }
    let (status, newest): (StatusReport, UInt64)
    do throws(ControlFailure) { (status, newest) = try talk.intake() } catch {
      return talk.fail(error)
    }
    let file: String
    do throws(Failure) {
      let source = try opened()
      if let refusal = status.pictureRefusal, try isOfPictures(source) {
        throw Failure(
          .final, code: "pictures.refused", reason: refusal, advice: "Submit a list of URLs")
      }
      if var pictures = try pictures(source, for: status) {
        tellLeft(pictures)
        try pictures.drop()
        if pictures.isOpen {
          voice.complain(
            "pictures.open",
            "the file system of the inbox has no access control lists: other members of its group can read and remove "
              + "the pictures until the daemon has taken them")
        }
        return follow("\(pictures.name)", after: newest, until: deadline)
      }
      let candidate = try await candidate(source)
      if candidate.problems > 0 {
        let photos = Amounts.photos(candidate.photos)
        voice.complain(
          "list.entry",
          "\(candidate.problems) of \(photos) cannot be processed; 'darkroomctl check' says why")
      }
      file = try drop(candidate, into: status.inbox)
    } catch {
      voice.complain(error.code, "Could not submit \(what): \(error.words)")
      return .failed
    }
    return follow(file, after: newest, until: deadline)
  }

  /// The list is in the inbox: waits until it is accepted and, if asked to, until its end.
  private func follow(_ file: String, after newest: UInt64, until deadline: Duration?) -> ExitCode {
    let name = "'\(Printable.text(file))'"
    var place = "\(name) is in the inbox"
    do throws(ControlFailure) {
      switch try talk.fate(of: file, after: newest, until: deadline) {
      case .rejected(let why):
        voice.complain("list.rejected", "\(name) was rejected: \(Printable.sentence(why))")
        return .failed
      case .ignored(let why):
        voice.complain(
          "list.ignored", "\(name) is ignored, and stays in the inbox: \(Printable.sentence(why))")
        return .failed
      case .list(let number):
        place = "list \(number) is accepted"
        let list = ListReference("\(number)")
        if task.waits { return try talk.wait([list], until: deadline) }
        talk.tell(try talk.summary(of: list))
        return .done
      }
    } catch {
      // A second submission would be a second list.
      voice.complain(DaemonTalk.code(error), "\(place), but: \(error)")
      return .of(error)
    }
  }

  private var what: String {
    switch task.source {
    case .file(let path): Printable.text(path)
    case .standardInput: "standard input"
    case .urls(let urls): urls.count == 1 ? "the URL" : "the URLs"
    case .pictures(let paths): paths.count == 1 ? Printable.text(paths[0]) : "the pictures"
    }
  }

  /// The file or folder that is named, if one is. It is opened once: what the writer of a FIFO has written is lost
  /// when the FIFO is closed.
  private func opened() throws(Failure) -> LinuxFile? {
    guard case .file(let path) = task.source else { return nil }
    return try asFailure { () throws(SystemError) in try Surroundings.openNamed(path) }
  }

  // MARK: Pictures

  /// Nil if the source is a list.
  private func pictures(
    _ source: LinuxFile?, for status: StatusReport
  ) throws(Failure) -> PictureSubmission? {
    guard try isOfPictures(source) else { return nil }
    let (inbox, most) = (status.inbox, status.largestPicture)
    var drop: PictureSubmission
    switch task.source {
    case .pictures(let paths):
      let only = paths.count == 1 ? Self.lastName(paths[0]) : nil
      let stem = only.map { String(decoding: PictureName(Array($0.utf8)).stem, as: UTF8.self) }
      drop = try PictureSubmission(task.name ?? stem ?? newName, into: inbox, upTo: most)
      for path in paths { try drop.add(picture: path) }
    case .file(let path):
      drop = try PictureSubmission(task.name ?? Self.lastName(path), into: inbox, upTo: most)
      try drop.add(folder: path)
      if drop.pictures.isEmpty, drop.tooLarge == 0 { throw PictureSubmission.none(path) }
    case .standardInput, .urls: return nil
    }
    if drop.pictures.isEmpty { throw PictureSubmission.allTooLarge(drop.tooLarge) }
    guard task.options.isEmpty else {
      throw Failure(
        .final, code: "pictures.options", reason: "pictures have no options of their own",
        advice: "The settings under [Filter] apply; a list of URLs may have options")
    }
    return drop
  }

  private func tellLeft(_ pictures: PictureSubmission) {
    if pictures.leftOut > 0 {
      let files = Amounts.counted(
        pictures.leftOut, "file is not a picture", "files are not pictures")
      voice.complain("pictures.left", "\(files), and left out of the list")
    }
    if pictures.tooLarge > 0 {
      let files = Amounts.counted(pictures.tooLarge, "picture is", "pictures are")
      voice.complain(
        "pictures.size", "\(files) larger than MaximumSize=, and left out of the list")
    }
  }

  private func isOfPictures(_ source: LinuxFile?) throws(Failure) -> Bool {
    switch task.source {
    case .pictures: true
    case .file: try asFailure { () throws(SystemError) in try source?.status().kind } == .folder
    case .standardInput, .urls: false
    }
  }

  private static func lastName(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? ""
  }

  /// Unique, because a list of the same name would take over from it.
  private var newName: String {
    let time = DateText.utc(milliseconds: talk.clock.wallTime()).filter { $0 != ":" }
    return "submitted-\(time)-\(ThisProcess.identifier)"
  }

  // MARK: The list

  private func candidate(_ source: LinuxFile?) async throws(Failure) -> Candidate {
    let (list, isNamed) = try asFailure { () throws(SystemError) in try contents(source) }
    let catalog = try asFailure { () throws(SystemError) in try Surroundings.scratchFile() }
    try await workers.readList(
      list, of: ThisProcess.user, catalog: catalog, limits: Self.limits)
    let read = try CatalogFile(catalog, limits: Self.limits)
    var problems: UInt32 = 0
    for number in read.numbers where try read.entry(number).refusal != nil { problems += 1 }
    if task.options.isEmpty {
      let name = name(try Self.ending(of: list), isNamed: isNamed, isNew: false)
      return Candidate(contents: list, name: name, photos: read.count, problems: problems)
    }
    guard problems == 0 else {
      throw Failure(
        .final, code: "list.entry",
        reason: "\(problems) of \(Amounts.photos(read.count)) cannot be processed",
        advice: "Correct the list, or submit it without options")
    }
    let whole = try asFailure { () throws(SystemError) in try Surroundings.scratchFile() }
    try ListWriter(whole).write(read, task.options)
    let size = try asFailure { () throws(SystemError) in try whole.status().size }
    guard size <= Self.limits.size else {
      throw Failure(
        .final, code: "list.size", reason: "with these options it has \(size) bytes, too many",
        advice: "Split it")
    }
    return Candidate(
      contents: whole, name: name(".json", isNamed: isNamed, isNew: true), photos: read.count,
      problems: 0)
  }

  /// The list, and whether it has a name of its own.
  private func contents(_ source: LinuxFile?) throws(SystemError) -> (LinuxFile, isNamed: Bool) {
    if let source {
      if try source.status().kind == .file { return (source, true) }
      // A pipe, such as that of a shell's <(…), can be read once.
      return (try Self.copy { count throws(SystemError) in try source.readOn(upTo: count) }, false)
    }
    switch task.source {
    case .standardInput:
      let list = try Self.copy { count throws(SystemError) in
        try StandardInput.read(upTo: count)
      }
      return (list, false)
    case .file, .pictures: preconditionFailure("a file is open, and pictures do not become one")
    case .urls(let urls):
      let file = try Surroundings.scratchFile()
      try file.write(Array(urls.map { $0 + "\n" }.joined().utf8), at: 0)
      return (file, false)
    }
  }

  /// Copies a stream, up to the limit of a list and one byte: the worker refuses what is longer.
  private static func copy(
    _ read: (Int) throws(SystemError) -> [UInt8]
  ) throws(SystemError) -> LinuxFile {
    let file = try Surroundings.scratchFile()
    var size: UInt64 = 0
    while size <= limits.size {
      let bytes = try read(Int(min(1 << 20, limits.size + 1 - size)))
      if bytes.isEmpty { break }
      try file.write(bytes, at: size)
      size += UInt64(bytes.count)
    }
    return file
  }

  // MARK: The name

  /// The daemon goes by the contents; the ending is for people.
  private static func ending(of list: LinuxFile) throws(Failure) -> String {
    let start = try asFailure { () throws(SystemError) in try list.read(at: 0, upTo: 4096) }
    return switch start.first(where: { $0 > 0x20 }) {
    case UInt8(ascii: "<"), UInt8(ascii: "b"): ".plist"
    case UInt8(ascii: "{"), UInt8(ascii: "["): ".json"
    default: ".txt"
    }
  }

  /// With `ending`, or with its own if it has one and the list is not written again.
  private func name(_ ending: String, isNamed: Bool, isNew: Bool) -> String {
    let name: String
    if let given = task.name {
      name = given
    } else if isNamed, case .file(let path) = task.source {
      name = Self.lastName(path)
    } else {
      name = newName
    }
    let known = ListName(name)
    return known.isList && !isNew ? name : known.text + ending
  }

  // MARK: The inbox

  /// Returns the name of the file.
  private func drop(_ candidate: Candidate, into path: String) throws(Failure) -> String {
    guard let name = FileName(candidate.name), name.bytes.first != UInt8(ascii: ".") else {
      throw Failure(
        .final, code: "list.name",
        reason: "'\(Printable.text(candidate.name, limit: 300))' cannot be the name of a list",
        advice: "Choose another with --name")
    }
    do throws(SystemError) {
      let inbox = try LinuxFolder.open(path: path)
      let new = try NewFile(in: inbox)
      do throws(SystemError) {
        try FileCopy.copy(candidate.contents, to: new.file, upTo: Self.limits.size)
        // Without access control lists, the daemon reads it as a member of the group of the inbox.
        let daemon = try DaemonUser.needingRights(in: inbox)
        try new.appear(
          as: name, mode: daemon == nil ? 0o600 : 0o640, reader: daemon, replacing: false)
      } catch {
        new.discard()
        throw error
      }
      return candidate.name
    } catch {
      if error.exists { throw InboxName.taken(name, in: try? LinuxFolder.open(path: path)) }
      guard error.name == .notPermitted || error.name == .denied else { throw error.failure }
      throw Failure(
        .final, code: "inbox.forbidden",
        reason: "you may not write to the inbox \(Printable.text(path))",
        advice: "Join the group of that folder")
    }
  }
}

/// Writes a list as JSON from its catalog, photo by photo.
private struct ListWriter {
  private static let piece = 64 << 10

  private let file: LinuxFile

  init(_ file: LinuxFile) { self.file = file }

  func write(_ list: CatalogFile, _ new: SubmitTask.Options) throws(Failure) {
    let old = list.options
    var head = JSONObject()
    if !old.title.isEmpty { head["Title"] = .string(old.title) }
    head["QualityOfService"] = (new.serviceClass ?? old.serviceClass).map { .string($0.name) }
    head["Filter"] = (new.filter ?? old.filter).map { .string("\($0)") }
    head["Quality"] = (new.quality ?? old.quality).map { .string("\($0)") }
    head["Metadata"] = (new.metadata ?? old.metadata).map { .string($0.name) }
    head["Notify"] = (new.notify ?? old.notify).map { .string($0.text) }
    head["Private"] = (new.isPrivate ?? old.isPrivate).map { .string($0 ? "yes" : "no") }
    head["ContactSheet"] = old.contactSheet.map { .string($0 ? "yes" : "no") }
    var text = JSONWriter.text(.object(head))
    text = text.dropLast() + (head.members.isEmpty ? "" : ",") + "\"Photos\":[\n"
    var size: UInt64 = 0
    for number in list.numbers {
      let end = number < list.count ? ",\n" : "\n]}\n"
      text += JSONWriter.text(.object(Self.object(try list.entry(number)))) + end
      guard text.utf8.count >= Self.piece || number == list.count else { continue }
      do throws(SystemError) { try file.write(Array(text.utf8), at: size) } catch {
        throw error.failure
      }
      size += UInt64(text.utf8.count)
      text = ""
    }
  }

  private static func object(_ entry: CatalogEntry) -> JSONObject {
    var photo = JSONObject(["Name": .string(entry.name), "URL": .string(entry.url)])
    let options = entry.options
    photo["SHA256"] = options.checksum.map { .string($0.hex) }
    photo["QualityOfService"] = options.serviceClass.map { .string($0.name) }
    photo["Filter"] = options.filter.map { .string("\($0)") }
    photo["Quality"] = options.quality.map { .string("\($0)") }
    photo["Metadata"] = options.metadata.map { .string($0.name) }
    return photo
  }
}
