// SPDX-License-Identifier: Apache-2.0
// Requests, replies and errors: both ends agree on them, and the interface description is complete.

import Steer
import Testing
import Vocabulary

struct MessageTests {
  static let calls: [any ControlMethod] = [
    StatusOrder(), ListsOrder(), InboxOrder(), ReloadOrder(), SettingsOrder(),
    PauseOrder(list: ListReference("17")),
    ResumeOrder(list: ListReference("summer")),
    CancelOrder(list: ListReference("summer.plist")), RemoveOrder(list: ListReference("summer")),
    RemoveOrder(list: ListReference("17"), spare: true), SheetOrder(list: ListReference("summer")),
    RetryOrder(list: ListReference("17"), photos: ["3", "5-7"]),
    SetQualityOrder(list: ListReference("17"), level: .userInteractive),
    FocusOrder(list: ListReference("17")),
    FocusOrder(
      list: ListReference("summer"), photos: ["3", "10-20", "Barn"], viewer: "page 7", seconds: 15
    ),
    WhyOrder(list: ListReference("17")),
    WhyOrder(list: ListReference("17"), photo: "Mill"),
    UnfocusOrder(list: ListReference("17")),
    UnfocusOrder(list: ListReference("17"), viewer: "page 7"),
    ShowOrder(list: ListReference("17")),
    FlushOrder(host: nil), FlushOrder(host: "photos.example.org:8080"),
    ShowOrder(list: ListReference("x"), offset: 7, limit: 1000, state: .failed),
    WatchOrder(), WatchOrder(list: ListReference("summer")), CacheOrder(clear: false),
    CacheOrder(clear: true), MetricsOrder(), FollowOrder(),
    FollowOrder(list: ListReference("17"), since: 38_211), OpenOrder(list: ListReference("summer")),
    RedeemOrder(token: Samples.token), StatesOrder(list: ListReference("17")),
    StatesOrder(list: ListReference("17"), offset: 5, limit: 0),
    FindOrder(list: ListReference("17"), text: "Barn", after: 9),
    PictureOrder(list: ListReference("17"), photo: 3),
    PictureOrder(list: ListReference("17"), photo: 3, isThumbnail: true),
    ForecastOrder(keepLists: .seconds(86_400), keepPrints: nil),
    ForecastOrder(keepLists: .seconds(1), keepPrints: .milliseconds(1500)),
    AgedOrder(age: .seconds(86_400)), NodesOrder(), DrainOrder(node: "beta"),
    DrainOrder(node: "beta", isOff: true),
    DrainOrder(node: "beta", isNow: true),
    ColoursOrder(list: ListReference("17"), groups: 2048),
  ]

  @Test("a call arrives as it was sent", arguments: calls)
  func call(call: any ControlMethod) throws {
    let request = try ControlRequest(reading: Array(ControlRequest(call).bytes.dropLast()))
    #expect(request.method == "io.darkroom.Control.\(type(of: call).name)")
    let isSame = try isCall(call, in: request.parameters)
    #expect(isSame)
  }

  private func isCall<Method: ControlMethod>(
    _ call: Method, in parameters: JSONObject
  ) throws -> Bool {
    try Method(request: parameters) == call
  }

  private static let waitingStatus: StatusReport = {
    var status = Samples.status
    status.cluster = Samples.waiting
    (status.expiring, status.pictureRefusal) = (["a print"], "no room")
    return status
  }()

  static let replies: [any MessageValue] = [
    StatusReply(Samples.status),
    ListsReply([]),
    ListsReply([Samples.list, Samples.list]),
    InboxReply(Samples.inbox),
    InboxReply(InboxReport()),
    ShowReport(list: Samples.list, photos: Samples.photos, more: 3),
    ShowReport(list: Samples.list),
    ListReply(Samples.list),
    SheetReport(page: "/prints/summer/index.html", pages: 3, thumbnails: 7),
    FollowReport(last: 7),
    FollowReport(
      steps: [
        FollowStep(record: 8, time: 5, list: 17, state: "running"),
        FollowStep(record: 9, time: 6, list: 17, photo: 3, state: "filtered"),
      ], last: 9, missed: true),
    OpenReport(list: Samples.list, token: Samples.token),
    RedeemReport(list: 17, user: 1000, view: Samples.view, seconds: 86_400),
    StatesReport(list: Samples.list, record: 7),
    StatesReport(list: Samples.list, record: 7, states: "0123", mayFocus: true),
    FindReport(photo: 3),
    FindReport(more: 100_000),
    FindReport(),
    PictureReport(),
    PictureReport(type: "image/png"),
    ColoursReport(groups: [String(repeating: "ab9", count: 12), ""]),
    WhyReport(list: Samples.list, wait: Samples.waits[0], groups: Samples.waits),
    Samples.focus,
    FocusReport(list: Samples.list),
    Samples.watch,
    WatchReport(),
    CacheReply(Samples.cache),
    Samples.metrics,
    SettingsReply(Samples.settings),
    SettingsReply([]),
    FlushReply(3),
    Samples.nodes,
    NodeReply(Samples.nodes.nodes[1]),
    StatusReply(waitingStatus),
    NotesReply(["Workers= changes at the next start"]),
    ListsReply([Samples.list]),
    NotesReply(["KeepPrints= sets 3 prints of 1 user in 1 list aside"]),
  ]

  @Test("a reply arrives as it was sent", arguments: replies)
  func reply(reply: any MessageValue) throws {
    let sent = ControlAnswer(.answer(reply), continues: true)
    let answer = try ControlAnswer(reading: Array(sent.bytes.dropLast()))
    #expect(answer.continues)
    let isSame = try isReply(reply, in: answer.parameters)
    #expect(isSame)
  }

  private func isReply<Message: MessageValue>(
    _ reply: Message, in parameters: JSONObject
  ) throws -> Bool {
    try Message(parameters) == reply
  }

  static let errors: [ControlError] = [
    .noSuchList(name: "x"), .noSuchList(name: "x", near: "y"),
    .noSuchList(name: "x", home: "b"), .noSuchList(name: "x", near: "y", home: "b"),
    .listRejected(name: "x", why: "y"),
    .ambiguousList(name: "x", ids: [3, 5]),
    .permissionDenied(why: "it is another's"), .notPossible(why: "it is finished"),
    .reloadFailed(why: "line 3"), .interfaceNotFound("a.b"), .methodNotFound("Fly"),
    .methodNotImplemented("Why"), .invalidParameter("limit"), .expectedMore,
    .unknown("io.darkroom.Control.Later"),
  ]

  @Test("an error arrives as it was sent, and is one line of words", arguments: errors)
  func error(error: ControlError) throws {
    let sent = ControlAnswer(.failed(error))
    let answer = try ControlAnswer(reading: Array(sent.bytes.dropLast()))
    #expect(ControlError(name: answer.error ?? "", parameters: answer.parameters) == error)
    #expect(!error.description.isEmpty && !error.description.contains("\n"))
  }

  @Test(
    "a message that is not a request is refused with the reason",
    arguments: [
      ("[]", "it is not a JSON object"), ("{}", "it does not name a method"),
      ("{\"method\":\"a\",\"parameters\":1}", "its parameters are not an object"),
      ("{\"method\":\"a\",\"more\":1}", "its 'more' is neither true nor false"),
      ("{", "it is not valid JSON: it ends too early (byte 1)"),
    ])
  func badRequest(text: String, why: String) {
    #expect(throws: BadMessage(why: why)) { try ControlRequest(reading: Array(text.utf8)) }
  }

  @Test(
    "parameters that are missing or wrong are named",
    arguments: [
      (PauseOrder.self, JSONObject(), "list"),
      (ShowOrder.self, JSONObject(["list": "a", "limit": 1001]), "limit"),
      (ShowOrder.self, JSONObject(["list": "a", "offset": -1]), "offset"),
      (ShowOrder.self, JSONObject(["list": "a", "state": "lost"]), "state"),
      (CancelOrder.self, JSONObject(["list": 17]), "list"), (RetryOrder.self, JSONObject(), "list"),
      (WatchOrder.self, JSONObject(["list": 17]), "list"),
      (CacheOrder.self, JSONObject(["clear": "yes"]), "clear"),
    ] as [(any ControlMethod.Type, JSONObject, String)])
  func badParameter(method: any ControlMethod.Type, parameters: JSONObject, name: String) {
    #expect(throws: ControlError.invalidParameter(name)) {
      _ = try method.init(request: parameters)
    }
  }

  @Test(
    "a member of another type than asked for is named",
    arguments: [
      JSONObject(), JSONObject(["a": .null]), JSONObject(["a": .string("x")]),
      JSONObject(["a": .array([.bool(true)])]), JSONObject(["a": .array([.double(0.5)])]),
      JSONObject(["a": .array([.array([])])]), JSONObject(["a": .int(-1)]),
    ])
  func badMember(members: JSONObject) {
    let json = members["a"] ?? .null
    func read<Part: MessagePart>(_ kind: Part.Type) -> BadMessage? {
      #expect(throws: BadMessage.self) { _ = try Part(json, of: "a", .max) }
    }
    let errors = [
      read([String].self), read([UInt32].self), read([ListSummary].self), read(ListSummary.self),
      read(UInt32.self),
    ]
    #expect(errors.allSatisfy { $0?.member == "a" })
  }

  @Test
  func `the texts of a request have at most 255 bytes, wherever they stand`() throws {
    let (fits, long) = (String(repeating: "x", count: 255), String(repeating: "x", count: 256))
    for (name, call) in [
      ("list", { ShowOrder(list: ListReference($0)) }), ("token", { RedeemOrder(token: $0) }),
      ("host", { FlushOrder(host: $0) }),
      ("viewer", { UnfocusOrder(list: ListReference("1"), viewer: $0) }),
      ("photo", { WhyOrder(list: ListReference("1"), photo: $0) }),
      ("photos", { RetryOrder(list: ListReference("1"), photos: ["1", $0]) }),
      ("text", { FindOrder(list: ListReference("1"), text: $0) }),
    ] as [(String, (String) -> any ControlMethod)] {
      let (short, tooLong) = (call(fits), call(long))
      let isSame = try isCall(short, in: short.object)
      #expect(isSame)
      #expect(throws: ControlError.invalidParameter(name)) {
        _ = try type(of: tooLong).init(request: tooLong.object)
      }
    }
    // Those of a reply may be longer.
    let reply = NotesReply([long])
    #expect(try NotesReply(reply.object) == reply)
  }

  @Test
  func `a message with a name or a method that is too long is refused`() throws {
    func read(_ text: String) throws { _ = try ControlRequest(reading: Array(text.utf8)) }
    let name = String(repeating: "n", count: 64)
    #expect(throws: Never.self) { try read("{\"method\":\"a.b\",\"\(name)\":1}") }
    #expect(throws: BadMessage(why: "it is not valid JSON: the name is too long (byte 16)")) {
      try read("{\"method\":\"a.b\",\"\(name)n\":1}")
    }
    let method = String(repeating: "m", count: 256)
    #expect(throws: BadMessage(why: "the name of its method is too long")) {
      try read("{\"method\":\"\(method)\"}")
    }
  }

  @Test
  func `members whose names look alike are two`() throws {
    let names = (0..<20).map { "\"\($0)\":0," }.joined()
    for head in ["", names] {
      let object = try JSONReader.read(
        Array("{\(head)\"caf\u{E9}\":1,\"cafe\u{301}\":2}".utf8)
      ).object
      #expect(object?["caf\u{E9}"] == 1 && object?["cafe\u{301}"] == 2)
      #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
    }
  }

  @Test
  func `a damaged message is read or refused, and never stops the reader`() {
    var seed: UInt64 = 0x9E37_79B9_7F4A_7C15
    func next(_ bound: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % bound
    }
    let signs = Array("{}[]\",:\\u0d8eE-+. \0\u{7f}é".utf8)
    let messages =
      Self.calls.map { ControlRequest($0, more: true).bytes }
      + Self.replies.map { ControlAnswer(.answer($0)).bytes }
    for _ in 0..<3000 {
      var bytes = Array(messages[next(messages.count)].dropLast())
      for _ in 0...next(4) {
        switch next(3) {
        case 0: bytes[next(bytes.count)] = signs[next(signs.count)]
        case 1: bytes.insert(signs[next(signs.count)], at: next(bytes.count))
        default: bytes.remove(at: next(bytes.count))
        }
      }
      if let request = try? ControlRequest(reading: bytes) {
        _ = try? ShowOrder(request: request.parameters)
      }
      if let answer = try? ControlAnswer(reading: bytes) {
        for reply in Self.replies { _ = try? isReply(reply, in: answer.parameters) }
      }
    }
  }

  @Test
  func `every method, error and field that is served is in the interface description`() throws {
    let text = try #require(ControlInterface.description(of: ControlInterface.name))
    let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
    func has(_ start: String) -> Bool { lines.contains { $0.hasPrefix(start) } }
    for method in ControlInterface.methods {
      #expect(has("method \(method.name)("), "\(method)")
    }
    for name in ControlInterface.reserved { #expect(!has("method \(name)("), "\(name)") }
    for error in Self.errors where error.name.hasPrefix("\(ControlInterface.name).") {
      if case .unknown = error { continue }
      let fields = error.parameters.members.map(\.name)
      let name = error.name.split(separator: ".").last ?? ""
      let line = lines.first { $0.hasPrefix("error \(name) (") } ?? ""
      for field in fields { #expect(line.contains("\(field): "), "\(error.name) \(field)") }
    }
    for object in [
      Samples.status.object, Samples.list.object, Samples.photos[0].object, Samples.waits[0].object,
    ] {
      for member in object.members { #expect(has("\(member.name): "), "\(member.name)") }
    }
    for state in ListState.allCases { #expect(text.contains(state.name)) }
    for state in SeenState.allCases { #expect(text.contains(state.name)) }
    for level in ServiceClass.allCases { #expect(text.contains(level.name)) }
  }

  @Test
  func `each method has a call here, and the description names those of pages`() throws {
    #expect(
      Set(Self.calls.map { type(of: $0).name }) == Set(ControlInterface.methods.map { $0.name }))
    let pages = ["Show", "Follow", "Focus", "Unfocus", "States", "Colours", "Find", "Picture"]
    #expect(Set(Self.calls.filter { $0.viewed != nil }.map { type(of: $0).name }) == Set(pages))
    let text = try #require(ControlInterface.description(of: ControlInterface.name))
    let words = text.split { $0.isWhitespace || $0 == "#" }.joined(separator: " ")
    #expect(words.contains("may call \(pages.dropLast().joined(separator: ", ")) and Picture. "))
  }

  @Test(
    "a reference means a number, the only unfinished list of a name, or its newest list",
    arguments: [
      ("3", Result<UInt64, ControlError>.success(3)), ("summer", .success(2)),
      ("summer.plist", .success(2)), ("winter", .success(5)), ("7", .success(6)),
      ("spring", .failure(.noSuchList(name: "spring"))),
      ("zoo", .failure(.ambiguousList(name: "zoo", ids: [7_000, 8_000]))),
      ("Summer", .success(2)), ("WINTER.plist", .success(5)), ("win*", .success(5)),
      ("?oo", .failure(.ambiguousList(name: "?oo", ids: [7_000, 8_000]))),
      ("*er", .failure(.ambiguousList(name: "*er", ids: [3, 5]))), ("s*m*r", .success(2)),
      ("sumer", .failure(.noSuchList(name: "sumer", near: "summer"))),
      ("x*", .failure(.noSuchList(name: "x*"))), ("B?R*G", .success(9)), ("b?rg", .success(9)),
      ("b??rg", .failure(.noSuchList(name: "b??rg"))), ("*b\u{FC}*", .success(9)),
      ("bu\u{308}rg", .failure(.noSuchList(name: "bu\u{308}rg"))), ("*r?", .success(9)),
      ("sumer?", .failure(.noSuchList(name: "sumer?"))),
      ("70", .failure(.noSuchList(name: "70"))),
      ("99999999999999999999", .failure(.noSuchList(name: "99999999999999999999"))),
    ])
  func reference(text: String, chosen: Result<UInt64, ControlError>) {
    let lists: [ListReference.Candidate] = [
      (1, "summer", 1000, true), (2, "summer", 1000, false), (3, "summer", 1000, true),
      (4, "winter", 1000, true), (5, "winter", 1000, true), (6, "7", 1000, false),
      (8_000, "zoo", 1000, false), (7_000, "zoo", 1000, false), (9, "B\u{FC}rg", 1000, true),
    ]
    for caller: UInt32 in [0, 1000, 1001] {
      let result = Result { () throws(ControlError) in
        try ListReference(text).choose(among: lists, for: caller)
      }
      #expect(result == chosen, "\(caller)")
    }
  }

  @Test(
    "a name that the caller's lists have means none of another user's, but for root",
    arguments: [
      ("barn", 1), ("Barn", 1), ("bar?", 1), ("3", 3), ("cow", 4), ("c*", 4), ("4", 4), ("b*n", 1),
    ])
  func ownNames(text: String, chosen: UInt64) throws {
    // User 1001 has given the names of user 1000, a pattern and other cases to later lists.
    let lists: [ListReference.Candidate] = [
      (1, "barn", 1000, false), (2, "barn", 1001, false), (3, "Barn", 1001, true),
      (4, "cow", 1001, false), (5, "bar?", 1001, false), (6, "bern", 1001, true),
    ]
    #expect(try ListReference(text).choose(among: lists, for: 1000) == chosen)
    #expect(try ListReference("barn").choose(among: lists, for: 1001) == 2)
    #expect(throws: ControlError.ambiguousList(name: "barn", ids: [1, 2])) {
      try ListReference("barn").choose(among: lists, for: 0)
    }
  }

  @Test(
    "what cannot be taken back needs the exact name, of one user alone, or the number",
    arguments: [
      ("barn", 1000, .success(1)), ("barn.plist", 1000, .success(1)), ("2", 1000, .success(2)),
      ("cow", 0, .success(4)),
      ("barn", 0, .failure(.ambiguousList(name: "barn", ids: [2, 3]))),
      ("BARN", 1000, .failure(.noSuchList(name: "BARN", near: "barn"))),
      ("c?w", 0, .failure(.noSuchList(name: "c?w", near: "cow"))),
    ] as [(String, UInt32, Result<UInt64, ControlError>)])
  func exactly(text: String, caller: UInt32, chosen: Result<UInt64, ControlError>) {
    let lists: [ListReference.Candidate] = [
      (1, "barn", 1000, false), (2, "barn", 1001, true), (3, "barn", 1000, true),
      (4, "cow", 1001, true),
    ]
    let result = Result { () throws(ControlError) in
      try ListReference(text).chooseExactly(among: lists, for: caller)
    }
    #expect(result == chosen)
  }

  @Test
  func `a list is changed by its owner and root, settings by root and the daemon's user`() {
    let (root, anna, bert) = (Samples.peer(0), Samples.peer(1000), Samples.peer(1001))
    #expect(root.mayChange(listOf: 1000) && anna.mayChange(listOf: 1000))
    #expect(!bert.mayChange(listOf: 1000))
    #expect(root.mayReload(daemonOf: 1000) && anna.mayReload(daemonOf: 1000))
    #expect(!bert.mayReload(daemonOf: 1000))
  }

  @Test func `the page behind another begins where that one ends, inside the list`() {
    var report = ShowReport(list: Samples.list)
    var order = ShowOrder(list: ListReference("17"), offset: 20, limit: 50)
    #expect(report.page(behind: order)?.offset == 70)
    order.offset = 50
    #expect(report.page(behind: order) == nil)
    report.list.total = .max
    order.offset = .max - 10
    #expect(report.page(behind: order) == nil)
  }

  @Test func `the rest of a page that ended early ends where the page would have ended`() {
    var report = ShowReport(list: Samples.list)
    var order = ShowOrder(list: ListReference("summer"), offset: 20, limit: 50)
    #expect(report.rest(of: order) == nil, "the list has no more")
    report.more = 70
    #expect(report.rest(of: order) == nil)
    report.more = 31
    #expect(
      report.rest(of: order) == ShowOrder(list: ListReference("17"), offset: 31, limit: 39))
    report.more = 20
    #expect(report.rest(of: order) == nil, "an answer without progress")
    report.more = 31
    order.state = .failed
    #expect(report.rest(of: order) == nil, "a page of a state ends anywhere")
  }
}
