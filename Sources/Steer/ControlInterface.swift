// SPDX-License-Identifier: Apache-2.0
// The table of methods, and the interface description in varlink's language, which `GetInterfaceDescription` returns.

package enum ControlInterface {
  package static let name = "io.darkroom.Control"
  package static let service = "org.varlink.service"

  /// In the order of the description.
  package static let methods: [any ControlMethod.Type] = [
    StatusOrder.self, ListsOrder.self, AgedOrder.self, InboxOrder.self, ShowOrder.self,
    WhyOrder.self, PauseOrder.self, ResumeOrder.self, CancelOrder.self, SetQualityOrder.self,
    FocusOrder.self, UnfocusOrder.self, RetryOrder.self, RemoveOrder.self, SheetOrder.self,
    ReloadOrder.self, ForecastOrder.self, SettingsOrder.self, FlushOrder.self, NodesOrder.self,
    DrainOrder.self, WatchOrder.self, FollowOrder.self, OpenOrder.self, RedeemOrder.self,
    StatesOrder.self, ColoursOrder.self, FindOrder.self, PictureOrder.self, CacheOrder.self,
    MetricsOrder.self,
  ]

  /// The names of later methods.
  package static let reserved = ["Submit", "Sync"]

  private static let named = methods.map { (name: $0.name, method: $0) }

  static func method(_ name: String) -> (any ControlMethod.Type)? {
    named.first { $0.name == name }?.method
  }

  package static func description(of interface: String) -> String? {
    switch interface {
    case name: control
    case service: varlink
    default: nil
    }
  }

  private static let control = """
    # Queries and controls darkroomd. A list is named by its number or its name. Times are milliseconds
    # since 1970. Every method takes a parameter 'view: ?string', of the reply to Redeem: the caller then acts for the
    # user of that view, on its list, and may call Show, Follow, Focus, Unfocus, States, Colours, Find
    # and Picture. Calls about the photos of a private list are for its owner and root; so are its title, which is
    # empty for others, and its reasons. Reasons of files in the inbox are for the owner of the file and root.
    # A request has at most 64 KiB and 2048 values, at most 8 deep; a string in it has at most 255 bytes, a name of a
    # parameter at most 64. A reply has at most 16 MiB; a caller has half a minute to read it, and a second more for each
    # 64 KiB. A call whose reply may be long waits while other replies to its user are not read.
    # Strings are compared by their bytes. A name of a list may be a pattern of at most 62 bytes, in any case, with '*'
    # and '?'. Pause, Resume, Cancel, SetQuality, Unfocus, Retry, Remove, Sheet, Reload, Cache, Flush and Drain are
    # carried out even if their caller has left. Every other call ends when its caller has left, and does nothing if
    # it is oneway. If a caller leaves, the requests that wait behind its first one are dropped. The calls of several
    # users take turns. Of the calls of a user that read the photos of a list, one runs at a time.
    # Reserved methods, answered with MethodNotImplemented: \(reserved.joined(separator: ", ")).
    interface io.darkroom.Control

    type ListState (accepted, running, paused, finished, cancelled)

    # A photo is unknown if it has ended, and the row with its result is missing or cannot be read.
    type PhotoState (new, downloaded, filtered, failed, unknown)

    type ServiceClass (userInteractive, userInitiated, default, utility, background)

    type StatusReport \(StatusReport.lines)

    # A node of a cluster. trouble is empty and since is 0 while the ledger answers. outbox is the number of photos
    # whose end the ledger does not know yet.
    type ClusterSummary \(ClusterSummary.line)

    type NodeState (working, draining, drained, silent)

    # seen is the number of seconds since the node was heard, leased the number of photos that it has, version that of
    # its darkroomd, or empty for one that does not tell.
    type NodeSummary \(NodeSummary.line)

    # owner is the number of a user. StatusReport has at most ten; pausedLists counts all.
    type PausedLists \(PausedLists.line)

    # A host that does not answer, or has asked to be left alone. until is the time of the next attempt. A caller
    # who may not look at any list that uses it is not told its name and the reason.
    type HostSummary \(HostSummary.lines)

    # owner and halter, who paused or cancelled the list, are numbers of users. ended is 0 until the list is
    # finished or cancelled. returned is true when its copy and its results are in done and failed. bytes are those of the originals that were downloaded
    # since the daemon started. photosPerHour is measured over the last minute, and 0 if it is unknown.
    # printsExpire is the time at which KeepPrints= removes the prints, printsExpired that at which it has.
    type ListSummary \(ListSummary.lines)

    # fate is one of waiting, ignored, rejected, accepted.
    # becomes is the name of the list that a waiting file becomes.
    type InboxFile \(InboxFile.lines)

    type InboxReport \(InboxReport.lines)

    # URLs are shown without user, password and query.
    type PhotoSummary \(PhotoSummary.lines)

    # A comparison of a print with the record: finding is one of asRecorded, missing, changed, unreadable, lost,
    # why a clause.
    type PrintFinding \(PrintFinding.line)

    # Photos with the same URL share one transfer; list, photo and name are those of one of them, and photos counts
    # those that the caller may look at. rate is
    # in bytes per second, over the last seconds. total is missing when the origin did not send it.
    type TransferSummary \(TransferSummary.lines)

    # state is a ListState, or a PhotoState if photo is set; or rejected, for a file that became no list; or
    # removed.
    type FollowStep \(FollowStep.lines)

    type SettingPlace \(SettingPlace.line)

    # value is written as in the file. places is empty for a default, and has several lines if they add up. next
    # is the value that the next start brings, if it is another, with its nextPlaces.
    type SettingSummary \(SettingSummary.lines)

    # hits and misses are counted since the daemon started; limit is 0 when the cache is off.
    type CacheReport \(CacheReport.lines)

    # suffix follows the name: _total, _bucket, _count, _sum or nothing. value is a decimal number.
    type MetricSample \(MetricFamily.Sample.lines)

    # kind is counter, gauge or histogram, as in OpenMetrics.
    type MetricFamily \(MetricFamily.lines)

    # The reason why photos wait, or the step that they are in. kind is one of: working, paused, openingTurn, opening,
    # takeOver, blocked, damaged, machine, ledger, nodes, trouble, downloads, finishing, ending, returningTurn,
    # returning, over, lost (a list);
    # downloading, connection, filtering, writing, step, host, room, retry, turn, failed, filtered, cancelled,
    # unknown (photos). number and name are of one of the photos; attempt is the host's or the photo's;
    # ahead counts the photos of more urgent lists, beside the other lists of this class. Unknown values are
    # empty or 0.
    type WaitSummary \(WaitSummary.lines)

    \(methods.map { $0.description }.joined(separator: "\n\n"))

    # near is the name of a list that is written almost like it, home the node of the cluster where the caller's list of
    # this name was dropped.
    error NoSuchList (name: string, near: ?string, home: ?string)

    # The newest file of that name was rejected; it is in failed, with the reason beside it.
    error ListRejected (name: string, why: string)

    # Several lists with work left have this name, or it is a pattern that fits lists of several names.
    error AmbiguousList (name: string, ids: []int)

    error PermissionDenied (why: string)

    error NotPossible (why: string)

    # The settings are unchanged.
    error ReloadFailed (why: string)

    """

  private static let varlink = """
    # The interface of every varlink service.
    interface org.varlink.service

    method GetInfo() -> (
      vendor: string,
      product: string,
      version: string,
      url: string,
      interfaces: []string
    )

    method GetInterfaceDescription\(InterfaceOrder.line) -> (description: string)

    error InterfaceNotFound (interface: string)

    error MethodNotFound (method: string)

    error MethodNotImplemented (method: string)

    error InvalidParameter (parameter: string)

    error PermissionDenied ()

    error ExpectedMore ()

    """
}
