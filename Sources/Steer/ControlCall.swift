// SPDX-License-Identifier: Apache-2.0
// The calls of the control interface as values, shared by both ends of the socket.

package enum ControlCall: Equatable, Sendable {
  case status
  case lists
  case inbox
  case show(ShowOrder)
  case pause(ListReference)
  case resume(ListReference)
  case cancel(ListReference)
  /// Makes a new list of what failed in this one, or is missing.
  case retry(ListReference)
  case reload
  case watch(WatchOrder)
  case cache(clear: Bool)
  /// Retries a host that does not answer at once; without a host, all of them.
  case flush(host: String?)

  /// Every method by its name.
  package enum Method: String, CaseIterable, Sendable {
    case status = "Status"
    case lists = "Lists"
    case inbox = "Inbox"
    case show = "Show"
    case pause = "Pause"
    case resume = "Resume"
    case cancel = "Cancel"
    case retry = "Retry"
    case reload = "Reload"
    case watch = "Watch"
    case cache = "Cache"
    case flush = "Flush"

    /// The names of later methods.
    package static let reserved: Set<String> = [
      "Why", "Submit", "Focus", "SetQuality", "Sync",
    ]
  }

  package var method: Method {
    switch self {
    case .status: .status
    case .lists: .lists
    case .inbox: .inbox
    case .show: .show
    case .pause: .pause
    case .resume: .resume
    case .cancel: .cancel
    case .retry: .retry
    case .reload: .reload
    case .watch: .watch
    case .cache: .cache
    case .flush: .flush
    }
  }

  package var parameters: JSONObject {
    switch self {
    case .status, .lists, .inbox, .reload: JSONObject()
    case .show(let order): order.object
    case .flush(let host): JSONObject(host.map { ["host": .string($0)] } ?? [:])
    case .pause(let list), .resume(let list), .cancel(let list), .retry(let list):
      JSONObject(["list": .string(list.text)])
    case .watch(let order): order.object
    case .cache(let clear): JSONObject(clear ? ["clear": true] : [:])
    }
  }

  package init(_ method: Method, _ parameters: JSONObject) throws(ControlError) {
    let fields = MessageFields(parameters)
    do throws(FieldError) {
      switch method {
      case .status: self = .status
      case .lists: self = .lists
      case .inbox: self = .inbox
      case .reload: self = .reload
      case .show: self = .show(try ShowOrder(fields))
      case .pause: self = .pause(ListReference(try fields.string("list")))
      case .resume: self = .resume(ListReference(try fields.string("list")))
      case .cancel: self = .cancel(ListReference(try fields.string("list")))
      case .retry: self = .retry(ListReference(try fields.string("list")))
      case .flush:
        self = .flush(host: fields.isMissing("host") ? nil : try fields.string("host"))
      case .watch: self = .watch(try WatchOrder(fields))
      case .cache: self = .cache(clear: try fields.flag("clear"))
      }
    } catch {
      throw .invalidParameter(error.name)
    }
  }
}
