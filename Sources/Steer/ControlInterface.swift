// SPDX-License-Identifier: Apache-2.0
// The interface in varlink's own language, as `GetInterfaceDescription` answers it and any varlink
// client can read it. A test holds it against what is served.

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
    # Steering darkroomd: what it works on, and what it shall do about it.
    # A list is named by its number or its name. Times are milliseconds since 1970.
    # Named for later and answered with MethodNotImplemented: Why, Submit, Focus, SetQuality, Retry,
    # Sync.
    interface io.darkroom.Control

    type ListState (accepted, running, paused, finished, cancelled)

    type PhotoState (new, downloaded, filtered, failed)

    type ServiceClass (userInteractive, userInitiated, default, utility, background)

    type StatusReport (
      version: string,
      state: string,
      since: int,
      lists: int,
      photosWaiting: int,
      photosRunning: int,
      downloads: int,
      filters: int,
      outputs: int,
      degraded: []string,
      prints: string,
      inbox: string,
      residentBytes: int,
      sandbox: string,
      hosts: []HostSummary,
      moreHosts: int
    )

    # A server that does not answer, or asked to be left alone until then.
    type HostSummary (
      name: string,
      code: string,
      reason: string,
      attempts: int,
      since: int,
      until: int
    )

    type ListSummary (
      id: int,
      name: string,
      title: string,
      owner: int,
      state: ListState,
      serviceClass: ServiceClass,
      total: int,
      new: int,
      downloaded: int,
      filtered: int,
      failed: int,
      accepted: int
    )

    # fate is one of waiting, ignored, rejected, accepted.
    type InboxFile (
      name: string,
      fate: string,
      list: int,
      why: string
    )

    type InboxReport (
      files: []InboxFile,
      more: int,
      trouble: string
    )

    # URLs are told without user, password and query.
    type PhotoSummary (
      number: int,
      name: string,
      url: string,
      state: PhotoState,
      attempts: int,
      bytes: int,
      width: int,
      height: int,
      print: string,
      retry: int,
      code: string,
      reason: string
    )

    # Photos with one URL share one transfer; one of them is named. rate is in bytes a second, over the
    # last seconds; total is missing where the origin has not told.
    type TransferSummary (
      list: int,
      photo: int,
      name: string,
      photos: int,
      server: string,
      received: int,
      total: ?int,
      rate: int
    )

    # hits and misses are counted since the daemon started; limit is 0 where the cache is off.
    type CacheReport (
      limit: int,
      entries: int,
      bytes: int,
      hits: int,
      misses: int
    )

    # The daemon as it is now.
    method Status() -> (status: StatusReport)

    # All lists that are known, the oldest first.
    method Lists() -> (lists: []ListSummary)

    # Every file in the inbox after a fresh look, at most 1000, and the last that have left it.
    method Inbox() -> (inbox: InboxReport)

    # One list and a page of its photos in file order, at most 1000; limit is 100 unless told. With
    # 'more' set it answers again whenever the list has changed, until it is finished or cancelled.
    # Where 'more' stands in a reply, photos follow: ask again with it as the offset.
    method Show(
      list: string,
      offset: ?int,
      limit: ?int,
      state: ?PhotoState
    ) -> (list: ListSummary, photos: []PhotoSummary, more: ?int)

    # Nothing of the list starts until it is resumed. For its owner and root; kept over restarts.
    method Pause(list: string) -> (list: ListSummary)

    method Resume(list: string) -> (list: ListSummary)

    # Gives the list up. Prints that exist stay.
    method Cancel(list: string) -> (list: ListSummary)

    # Reads the settings again. Answers when they are in force; notes say what waits for a restart.
    method Reload() -> (notes: []string)

    # Asks a server that does not answer at once; without a host all of them, and every photo that
    # waits for another attempt. How long a server has failed is not forgotten. Without a host, and
    # for a server that asked to be left alone, it is for root and the daemon's user. Answers how many
    # servers had not answered.
    method Flush(host: ?string) -> (hosts: int)

    # The transfers on their way, and the lists with work left: all, or the one that is named. With
    # 'more' set it answers again every second while something moves, else when something has changed;
    # for one list, until that is over.
    method Watch(list: ?string) -> (lists: []ListSummary, transfers: []TransferSummary)

    # The cache of originals. Clearing it is for root and the daemon's user.
    method Cache(clear: ?bool) -> (cache: CacheReport)

    error NoSuchList (name: string)

    # The newest file of that name was turned away; it lies in failed, with the reason beside it.
    error ListRejected (name: string, why: string)

    # Several lists with work left have this name.
    error AmbiguousList (name: string, ids: []int)

    error PermissionDenied (why: string)

    error NotPossible (why: string)

    # The settings were not changed.
    error ReloadFailed (why: string)

    """

  private static let varlink = """
    # What every varlink service answers.
    interface org.varlink.service

    method GetInfo() -> (
      vendor: string,
      product: string,
      version: string,
      url: string,
      interfaces: []string
    )

    method GetInterfaceDescription(interface: string) -> (description: string)

    error InterfaceNotFound (interface: string)

    error MethodNotFound (method: string)

    error MethodNotImplemented (method: string)

    error InvalidParameter (parameter: string)

    error PermissionDenied ()

    error ExpectedMore ()

    """
}
