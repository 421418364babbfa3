// SPDX-License-Identifier: Apache-2.0
// The words and fields of what several notices are about. Promises: control characters in outside text are escaped; a
// message has every field that its catalog entry names, even an empty one.

internal import Vocabulary

extension Notice {
  static func shown(_ text: String) -> String { Printable.text(text) }

  /// A sentence whose names were escaped when it was made.
  static func told(_ sentence: String) -> String { Printable.sentence(sentence) }

  static func quoted(_ name: String) -> String { "'\(Printable.text(name, limit: 120))'" }

  static func counted(_ count: some BinaryInteger, _ thing: String) -> String {
    "\(count) \(thing)\(count == 1 ? "" : "s")"
  }

  /// The advice as a sentence behind others.
  static func advised(_ failure: Failure) -> String {
    failure.advice.isEmpty ? "" : " \(told(failure.advice))."
  }

  static func reason(_ failure: Failure) -> String { told(failure.reason) }
}

extension Failure {
  var fields: [Message.Value] {
    // The catalog prints the advice on a separate line, so it needs its full stop.
    cause + [.sentence(.advice, advice.isEmpty ? "" : "\(advice).")]
  }

  var cause: [Message.Value] { [.text(.errorKind, code), .sentence(.reason, reason)] }
}

extension Person {
  /// In brackets behind a deed.
  var mark: String { " (\(Notice.shown(words)))" }
}

extension Person? {
  /// A user without a name has the number in its place.
  func fields(_ number: Field, _ name: Field) -> [Message.Value] {
    let digits = map { "\($0.number)" } ?? ""
    let words = map { $0.name.isEmpty ? digits : $0.name } ?? ""
    return [.text(number, digits), .text(name, words)]
  }

  var callerFields: [Message.Value] { fields(.callerNumber, .callerName) }
  var ownerFields: [Message.Value] { fields(.ownerNumber, .ownerName) }
}

extension ListFacts {
  var quoted: String { Notice.quoted(name) }

  var progress: String {
    "\(done) of \(Notice.counted(total, "photo")) filtered"
      + (failed == 0 ? "" : ", \(failed) failed")
  }

  /// The caller, if it is not the owner.
  var other: String { caller?.number == owner?.number ? "" : caller?.mark ?? "" }

  var fields: [Message.Value] {
    [
      .number(.listID, id.number), .text(.listName, name), .number(.listTotal, total),
      .number(.listDone, done), .number(.listFailed, failed),
      .text(.serviceClass, serviceClass.name),
    ] + owner.ownerFields
  }
}

extension PhotoFacts {
  /// The photo and its list.
  var named: String { "\(Notice.quoted(name)) of list \(Notice.quoted(listName))" }

  /// The size of the print, behind a colon.
  var size: String {
    guard let developed else { return "" }
    return ": \(developed.width) × \(developed.height) \(developed.format.name), "
      + Notice.counted(developed.size, "byte")
      + (developed.notices.words.isEmpty ? "" : ", without \(developed.notices.words)")
  }

  func deed(_ stage: Stage) -> String {
    switch stage {
    case .download: "download \(named)" + (host.isEmpty ? "" : " from \(Notice.shown(host))")
    case .filter: "filter \(named)"
    case .output: "write the print of \(named)"
    }
  }

  var fields: [Message.Value] {
    var fields: [Message.Value] = [
      .number(.listID, id.list.number), .text(.listName, listName),
      .number(.photoID, id.number), .text(.photoName, name),
      .text(.photoState, state.name), .text(.photoStateFrom, stateBefore.name),
      .text(.photoHost, host), .text(.serviceClass, serviceClass.name),
      .number(.attempt, attempt),
    ]
    if owner != nil { fields += owner.ownerFields }
    if let developed {
      fields += [
        .number(.photoBytes, developed.size), .number(.photoWidth, developed.width),
        .number(.photoHeight, developed.height), .text(.photoFormat, developed.format.name),
      ]
      let names = developed.notices.names
      if !names.isEmpty { fields.append(.text(.photoNotices, names.joined(separator: ","))) }
    }
    // The catalog entry of a finished photo names its print.
    if state == .filtered || print != nil { fields.append(.text(.photoPrint, print ?? "")) }
    if let httpStatus { fields.append(.number(.httpStatus, httpStatus)) }
    let spans: [(Field, Duration?)] = [
      (.downloadTime, times.download), (.filterTime, times.filter), (.outputTime, times.output),
      (.queuedTime, times.queued),
    ]
    for (field, span) in spans { if let span { fields.append(.time(field, span)) } }
    return fields
  }
}
