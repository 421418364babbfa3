// SPDX-License-Identifier: Apache-2.0
// The reply to `Status`: the current state of the daemon.

package struct StatusReport: MessageValue {
  private struct Files: Equatable {
    var waiting = 0
    var unreadable = 0
    var pictureRefusal: String?
    var largestPicture: UInt64 = 0
  }

  package var version = ""
  /// A word or a phrase: `running`, `waiting: REASON`, `stopping`.
  package var state = ""
  /// When the daemon started, milliseconds since 1970.
  package var since: UInt64 = 0
  package var work = WorkCounts()
  /// Troubles and shortcomings of this machine or its setup, one clause each; empty without any.
  package var degraded: [String] = []
  /// Faults that users have to mend themselves, one clause each; this machine works as it should.
  package var mistakes: [String] = []
  package var prints = ""
  package var inbox = ""
  package var residentBytes: UInt64 = 0
  /// The layers of the workers' sandbox, in words.
  package var sandbox = ""
  /// Hosts that do not answer, by name, and how many more there are.
  package var hosts: [HostSummary] = []
  package var moreHosts = 0
  /// Files in the inbox that may become lists, and how many the daemon may not read.
  private var files = Files()
  /// Nil for a machine of its own.
  package var cluster: ClusterSummary?
  /// The prints that are removed within a day, and those that rest before, one clause each.
  package var expiring: [String] = []

  /// Why dropped pictures do not become lists, one clause; nil if they do.
  package var pictureRefusal: String? {
    get { files.pictureRefusal }
    set { files.pictureRefusal = newValue }
  }
  /// In bytes; 0 for an unknown limit. A larger picture stays in the inbox.
  package var largestPicture: UInt64 {
    get { files.largestPicture }
    set { files.largestPicture = newValue }
  }
  package var waitingFiles: Int { files.waiting }
  package var unreadableFiles: Int { files.unreadable }

  package init(
    version: String, state: String, since: UInt64, work: WorkCounts, degraded: [String],
    mistakes: [String] = [], prints: String, inbox: String, residentBytes: UInt64, sandbox: String,
    hosts: [HostSummary] = [], moreHosts: Int = 0, waitingFiles: Int = 0, unreadableFiles: Int = 0,
    cluster: ClusterSummary? = nil
  ) {
    (self.version, self.state, self.since, self.work) = (version, state, since, work)
    (self.degraded, self.mistakes, self.prints, self.inbox) = (degraded, mistakes, prints, inbox)
    (self.residentBytes, self.sandbox, self.hosts) = (residentBytes, sandbox, hosts)
    self.moreHosts = moreHosts
    files = Files(waiting: waitingFiles, unreadable: unreadableFiles)
    self.cluster = cluster
  }

  package init() {}
  package static let fields: [Field] = [
    Field("version", \.version), Field("state", \.state), Field("since", \.since),
    Field("lists", \.work.lists), Field("listsKnown", \.work.areKnown),
    Field("pausedLists", \.work.pausedLists), Field("paused", \.work.paused),
    Field("photosWaiting", \.work.photosWaiting), Field("photosRunning", \.work.photosRunning),
    Field("downloads", \.work.downloads), Field("filters", \.work.filters),
    Field("outputs", \.work.outputs), Field("degraded", \.degraded), Field("mistakes", \.mistakes),
    Field("expiring", \.expiring),
    Field("prints", \.prints), Field("inbox", \.inbox), Field("residentBytes", \.residentBytes),
    Field("sandbox", \.sandbox), Field("hosts", \.hosts), Field("moreHosts", \.moreHosts),
    Field("waitingFiles", \.files.waiting), Field("unreadableFiles", \.files.unreadable),
    Field("cluster", \.cluster), Field("pictureRefusal", \.pictureRefusal),
    Field("largestPicture", \.largestPicture),
  ]
}
