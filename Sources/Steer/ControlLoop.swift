// SPDX-License-Identifier: Apache-2.0
// The loop of the control socket: accepts callers, reads messages, passes them to the desk, writes
// replies. It belongs to one task of the reactor and is never shared; it parses nothing, because all callers and all
// other loops of the reactor wait for it. Its wait has a time-out only for a caller's deadline, a pause in accepting, or
// the stop.

internal import Linux
internal import Vocabulary

struct ControlLoop: ~Copyable {
  private struct Client {
    let socket: StreamSocket
    let peer: ControlPeer
    var session: ControlSession
    var task: Task<Void, Never>?
    var taken: Reply<Bool>?
    /// Given when its call has room for a reply.
    var room: Reply<Bool>?
    /// Goes with the next bytes.
    var file: LinuxFile?
  }

  /// Root and the daemon's user, who have places and room beyond the limits.
  private static let keepers = ThisProcess.keepers

  private let listener: ListeningSocket
  private let mailbox: Mailbox<ControlServer.Letter>
  private let desk: CallDesk
  private let clock: any Timekeeper
  private let limits: ControlLimits
  private var room: ReplyRoom
  private var clients: [UInt64: Client] = [:]
  private var lastClient: UInt64 = 0
  /// Set when accepting failed, as without descriptors: no caller is accepted before then.
  private var restsUntil: Duration?
  /// Set by the stop: no caller is accepted any more, and the loop ends at the latest then.
  private var farewell: Duration?

  init(
    listener: ListeningSocket, mailbox: Mailbox<ControlServer.Letter>, desk: CallDesk,
    clock: any Timekeeper, limits: ControlLimits
  ) {
    self.listener = listener
    self.mailbox = mailbox
    self.desk = desk
    self.clock = clock
    self.limits = limits
    room = ReplyRoom(limits: limits, keepers: Self.keepers)
  }

  /// Runs until the mailbox brings the stop and the last reply is delivered, or `farewell` has passed.
  mutating func run(on reactor: Reactor) async {
    while true {
      for letter in mailbox.takeAll() {
        switch letter {
        case .reply(let piece): deliver(piece)
        case .parsed(let number, let message, let answer):
          answer.give(took(message, from: number))
        case .room(let number, let bytes, let answer): askRoom(number, bytes, answer)
        case .stop: farewell = farewell ?? clock.uptime() + limits.farewell
        }
      }
      if let farewell, isFarewellOver(farewell) { return }
      expire()
      admit()
      await wait(on: reactor)
    }
  }

  /// Drops idle callers at once. True when no caller is left or the time is over; until then, pending
  /// replies still reach their callers.
  private mutating func isFarewellOver(_ until: Duration) -> Bool {
    for (number, client) in clients where client.task == nil && !client.session.hasOutput {
      drop(number)
    }
    return clients.isEmpty || until <= clock.uptime()
  }

  mutating func closeAll() {
    for client in clients.keys { drop(client) }
  }

  // MARK: Waiting

  private mutating func wait(on reactor: Reactor) async {
    let now = clock.uptime()
    if let until = restsUntil, until <= now { restsUntil = nil }
    let present = clients.filter { !$0.value.session.isGone }
    var watches = [Poll.Watch(mailbox.descriptor)]
    if restsUntil == nil, farewell == nil { watches.append(Poll.Watch(listener.descriptor)) }
    let heads = watches.count
    let numbers = Array(present.keys)
    for number in numbers {
      guard let client = present[number] else { continue }
      // A watch for urgent data alone, which never comes here, reports hang-ups only.
      watches.append(
        Poll.Watch(
          client.socket.descriptor, wantsWrite: client.session.hasOutput,
          wantsPriority: !client.session.wantsInput))
    }
    let deadlines = present.values.compactMap { deadline(of: $0.session) }
    let next = (deadlines + [restsUntil, farewell].compactMap { $0 }).min()
    watches = await reactor.ready(watches, for: next.map { max(.zero, $0 - now) })
    for (number, watch) in zip(numbers, watches[heads...]) { tend(number, watch) }
    if heads == 2, watches[1].isReadable { welcome() }
  }

  private mutating func tend(_ number: UInt64, _ watch: Poll.Watch) {
    guard watch.isReadable || watch.isWritable || watch.isClosed else { return }
    if watch.isClosed { leave(number) }
    pump(number)
  }

  /// Drops callers whose deadline has passed.
  private mutating func expire() {
    let now = clock.uptime()
    for (number, client) in clients {
      guard let deadline = deadline(of: client.session) else { continue }
      if deadline <= now { drop(number) }
    }
  }

  private func deadline(of session: ControlSession) -> Duration? {
    session.deadline(patience: limits.patience, idle: limits.idle)
  }

  // MARK: Accepting

  private mutating func welcome() {
    while true {
      do {
        guard let socket = try listener.accept() else { return }
        let peer = ControlPeer(try socket.peer())
        switch verdict(on: peer) {
        case .free: break
        case .insteadOf(let number): drop(number)
        case .refused(let why):
          _ = try? socket.send(ControlAnswer(.failed(.notPossible(why: why))).bytes[...])
          continue
        }
        lastClient += 1
        let session = ControlSession(requestLimit: limits.request, at: clock.uptime())
        clients[lastClient] = Client(socket: socket, peer: peer, session: session)
      } catch {
        restsUntil = clock.uptime() + .seconds(1)
        return
      }
    }
  }

  private func verdict(on peer: ControlPeer) -> ControlPlaces.Verdict {
    ControlPlaces(limits: limits, keepers: Self.keepers).verdict(
      on: peer.user,
      among: clients.map {
        .init(number: $0.key, user: $0.value.peer.user, idleSince: $0.value.session.idleSince)
      })
  }

  // MARK: One caller

  /// Serves one caller as far as possible. Reads once a turn, so that no other caller waits. A caller that
  /// has left is read to its first request, because no poll reports it again.
  private mutating func pump(_ number: UInt64) {
    repeat {
      serve(number)
      guard let client = clients[number] else { return }
      if client.session.isOver { return drop(number) }
      guard client.session.wantsInput else { return }
      guard let bytes = try? client.socket.receive(upTo: 65536) else {
        guard client.session.isGone else { return }
        // The connection of a caller that left replies unread ends with an error.
        clients[number]?.session.end()
        break
      }
      if bytes.isEmpty {
        clients[number]?.session.end()
      } else {
        clients[number]?.session.receive(bytes, at: clock.uptime())
      }
      serve(number)
    } while clients[number]?.session.isGone ?? false
    if clients[number]?.session.isOver ?? false { drop(number) }
  }

  private mutating func serve(_ number: UInt64) {
    while true {
      flush(number)
      let now = clock.uptime()
      guard let message = clients[number]?.session.nextMessage(at: now) else { break }
      begin(number, message)
    }
    flush(number)
  }

  private mutating func begin(_ number: UInt64, _ message: [UInt8]) {
    guard let peer = clients[number]?.peer else { return }
    let line = ReplyLine(client: number, mailbox: mailbox, limits: limits)
    clients[number]?.task = TaskHome.calls(of: peer.user).start { [desk] in
      await desk.serve(message, from: peer, line)
    }
  }

  /// True if the message is to be served.
  private mutating func took(
    _ message: Result<ControlSession.Terms, BadMessage>, from number: UInt64
  ) -> Bool {
    guard clients[number] != nil else {
      // A change is made even if its caller has left.
      if case .success(let terms) = message { return !terms.endsWithCaller }
      return false
    }
    switch message {
    case .success(let terms):
      if clients[number]?.session.begin(terms) == true { return true }
    case .failure(let bad): clients[number]?.session.refuse(bad.why, at: clock.uptime())
    }
    clients[number]?.task = nil
    pump(number)
    return false
  }

  private mutating func deliver(_ letter: ReplyLine.Piece) {
    guard let client = clients[letter.client] else {
      letter.taken?.give(false)
      return
    }
    clients[letter.client]?.session.answer(
      letter.bytes, isLast: letter.isLast, at: clock.uptime())
    if client.session.isGone {
      letter.taken?.give(false)
    } else {
      clients[letter.client]?.taken = letter.taken
    }
    if clients[letter.client]?.session.hasOutput == true {
      clients[letter.client]?.file = letter.file
    }
    if letter.isLast { clients[letter.client]?.task = nil }
    pump(letter.client)
  }

  private mutating func askRoom(_ number: UInt64, _ bytes: Int, _ answer: Reply<Bool>) {
    guard let client = clients[number], !client.session.isGone else { return answer.give(false) }
    clients[number]?.room = answer
    room.add(ReplyRoom.Wait(number: number, user: client.peer.user, bytes: bytes))
  }

  /// Lets the calls go on whose users have room for another reply.
  private mutating func admit() {
    if room.isEmpty { return }
    let held = clients.values.reduce(into: [:]) { $0[$1.peer.user, default: 0] += $1.session.held }
    for wait in room.admit(beside: held) {
      clients[wait.number]?.session.reserve(wait.bytes)
      clients[wait.number]?.room.take()?.give(true)
    }
  }

  private mutating func flush(_ number: UInt64) {
    while let client = clients[number], client.session.hasOutput {
      // The kernel keeps a file until it is read: a caller that reads nothing would collect them.
      if client.file != nil, client.socket.hasUnread { return leave(number) }
      guard let count = try? client.socket.send(client.session.unwritten, beside: client.file)
      else { return leave(number) }
      if count == 0 { return }
      clients[number]?.file = nil
      clients[number]?.session.wrote(count, at: clock.uptime())
    }
    release(number, true)
  }

  /// Tells a stream whether its reply was taken or the caller has left.
  private mutating func release(_ number: UInt64, _ isTaken: Bool) {
    guard let taken = clients[number]?.taken else { return }
    clients[number]?.taken = nil
    taken.give(isTaken)
  }

  /// The caller has left: a call that changes nothing is cancelled, a change is completed, and the requests that wait
  /// are dropped.
  private mutating func leave(_ number: UInt64) {
    guard let client = clients[number], !client.session.isGone else { return }
    clients[number]?.session.leave()
    if client.session.endsWithCaller { client.task?.cancel() }
    release(number, false)
    room.remove(number)
    clients[number]?.room.take()?.give(false)
  }

  private mutating func drop(_ number: UInt64) {
    leave(number)
    clients[number] = nil
  }
}
