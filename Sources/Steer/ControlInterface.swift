// SPDX-License-Identifier: Apache-2.0
// The interface description in varlink's language, which `GetInterfaceDescription` returns. A test compares
// it with the methods served.

package enum ControlInterface {
  package static let name = "io.darkroom.Control"
  package static let service = "org.varlink.service"

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
    # Reserved methods, answered with MethodNotImplemented: Submit, Sync.
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

    # The reason why photos wait, or the step that they are in. kind is one of: working, paused, opening,
    # takeOver, blocked, damaged, machine, ledger, trouble, downloads, finishing, ending, returning, over (a list);
    # downloading, connection, filtering, writing, step, host, room, retry, turn, failed, filtered, cancelled,
    # unknown (photos). number and name are of one of the photos; attempt is the host's or the photo's;
    # ahead counts the photos of more urgent lists, beside the other lists of this class. Unknown values are
    # empty or 0.
    type WaitSummary \(WaitSummary.lines)

    # The current state of the daemon.
    method Status() -> \(StatusReply.line)

    # All known lists, the oldest first.
    method Lists() -> \(ListsReply.line)

    # The lists that ended at least age milliseconds ago, the oldest first. Refused until the clock was right for an hour.
    method Aged\(AgedOrder.line) -> \(ListsReply.line)

    # Scans the inbox and returns its files, at most 1000 and about 1 MiB, and the last files that left it.
    method Inbox() -> \(InboxReply.line)

    # One list and a page of its photos in file order. limit is at most 1000; the default is 100. With
    # 'more' set in the call, a reply follows each change of the list, until it is finished or cancelled.
    # A reply with 'more' has further photos: pass the value as the offset of the next call. A page of long texts
    # ends after about 1 MiB, with fewer photos than asked for. prints is the
    # folder of the list's prints, or their URL in a store, and null while they are out of reach. sha256 is
    # that of a print, as it was recorded.
    # With 'verifies', for the owner of the list and root, the daemon reads the prints that are in a store,
    # and each photo has a finding; limit is then at most 8.
    method Show\(ShowOrder.lines) -> \(ShowReport.line)

    # The reason why the list waits, and its unfinished and failed photos in groups by their reasons. With a
    # photo, a number or a name: the reason why that photo waits; groups is then empty.
    method Why\(WhyOrder.lines) -> \(WhyReport.line)

    # Starts nothing more of the list until it is resumed, even after a restart. Only for its owner and
    # root, as are Resume and Cancel.
    method Pause\(ListOrder.line) -> \(ListReply.line)

    method Resume\(ListOrder.line) -> \(ListReply.line)

    # Cancels the list. Existing prints stay.
    method Cancel\(ListOrder.line) -> \(ListReply.line)

    # Changes the quality-of-service class of a list at work. Photos that set a class of their own keep it.
    # Only for its owner and root.
    method SetQuality\(QualityOrder.line) -> \(ListReply.line)

    # The named photos go first within the share of the list's owner, until the lease ends: at most 3600
    # seconds, 60 by default. They are numbers, ranges such as 10-20, and names, at most 1000 photos in all; a photo
    # whose name is longer than a string may be has its number;
    # without any, the first photos that are not done. A running transfer that another one can continue makes
    # room. viewer, of at most 64 bytes, tells the viewers of one user apart: each has one focus on a list,
    # which a new call replaces and renews, and viewers take turns. Nothing of it is recorded. Returns how many
    # photos were named, how many of them are not done, and the end of the lease. Only for the list's owner
    # and root, as is Unfocus. In a cluster, both take the name of a list at work that was dropped at another
    # node; its photos are named by their numbers then.
    method Focus\(FocusOrder.lines) -> \(FocusReport.line)

    # Ends the lease of this viewer; photos, left and until are 0.
    method Unfocus\(UnfocusOrder.lines) -> \(FocusReport.line)

    # Makes a new list with the same name, photos and settings, which takes over from this one: it has its
    # prints, and does again what failed or is missing. With photos (numbers, ranges such as 10-20, and names,
    # at most 1000 words), it tries again only those of them that failed; the others that failed stay failed.
    # Returns the new list. Only for the owner of the list and root.
    method Retry\(RetryOrder.line) -> \(ListReply.line)

    # Removes a list that is finished or cancelled: its prints, its copy, its results, its retry list, and those
    # of the earlier lists that it took over from. Replies when they are gone, with the list as it was. The
    # daemon then does not know it, and a new list of that name begins afresh. Only for its owner and root.
    method Remove\(ListOrder.line) -> \(ListReply.line)

    # Makes the contact sheet of a list that is finished or cancelled, and the thumbnails that are missing. Returns
    # the path of the first page, and the numbers of pages and of thumbnails made. Only for its owner and root.
    method Sheet\(ListOrder.line) -> \(SheetReport.line)

    # Reloads the settings. Replies when they are in force; notes name the settings that need a restart, and the
    # prints and lists that KeepPrints= and KeepLists= remove soon.
    method Reload() -> \(NotesReply.line)

    # Names the prints and lists that these settings would remove soon. Milliseconds; without keepPrints, no prints are
    # removed. Only for root and the daemon's user.
    method Forecast\(ForecastOrder.line) -> \(NotesReply.line)

    # The settings in force, and the files and lines that they come from.
    method Settings() -> \(SettingsReply.line)

    # Retries a host that does not answer, at once. Without a host: all such hosts, and every photo that
    # waits for another attempt. HostPatience= is not restarted. Only root and the daemon's user may omit
    # the host, or name one that asked to be left alone; others name one that a list uses which they may look at.
    # Returns the number of hosts that did not answer.
    method Flush\(FlushOrder.line) -> \(FlushReply.line)

    # The machines that share lists through a ledger, by name; own is the one that answers. The photos of a node that
    # is silent for longer than leaseSeconds go to others.
    method Nodes() -> \(NodesReport.line)

    # The node takes no new photos, or with 'off' some again. With 'now', which is for the node that answers, it
    # gives its photos back; otherwise it finishes them. Only for root and the daemon's user.
    method Drain\(DrainOrder.line) -> \(NodeReply.line)

    # The running transfers and the lists with work left: all of them, or those of one list. With 'more'
    # set, a reply follows every second while a photo is processed, otherwise after each change; for one
    # list, until it is over.
    method Watch\(WatchOrder.line) -> \(WatchReport.line)

    # The changes of state after the record 'since', as they are recorded, at most 1000 in a reply; without
    # 'since', from now on. Of all lists, or of one. With 'more' set, replies follow, for one list until it is
    # over. A caller that was away continues with 'last' of the reply that it had. 'missed' says that the
    # daemon has forgotten some of the changes in between, as after a restart: Show has the states.
    method Follow\(FollowOrder.lines) -> \(FollowReport.line)

    # Makes a token with which a page looks at the list for the caller. It is good for one Redeem, within two
    # minutes.
    method Open\(ListOrder.line) -> \(OpenReport.line)

    # Exchanges a token for a view of the user for whom it was made. It lasts for that number of seconds, also after
    # a restart.
    method Redeem\(RedeemOrder.line) -> \(RedeemReport.line)

    # The states of photos in file order, a digit for each: 0 new, 1 downloaded, 2 filtered, 3 failed, 4 unknown. limit
    # is at most 65536, which is the default. Follow continues after 'record'. mayFocus tells if the caller may call Focus.
    method States\(StatesOrder.lines) -> \(StatesReport.line)

    # The colours of an overview of the list, in at most 2048 groups of photos that follow each other: of one print of
    # each group four times three colours, row by row, each three hexadecimal digits. Empty for a group without one.
    method Colours\(ColoursOrder.line) -> \(ColoursReport.line)

    # The first photo behind 'after' with this text in its name, in upper or lower case. Without one, a reply with
    # 'more' tells how far the search came.
    method Find\(FindOrder.line) -> \(FindReport.line)

    # A print or its thumbnail, for those who may look at the list. The open file comes as a descriptor beside the
    # reply (SCM_RIGHTS). Without a picture, or when a later list has taken over the prints, there is no type and no
    # file.
    method Picture\(PictureOrder.line) -> \(PictureReport.line)

    # The cache of originals. Only root and the daemon's user may clear it.
    method Cache\(CacheOrder.line) -> \(CacheReply.line)

    # Numbers for a monitoring system. Counters begin with the start of the daemon.
    method Metrics() -> \(MetricsReport.line)

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
