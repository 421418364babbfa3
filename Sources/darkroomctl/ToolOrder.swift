// SPDX-License-Identifier: Apache-2.0
// The order for one run of the tool, as read from the command line. A value.

package import Steer
package import Vocabulary

package struct ToolOrder: Sendable {
  package static let systemSocket = DaemonPlace.systemSocket

  package var task: ToolTask
  /// The daemon's control socket.
  package var socket = Self.systemSocket
  /// Print results and errors as JSON.
  package var isJSON = false
  /// Print columns for programs, even on a terminal.
  package var isPlain = false
  /// Long results may go to a pager.
  package var usesPager = true

  package init(
    _ task: ToolTask, socket: String = Self.systemSocket, isJSON: Bool = false,
    isPlain: Bool = false, usesPager: Bool = true
  ) {
    self.task = task
    self.socket = socket
    self.isJSON = isJSON
    self.isPlain = isPlain
    self.usesPager = usesPager
  }
}

/// The list to pause, resume or cancel.
package enum ListChoice: Equatable, Sendable {
  case one(ListReference)
  /// All lists of a user or, without one, all that the caller may change.
  case all(user: String?)
}

package struct WaitTask: Equatable, Sendable {
  package var lists: [ListReference]
  package var timeout: Duration?

  package init(_ lists: [ListReference], timeout: Duration? = nil) {
    (self.lists, self.timeout) = (lists, timeout)
  }
}

/// The change that `pause`, `resume`, `cancel` or `remove` makes.
package enum ListTurn: String, Sendable {
  case pause, resume, cancel, remove

  func call(_ list: ListReference, isSparing: Bool = false) -> any ControlMethod<ListReply> {
    switch self {
    case .pause: PauseOrder(list: list)
    case .resume: ResumeOrder(list: list)
    case .cancel: CancelOrder(list: list)
    case .remove: RemoveOrder(list: list, spare: isSparing)
    }
  }

  /// False for a list in which the command would change nothing.
  func concerns(_ list: ListSummary) -> Bool {
    let isPaused = list.state == ListState.paused.name
    return switch self {
    case .pause: !list.isFinal && !isPaused
    case .resume: isPaused
    case .cancel: !list.isFinal
    case .remove: list.isFinal
    }
  }

  var past: String {
    switch self {
    case .pause: "Paused"
    case .resume: "Resumed"
    case .cancel: "Cancelled"
    case .remove: "Removed"
    }
  }
}

/// A list for the daemon.
package struct SubmitTask: Equatable, Sendable {
  package enum Source: Equatable, Sendable {
    case file(String)
    case standardInput
    case urls([String])
    case pictures([String])
  }

  /// Options that the list gets instead of its own; those of a photo are more important.
  package struct Options: Equatable, Sendable {
    package var filter: FilterFunction?
    package var quality: PrintQuality?
    package var metadata: MetadataRule?
    package var serviceClass: ServiceClass?
    package var notify: PhotoURL?
    /// The prints are for the owner of the list alone.
    package var isPrivate: Bool?

    package init() {}

    package var isEmpty: Bool { self == Self() }
  }

  package var source: Source
  package var name: String?
  package var options = Options()
  /// Wait until the list is finished, as `wait` does.
  package var waits = false
  package var timeout: Duration?

  package init(_ source: Source) { self.source = source }
}

/// A node that is to take no new photos, or some again.
package struct DrainTask: Equatable, Sendable {
  package var order: DrainOrder
  /// Until it has none left.
  package var waits: Bool

  package init(_ order: DrainOrder, waits: Bool = false) {
    (self.order, self.waits) = (order, waits)
  }
}

/// A list to look at in a browser.
package struct OpenTask: Equatable, Sendable {
  package var list: ListReference
  /// Where people reach darkroom-web, if not at its usual address.
  package var address: String?

  package init(list: ListReference, address: String? = nil) {
    (self.list, self.address) = (list, address)
  }
}

/// Local files to develop without the daemon.
package struct DevelopTask: Equatable, Sendable {
  package var files: [String]
  package var folder = "."
  package var filter = FilterFunction.standard
  package var quality = PrintQuality.source
  package var metadata = MetadataRule.keep
  /// Existing prints are replaced; an input never is.
  package var isReplacing = false
  /// How many pictures to develop at once; nil for the number of processors.
  package var jobs: Int?

  package init(files: [String]) { self.files = files }
}

/// The class that a list is to have.
package struct ClassTask: Equatable, Sendable {
  package var list: ListReference
  package var level: ServiceClass

  package init(_ list: ListReference, _ level: ServiceClass) {
    (self.list, self.level) = (list, level)
  }
}

/// Records of journald to show.
package struct LogTask: Equatable, Sendable {
  package var list: ListReference?
  /// A number or a name; only with a list.
  package var photo: String?
  package var follows = false
  /// The last ones; `Int.max` for all.
  package var lines: Int?
  /// With the texts of the message catalog.
  package var explains = false

  package init(list: ListReference? = nil, photo: String? = nil) {
    (self.list, self.photo) = (list, photo)
  }

  /// As journalctl: the last ten if more are to follow, otherwise all, which is nil.
  package var count: Int? {
    let count = lines ?? (follows ? 10 : .max)
    return count == .max ? nil : count
  }
}

/// A look at the journal file of a state folder.
package struct JournalTask: Equatable, Sendable {
  package enum Verb: String, CaseIterable, Sendable { case verify, dump, stat }

  package static let systemFolder = "/var/lib/darkroom/state"

  package var verb: Verb
  package var folder = Self.systemFolder

  package init(_ verb: Verb, folder: String = Self.systemFolder) {
    self.verb = verb
    self.folder = folder
  }
}
