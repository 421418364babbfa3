// SPDX-License-Identifier: Apache-2.0
// The calls of the control interface as values, shared by both ends of the socket.

package import Vocabulary

package enum ControlCall: Equatable, Sendable {
  case status
  case lists
  /// The lists that ended at least that time ago, as the daemon judges their age.
  case aged(Duration)
  case inbox
  case show(ShowOrder)
  case why(WhyOrder)
  case pause(ListReference)
  case resume(ListReference)
  case cancel(ListReference)
  /// Changes the class of the list's photos that set none of their own.
  case quality(ListReference, ServiceClass)
  /// These photos go first within their owner's share, for a while.
  case focus(FocusOrder)
  case unfocus(ListReference, viewer: String)
  /// Makes a new list of what failed in this one, or is missing.
  case retry(RetryOrder)
  /// Removes a list that is over, with its prints and files.
  case remove(ListReference)
  /// Makes the contact sheet of a list that is over, and its missing thumbnails.
  case sheet(ListReference)
  case reload
  /// Asks which prints and lists these settings would remove, and when.
  case forecast(ForecastOrder)
  case settings
  case watch(WatchOrder)
  case follow(FollowOrder)
  /// Makes a token with which a page can look at the list for the caller.
  case open(ListReference)
  case redeem(token: String)
  case states(StatesOrder)
  case colours(ColoursOrder)
  case find(FindOrder)
  /// A print or its thumbnail, open.
  case picture(PictureOrder)
  case cache(clear: Bool)
  case metrics
  /// Retries a host that does not answer at once; without a host, all of them.
  case flush(host: String?)
  /// The nodes of the cluster.
  case nodes
  case drain(DrainOrder)

  /// Every method by its name.
  package enum Method: String, CaseIterable, Sendable {
    case status = "Status"
    case lists = "Lists"
    case aged = "Aged"
    case inbox = "Inbox"
    case show = "Show"
    case why = "Why"
    case pause = "Pause"
    case resume = "Resume"
    case cancel = "Cancel"
    case quality = "SetQuality"
    case focus = "Focus"
    case unfocus = "Unfocus"
    case retry = "Retry"
    case remove = "Remove"
    case sheet = "Sheet"
    case reload = "Reload"
    case forecast = "Forecast"
    case settings = "Settings"
    case watch = "Watch"
    case follow = "Follow"
    case open = "Open"
    case redeem = "Redeem"
    case states = "States"
    case colours = "Colours"
    case find = "Find"
    case picture = "Picture"
    case cache = "Cache"
    case metrics = "Metrics"
    case flush = "Flush"
    case nodes = "Nodes"
    case drain = "Drain"

    /// It changes more than what its caller sees, and is carried out even if its caller has left. Every other call ends
    /// with its caller.
    package var isChange: Bool {
      switch self {
      case .pause, .resume, .cancel, .quality, .unfocus, .retry, .remove, .sheet, .reload, .cache,
        .flush, .drain:
        true
      case .status, .lists, .aged, .inbox, .show, .why, .focus, .forecast, .settings, .watch,
        .follow, .open, .redeem, .states, .colours, .find, .picture, .metrics, .nodes:
        false
      }
    }

    /// With `more`, replies follow each other.
    var isStream: Bool {
      switch self {
      case .show, .watch, .follow: true
      case .status, .lists, .aged, .inbox, .why, .pause, .resume, .cancel, .quality, .focus,
        .unfocus,
        .retry, .remove, .sheet, .reload, .forecast, .settings, .open, .redeem, .states, .colours,
        .find, .picture, .cache, .metrics, .flush, .nodes, .drain:
        false
      }
    }

    /// The names of later methods.
    package static let reserved: Set<String> = [
      "Submit", "Sync",
    ]
  }

  package var method: Method {
    switch self {
    case .status: .status
    case .lists: .lists
    case .aged: .aged
    case .inbox: .inbox
    case .show: .show
    case .why: .why
    case .pause: .pause
    case .resume: .resume
    case .cancel: .cancel
    case .quality: .quality
    case .focus: .focus
    case .unfocus: .unfocus
    case .retry: .retry
    case .remove: .remove
    case .sheet: .sheet
    case .reload: .reload
    case .forecast: .forecast
    case .settings: .settings
    case .watch: .watch
    case .follow: .follow
    case .open: .open
    case .redeem: .redeem
    case .states: .states
    case .colours: .colours
    case .find: .find
    case .picture: .picture
    case .cache: .cache
    case .metrics: .metrics
    case .flush: .flush
    case .nodes: .nodes
    case .drain: .drain
    }
  }

  package var parameters: JSONObject {
    switch self {
    case .status, .lists, .inbox, .reload, .settings, .metrics, .nodes: JSONObject()
    case .aged(let age): JSONObject(["age": .int(age.milliseconds)])
    case .drain(let order): order.object
    case .forecast(let order): order.object
    case .show(let order): order.object
    case .why(let order): order.object
    case .flush(let host): JSONObject(host.map { ["host": .string($0)] } ?? [:])
    case .retry(let order): order.object
    case .pause(let list), .resume(let list), .cancel(let list), .remove(let list),
      .sheet(let list), .open(let list):
      JSONObject(["list": .string(list.text)])
    case .quality(let list, let serviceClass):
      JSONObject(["list": .string(list.text), "class": .string(serviceClass.name)])
    case .focus(let order): order.object
    case .unfocus(let list, let viewer):
      JSONObject(["list": .string(list.text), "viewer": .string(viewer)])
    case .watch(let order): order.object
    case .follow(let order): order.object
    case .redeem(let token): JSONObject(["token": .string(token)])
    case .states(let order): order.object
    case .colours(let order): order.object
    case .find(let order): order.object
    case .picture(let order): order.object
    case .cache(let clear): JSONObject(clear ? ["clear": true] : [:])
    }
  }

  package init(_ method: Method, _ parameters: JSONObject) throws(ControlError) {
    let fields = MessageFields(request: parameters)
    do throws(FieldError) {
      switch method {
      case .status: self = .status
      case .lists: self = .lists
      case .aged: self = .aged(.milliseconds(try fields.count("age") as Int64))
      case .inbox: self = .inbox
      case .reload: self = .reload
      case .settings: self = .settings
      case .metrics: self = .metrics
      case .nodes: self = .nodes
      case .drain: self = .drain(try DrainOrder(fields))
      case .forecast: self = .forecast(try ForecastOrder(fields))
      case .show: self = .show(try ShowOrder(fields))
      case .why: self = .why(try WhyOrder(fields))
      case .pause: self = .pause(ListReference(try fields.string("list")))
      case .resume: self = .resume(ListReference(try fields.string("list")))
      case .cancel: self = .cancel(ListReference(try fields.string("list")))
      case .remove: self = .remove(ListReference(try fields.string("list")))
      case .sheet: self = .sheet(ListReference(try fields.string("list")))
      case .quality:
        guard let serviceClass = ServiceClass(name: try fields.string("class")) else {
          throw FieldError(name: "class")
        }
        self = .quality(ListReference(try fields.string("list")), serviceClass)
      case .focus: self = .focus(try FocusOrder(fields))
      case .unfocus:
        self = .unfocus(
          ListReference(try fields.string("list")), viewer: try fields.string("viewer", or: ""))
      case .retry: self = .retry(try RetryOrder(fields))
      case .flush:
        self = .flush(host: fields.isMissing("host") ? nil : try fields.string("host"))
      case .watch: self = .watch(try WatchOrder(fields))
      case .follow: self = .follow(try FollowOrder(fields))
      case .open: self = .open(ListReference(try fields.string("list")))
      case .redeem: self = .redeem(token: try fields.string("token"))
      case .states: self = .states(try StatesOrder(fields))
      case .colours: self = .colours(try ColoursOrder(fields))
      case .find: self = .find(try FindOrder(fields))
      case .picture: self = .picture(try PictureOrder(fields))
      case .cache: self = .cache(clear: try fields.flag("clear"))
      }
    } catch {
      throw .invalidParameter(error.name)
    }
  }
}
