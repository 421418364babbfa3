// SPDX-License-Identifier: Apache-2.0
// What people see of the lists in a simulated world: their requests, the answers and the messages. Each is
// judged by the states that the record has had. It survives a crash; the open questions do not.

import Vocabulary

@testable import darkroomd

struct ListWitness {
  private struct Question {
    let list: ListID
    let ask: ListLife.Ask
    /// How many states and classes the list had had.
    let states: Int
    let classes: Int
  }

  /// All states of each list, in their order.
  private var states: [ListID: [ListState]] = [:]
  private var classes: [ListID: [ServiceClass]] = [:]
  private var questions: [UInt64: Question] = [:]
  private var lastQuestion: UInt64 = 0
  /// Lists of which a change could not be recorded, and why.
  private var refused: [ListID: Failure] = [:]
  /// Lists whose cancel was answered: nothing of them may ever run again.
  private(set) var still: Set<ListID> = []
  /// How often each request was granted.
  private(set) var granted: [ListLife.Ask: Int] = [:]

  var openQuestions: Int { questions.count }

  mutating func asked(_ ask: ListLife.Ask, of list: ListID) -> UInt64 {
    lastQuestion += 1
    questions[lastQuestion] = Question(
      list: list, ask: ask, states: max(1, states[list]?.count ?? 0),
      classes: max(1, classes[list]?.count ?? 0))
    return lastQuestion
  }

  mutating func recorded(_ state: ListState, _ serviceClass: ServiceClass, of list: ListID) {
    if classes[list]?.last != serviceClass { classes[list, default: []].append(serviceClass) }
    if states[list]?.last != state { states[list, default: []].append(state) }
  }

  mutating func refused(_ list: ListID, _ failure: Failure) { refused[list] = failure }

  /// The daemon has ended. Nobody waits for an answer any more.
  mutating func restarted() { (questions, refused) = ([:], [:]) }

  /// The violation in an answer; nil if there is none.
  mutating func answered(_ number: UInt64, _ failure: Failure?, isStopping: Bool) -> String? {
    guard let question = questions.removeValue(forKey: number) else {
      return "question \(number) is answered twice"
    }
    if failure == nil {
      granted[question.ask, default: 0] += 1
      if question.ask == .cancel { still.insert(question.list) }
    }
    let state = states[question.list]?.last
    let isRight =
      switch failure {
      case nil: isGranted(question)
      case OpenList.over: state?.isFinal == true
      case .cancelled: isStopping
      // No other failure is raised by a record.
      case let failure?: failure == refused[question.list]
      }
    return isRight
      ? nil : "\(question) is answered \(failure as Any), and the state is \(state as Any)"
  }

  /// The list was in the wanted state when the request came, or later.
  private func isGranted(_ question: Question) -> Bool {
    let states = states[question.list, default: []].dropFirst(question.states - 1)
    return switch question.ask {
    case .cancel: states.contains(.cancelled)
    case .pause: states.contains(.paused)
    case .resume: states.contains(.running) || states.contains(.accepted)
    case .quality(let serviceClass):
      classes[question.list, default: []].dropFirst(question.classes - 1).contains(serviceClass)
    }
  }

  /// The violation in a message: nothing is told before it is recorded.
  func told(_ turn: ListLife.Turn, _ list: ListID) -> String? {
    let state = states[list]?.last
    let isTrue =
      switch turn {
      case .paused: state == .paused || state?.isFinal == true
      case .resumed: state != .paused
      case .finished: state == .finished
      case .cancelled: state == .cancelled
      case .quality(let serviceClass): classes[list]?.last == serviceClass
      }
    return isTrue ? nil : "\(turn) of \(list) is told, and it is \(state as Any)"
  }
}
