// SPDX-License-Identifier: Apache-2.0
// Answers the requests of a page. The judge decides about their form, the daemon about the view: each call for a page
// carries it. The secret in the address stands for the view, which never leaves this process. Pictures are named by numbers; the daemon opens their files, and this process opens none.
// Concurrency: immutable but for its book of views, which has a Mutex; each call runs on the thread of its connection.

import HTTP
import Linux
import Show
import Steer
import Synchronization
import Vocabulary

final class WebSheets: WebService {
  private static let patience = Duration.seconds(10)

  private let judge: RequestJudge
  private let socket: String
  private let clock = MachineTime()
  private let places: ViewerPlaces
  private let book = Mutex(ViewBook())

  init(judge: RequestJudge, socket: String, places: ViewerPlaces) {
    (self.judge, self.socket, self.places) = (judge, socket, places)
  }

  var crowd: WebAnswer { Self.notice(503, "Too many of your connections are busy.") }

  func caller(of request: WebRequest) -> UInt32? {
    PageRequest.read(request.target).flatMap { viewer($0.view)?.user }
  }

  func refusal(of request: WebRequest) -> WebAnswer? {
    judge.refusal(ofHead: request).map(Self.refuse)
  }

  func answer(_ request: WebRequest) -> WebAnswer {
    switch judge.judge(request) {
    case .refuse(let refusal): return Self.refuse(refusal)
    case .serve(let page, let secret):
      let viewer = viewer(secret)
      guard viewer != nil || page.list == nil else { return Self.refuse(.noView) }
      do throws(ControlFailure) { return try serve(page, viewer, request) } catch {
        return Self.failed(error)
      }
    }
  }

  private func serve(
    _ page: PageRequest, _ view: ViewBook.Viewer?, _ request: WebRequest
  ) throws(ControlFailure) -> WebAnswer {
    switch page {
    case .script: Self.text(PageScript.text, "text/javascript; charset=utf-8", lasting: true)
    case .style: Self.text(PageStyle.text, "text/css; charset=utf-8", lasting: true)
    case .icon: Self.text(PageText.icon, "image/svg+xml", lasting: true)
    case .redeem(let token): request.method == "HEAD" ? Self.unused : try redeem(token)
    case .page(let list): try self.page(list, view)
    case .states(let list, let offset): try states(list, view, from: offset)
    case .photos(let list, let offset, let count): try photos(list, view, from: offset, count)
    case .colours(let list, let groups): try colours(list, view, groups)
    case .find(let list, let text, let after): try find(list, view, text, after: after)
    case .events(let list, let since): events(list, view, since: since, request)
    case .thumbnail(let list, let number):
      try picture(
        PictureOrder(list: Self.reference(list), photo: number, isThumbnail: true), view, request)
    case .print(let list, let number):
      try picture(PictureOrder(list: Self.reference(list), photo: number), view, request)
    case .focus(let list): try focus(list, view, request)
    }
  }

  private func call<Method: ControlMethod>(
    _ call: Method, _ viewer: ViewBook.Viewer?
  ) throws(ControlFailure) -> Method.Answer {
    try places.call(for: viewer?.user) { () throws(ControlFailure) in
      try ControlClient(
        path: socket, clock: clock, patience: Self.patience, silence: Self.patience,
        view: viewer?.view
      ).call(call)
    }
  }

  private static func reference(_ list: UInt64) -> ListReference { ListReference("\(list)") }

  // MARK: pages

  private static let unkept = WebHeader("Cache-Control", "no-store")
  /// A program that looks at the address first must not use it up.
  private static var unused: WebAnswer { answer(204, [unkept]) }

  private func redeem(_ token: String) throws(ControlFailure) -> WebAnswer {
    let report = try call(RedeemOrder(token: token), nil)
    let secret: String?
    do throws(SystemError) { secret = try keep(report) } catch { return Self.answer(503) }
    guard let secret else { return Self.notice(503, "The pages of too many users are open.") }
    let path = PageText.path(of: report.list, view: secret)
    return WebAnswer(
      200,
      headers: PageText.doorSafety + [
        WebHeader("Content-Type", "text/html; charset=utf-8"), Self.unkept,
      ], body: .bytes(Array(PageText.door(to: path).utf8)))
  }

  private func viewer(_ secret: String) -> ViewBook.Viewer? {
    book.withLock { $0.viewer(secret, now: clock.uptime()) }
  }

  /// The secret of the new view; nil if there are too many.
  private func keep(_ report: RedeemReport) throws(SystemError) -> String? {
    let secret = String(hex: try ThisProcess.randomBytes(ViewBook.size))
    let viewer = ViewBook.Viewer(view: report.view, user: report.user)
    let isKept = book.withLock {
      $0.keep(viewer, as: secret, seconds: report.seconds, now: clock.uptime())
    }
    return isKept ? secret : nil
  }

  private func page(_ list: UInt64, _ view: ViewBook.Viewer?) throws(ControlFailure) -> WebAnswer {
    let report = try look(list, view, from: 0, 0)
    let head = PageText.Head(
      name: report.list.name, title: report.list.title, state: report.list.state,
      total: report.list.total, mayFocus: report.mayFocus && !report.list.isFinal)
    return Self.text(PageText.page(head), "text/html; charset=utf-8")
  }

  private func look(
    _ list: UInt64, _ view: ViewBook.Viewer?, from offset: UInt32, _ limit: UInt32
  ) throws(ControlFailure) -> StatesReport {
    try call(StatesOrder(list: Self.reference(list), offset: offset, limit: limit), view)
  }

  private func states(
    _ list: UInt64, _ view: ViewBook.Viewer?, from offset: UInt32
  ) throws(ControlFailure) -> WebAnswer {
    let report = try look(list, view, from: offset, StatesOrder.highestLimit)
    return Self.answer(
      200,
      [
        WebHeader("Content-Type", "application/octet-stream"),
        WebHeader("Cache-Control", "no-store"),
        WebHeader("Darkroom-Record", "\(report.record)"),
      ], .bytes(Array(report.states.utf8)))
  }

  private func photos(
    _ list: UInt64, _ view: ViewBook.Viewer?, from offset: UInt32, _ count: UInt32
  ) throws(ControlFailure) -> WebAnswer {
    var photos: [PageText.Photo] = []
    var rest: ShowOrder? = ShowOrder(list: Self.reference(list), offset: offset, limit: count)
    while let order = rest {
      let report = try call(order, view)
      photos += report.photos.map {
        PageText.Photo(number: $0.number, name: $0.name, reason: $0.reason)
      }
      rest = report.rest(of: order)
    }
    return Self.text(PageText.photos(photos), "application/json")
  }

  private func colours(
    _ list: UInt64, _ view: ViewBook.Viewer?, _ groups: UInt32
  ) throws(ControlFailure) -> WebAnswer {
    let report = try call(ColoursOrder(list: Self.reference(list), groups: groups), view)
    return Self.text(report.groups.joined(separator: ","), "text/plain")
  }

  /// The next photo with the text in its name; behind the last photo the search continues at the first.
  private func find(
    _ list: UInt64, _ view: ViewBook.Viewer?, _ text: String, after: UInt32
  ) throws(ControlFailure) -> WebAnswer {
    var order = FindOrder(list: Self.reference(list), text: text, after: after)
    var isAgain = after == 0
    while true {
      let report = try call(order, view)
      if let photo = report.photo { return Self.text(#"{"photo":\#(photo)}"#, "application/json") }
      if let more = report.more, more > order.after, !isAgain || more < after || after == 0 {
        order.after = more
      } else if isAgain {
        return Self.text("{}", "application/json")
      } else {
        (order.after, isAgain) = (0, true)
      }
    }
  }

  private func focus(
    _ list: UInt64, _ view: ViewBook.Viewer?, _ request: WebRequest
  ) throws(ControlFailure) -> WebAnswer {
    guard let wish = FocusWish(request.body) else { return Self.refuse(.badRequest) }
    let reference = Self.reference(list)
    let order: any ControlMethod<FocusReport> =
      wish.photos.isEmpty
      ? UnfocusOrder(list: reference, viewer: wish.viewer)
      : FocusOrder(list: reference, photos: wish.words, viewer: wish.viewer, seconds: 15)
    do throws(ControlFailure) {
      _ = try call(order, view)
    } catch {
      // A list that is not at work, or has just ended, has no photo to put first: the page cannot know that yet.
      guard case .refused(.notPossible) = error else { throw error }
    }
    return Self.answer(204)
  }

  private func events(
    _ list: UInt64, _ view: ViewBook.Viewer?, since: UInt64, _ request: WebRequest
  ) -> WebAnswer {
    guard let view, let place = places.stream(for: view.user) else {
      return Self.answer(503, [WebHeader("Retry-After", "10")])
    }
    let last = request.values("last-event-id").first.flatMap { UInt64($0) }
    let stream = EventStream(
      list: Self.reference(list), view: view.view, after: last ?? since, socket: socket,
      place: place)
    return Self.answer(
      200,
      [
        WebHeader("Content-Type", "text/event-stream"), WebHeader("Cache-Control", "no-store"),
        // nginx passes each event on at once.
        WebHeader("X-Accel-Buffering", "no"),
      ], .stream(stream))
  }

  // MARK: pictures

  private func picture(
    _ order: PictureOrder, _ view: ViewBook.Viewer?, _ request: WebRequest
  ) throws(ControlFailure) -> WebAnswer {
    let report = try call(order, view)
    guard let type = report.type, let file = report.openFile, let status = try? file.status() else {
      return Self.refuse(.notFound)
    }
    let tag = "\"\(status.inode)-\(status.size)-\(status.modified)\""
    let headers = [
      WebHeader("ETag", tag), WebHeader("Cache-Control", "private, no-cache"),
      WebHeader("Content-Type", type),
    ]
    if request.values("if-none-match").contains(tag) { return Self.answer(304, headers) }
    return Self.answer(200, headers, .file(file, size: status.size))
  }

  // MARK: answers

  private static func answer(
    _ status: UInt32, _ headers: [WebHeader] = [], _ body: WebAnswer.Body = .bytes([])
  ) -> WebAnswer {
    WebAnswer(status, headers: PageText.safety + headers, body: body)
  }

  private static func text(_ text: String, _ type: String, lasting: Bool = false) -> WebAnswer {
    answer(
      200,
      [
        WebHeader("Content-Type", type),
        WebHeader("Cache-Control", lasting ? "private, max-age=60" : "no-store"),
      ], .bytes(Array(text.utf8)))
  }

  /// It ends the connection: a client that is refused holds no place among those that are served.
  private static func notice(_ status: UInt32, _ words: String) -> WebAnswer {
    answer(
      status,
      [
        WebHeader("Content-Type", "text/html; charset=utf-8"), WebHeader("Connection", "close"),
        WebHeader("Cache-Control", "no-store"),
      ], .bytes(Array(PageText.notice(words).utf8)))
  }

  private static func refuse(_ refusal: RequestJudge.Refusal) -> WebAnswer {
    notice(refusal.rawValue, refusal.words)
  }

  private static func failed(_ failure: ControlFailure) -> WebAnswer {
    switch failure {
    case .refused(.permissionDenied(let why)): notice(401, why)
    case .refused(.noSuchList): refuse(.notFound)
    case .refused(.notPossible(let why)): notice(409, why)
    case .refused: refuse(.badRequest)
    default: notice(503, "darkroomd does not answer.")
    }
  }
}
