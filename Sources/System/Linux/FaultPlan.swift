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
      var fault: Fault?
      var seen = 0
    }

    private static let state = Mutex(State())

    package static func set(_ fault: Fault?) { state.withLock { $0 = State(fault: fault) } }

    static func fault(in call: String, on thing: @autoclosure () -> String) -> Int32? {
      state.withLock { state in
        guard let fault = state.fault, fault.call == call else { return nil }
        guard fault.thing.isEmpty || Self.holds(thing(), fault.thing) else { return nil }
        state.seen += 1
        let isDue = fault.isPermanent ? state.seen >= fault.first : state.seen == fault.first
        return isDue ? fault.code : nil
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
