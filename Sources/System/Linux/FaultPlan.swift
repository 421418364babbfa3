// SPDX-License-Identifier: Apache-2.0
// Faults for tests: make the Nth call of a name fail, once or from then on. Exists in debug builds only.

#if DEBUG
  import Synchronization

  package enum FaultPlan {
    package struct Fault: Sendable {
      package let call: String
      /// Only calls on things whose description contains this; empty means all.
      package let thing: String
      package let code: Int32
      /// Which matching call fails first, from 1.
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

    private static let states = Mutex<[String: State]>([:])

    /// One fault for each owner, so that tests that run side by side keep theirs.
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
