// SPDX-License-Identifier: Apache-2.0
// Faults for tests: the Nth call of a name fails, once or from then on. Exists in debug builds only.

#if DEBUG
  import Synchronization

  package enum FaultPlan {
    package struct Fault: Sendable {
      package let call: String
      /// Matches calls on things whose description contains this; empty matches all.
      package let thing: String
      package let code: Int32
      /// The number of the first matching call that fails, from 1.
      package let first: Int
      package let isPermanent: Bool

      package init(
        _ call: String, on thing: String = "", code: Int32, first: Int = 1,
        isPermanent: Bool = false
      ) {
        self.call = call
        self.thing = thing
        self.code = code
        self.first = first
        self.isPermanent = isPermanent
      }
    }

    private struct State {
      let fault: Fault
      var seen = 0
    }

    private static let states = Mutex(asked)

    /// For a program that a test starts: `DARKROOM_FAULT="CALL THING CODE"` fails every such call.
    private static var asked: [String: State] {
      let words = Surroundings.variable("DARKROOM_FAULT")?.split(separator: " ").map(String.init)
      guard let words, words.count == 3, let code = Int32(words[2]) else { return [:] }
      let fault = Fault(words[0], on: words[1], code: code, isPermanent: true)
      return ["DARKROOM_FAULT": State(fault: fault)]
    }

    /// One fault per owner, so that tests that run in parallel do not replace each other's.
    package static func set(_ fault: Fault?, for owner: String = "") {
      states.withLock { $0[owner] = fault.map { State(fault: $0) } }
    }

    static func fault(in call: String, on thing: @autoclosure () -> String) -> Int32? {
      states.withLock { states in
        for (owner, var state) in states where state.fault.call == call {
          let fault = state.fault
          guard fault.thing.isEmpty || Self.holds(thing(), fault.thing) else { continue }
          state.seen += 1
          states[owner] = state
          let isDue = fault.isPermanent ? state.seen >= fault.first : state.seen == fault.first
          if isDue { return fault.code }
        }
        return nil
      }
    }

    private static func holds(_ text: String, _ part: String) -> Bool {
      let text = Array(text.utf8)
      let part = Array(part.utf8)
      guard text.count >= part.count else { return false }
      return (0...(text.count - part.count)).contains { text[$0..<($0 + part.count)] == part[...] }
    }
  }
#endif
