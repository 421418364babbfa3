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
    # since 1970. Reserved methods, answered with MethodNotImplemented: Why, Submit, Focus, SetQuality,
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

    # A host that does not answer, or has asked to be left alone. until is the time of the next attempt.
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

    # URLs are shown without user, password and query.
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

    # Photos with the same URL share one transfer; list, photo and name are those of one of them. rate is
    # in bytes per second, over the last seconds. total is missing when the origin did not send it.
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

    # hits and misses are counted since the daemon started; limit is 0 when the cache is off.
    type CacheReport (
      limit: int,
      entries: int,
      bytes: int,
      hits: int,
      misses: int
    )

    # The current state of the daemon.
    method Status() -> (status: StatusReport)

    # All known lists, the oldest first.
    method Lists() -> (lists: []ListSummary)

    # Scans the inbox and returns its files, at most 1000, and the last files that left it.
    method Inbox() -> (inbox: InboxReport)

    # One list and a page of its photos in file order. limit is at most 1000; the default is 100. With
    # 'more' set in the call, a reply follows each change of the list, until it is finished or cancelled.
    # A reply with 'more' has further photos: pass the value as the offset of the next call.
    method Show(
      list: string,
      offset: ?int,
      limit: ?int,
      state: ?PhotoState
    ) -> (list: ListSummary, photos: []PhotoSummary, more: ?int)

    # Starts nothing more of the list until it is resumed, even after a restart. Only for its owner and
    # root, as are Resume and Cancel.
    method Pause(list: string) -> (list: ListSummary)

    method Resume(list: string) -> (list: ListSummary)

    # Cancels the list. Existing prints stay.
    method Cancel(list: string) -> (list: ListSummary)

    # Makes a new list with the same name, photos and settings, which takes over from this one: it has its
    # prints, and does again what failed or is missing. Returns the new list. Only for the owner of the list
    # and root.
    method Retry(list: string) -> (list: ListSummary)

    # Reloads the settings. Replies when they are in force; notes name the settings that need a restart.
    method Reload() -> (notes: []string)

    # Retries a host that does not answer, at once. Without a host: all such hosts, and every photo that
    # waits for another attempt. HostPatience= is not restarted. Only root and the daemon's user may omit
    # the host, or name one that asked to be left alone. Returns the number of hosts that did not answer.
    method Flush(host: ?string) -> (hosts: int)

    # The running transfers and the lists with work left: all of them, or those of one list. With 'more'
    # set, a reply follows every second while a photo is processed, otherwise after each change; for one
    # list, until it is over.
    method Watch(list: ?string) -> (lists: []ListSummary, transfers: []TransferSummary)

    # The cache of originals. Only root and the daemon's user may clear it.
    method Cache(clear: ?bool) -> (cache: CacheReport)

    # near is the name of a list that is written almost like it.
    error NoSuchList (name: string, near: ?string)

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

    method GetInterfaceDescription(interface: string) -> (description: string)

    error InterfaceNotFound (interface: string)

    error MethodNotFound (method: string)

    error MethodNotImplemented (method: string)

    error InvalidParameter (parameter: string)

    error PermissionDenied ()

    error ExpectedMore ()

    """
}
