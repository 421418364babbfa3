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
  /// Retries a host that does not answer at once; without a host, all hosts.
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
    case .aged(let age): AgedOrder(age: age).object
    case .drain(let order): order.object
    case .forecast(let order): order.object
    case .show(let order): order.object
    case .why(let order): order.object
    case .flush(let host): FlushOrder(host: host).object
    case .retry(let order): order.object
    case .pause(let list), .resume(let list), .cancel(let list), .remove(let list),
      .sheet(let list), .open(let list):
      ListOrder(list: list).object
    case .quality(let list, let level): QualityOrder(list: list, level: level).object
    case .focus(let order): order.object
    case .unfocus(let list, let viewer): UnfocusOrder(list: list, viewer: viewer).object
    case .watch(let order): order.object
    case .follow(let order): order.object
    case .redeem(let token): RedeemOrder(token: token).object
    case .states(let order): order.object
    case .colours(let order): order.object
    case .find(let order): order.object
    case .picture(let order): order.object
    case .cache(let clear): CacheOrder(clear: clear).object
    }
  }

  package init(_ method: Method, _ parameters: JSONObject) throws(ControlError) {
    do throws(FieldError) {
      self = try Self.read(method, parameters)
    } catch {
      throw .invalidParameter(error.name)
    }
  }

  private static func read(
    _ method: Method, _ parameters: JSONObject
  ) throws(FieldError) -> ControlCall {
    switch method {
    case .status: .status
    case .lists: .lists
    case .aged: .aged(try AgedOrder(request: parameters).age)
    case .inbox: .inbox
    case .reload: .reload
    case .settings: .settings
    case .metrics: .metrics
    case .nodes: .nodes
    case .drain: .drain(try DrainOrder(request: parameters))
    case .forecast: .forecast(try ForecastOrder(request: parameters))
    case .show: .show(try ShowOrder(request: parameters))
    case .why: .why(try WhyOrder(request: parameters))
    case .pause: .pause(try ListOrder(request: parameters).list)
    case .resume: .resume(try ListOrder(request: parameters).list)
    case .cancel: .cancel(try ListOrder(request: parameters).list)
    case .remove: .remove(try ListOrder(request: parameters).list)
    case .sheet: .sheet(try ListOrder(request: parameters).list)
    case .open: .open(try ListOrder(request: parameters).list)
    case .quality: try QualityOrder(request: parameters).call
    case .focus: .focus(try FocusOrder(request: parameters))
    case .unfocus: try UnfocusOrder(request: parameters).call
    case .retry: .retry(try RetryOrder(request: parameters))
    case .flush: .flush(host: try FlushOrder(request: parameters).host)
    case .watch: .watch(try WatchOrder(request: parameters))
    case .follow: .follow(try FollowOrder(request: parameters))
    case .redeem: .redeem(token: try RedeemOrder(request: parameters).token)
    case .states: .states(try StatesOrder(request: parameters))
    case .colours: .colours(try ColoursOrder(request: parameters))
    case .find: .find(try FindOrder(request: parameters))
    case .picture: .picture(try PictureOrder(request: parameters))
    case .cache: .cache(clear: try CacheOrder(request: parameters).clear)
    }
  }
}
