// SPDX-License-Identifier: Apache-2.0
// The reply to `Status`: the current state of the daemon.

package struct StatusReport: MessageValue {
  private struct Files: Equatable {
    let waiting: Int
    let unreadable: Int
    var pictureRefusal: String?
  }

  package var version: String
  /// A word or a phrase: `running`, `waiting: REASON`, `stopping`.
  package var state: String
  /// When the daemon started, milliseconds since 1970.
  package var since: UInt64
  package var work: WorkCounts
  /// Troubles and shortcomings of this machine or its setup, one clause each; empty without any.
  package var degraded: [String]
  /// Faults that users have to mend themselves, one clause each; this machine works as it should.
  package var mistakes: [String]
  package var prints: String
  package var inbox: String
  package var residentBytes: UInt64
  /// The layers of the workers' sandbox, in words.
  package var sandbox: String
  /// Hosts that do not answer, by name, and how many more there are.
  package var hosts: [HostSummary]
  package var moreHosts: Int
  /// Files in the inbox that may become lists, and those of them that the daemon may not read.
  private var files: Files
  /// Nil for a machine of its own.
  package var cluster: ClusterSummary?
  /// The prints that are removed within a day, and those that rest before, one clause each.
  package var expiring: [String] = []

  /// Why dropped pictures do not become lists, one clause; nil if they do.
  package var pictureRefusal: String? {
    get { files.pictureRefusal }
    set { files.pictureRefusal = newValue }
  }
  package var waitingFiles: Int { files.waiting }
  package var unreadableFiles: Int { files.unreadable }

  package init(
    version: String, state: String, since: UInt64, work: WorkCounts, degraded: [String],
    mistakes: [String] = [], prints: String, inbox: String, residentBytes: UInt64, sandbox: String,
    hosts: [HostSummary] = [], moreHosts: Int = 0, waitingFiles: Int = 0, unreadableFiles: Int = 0,
    cluster: ClusterSummary? = nil
  ) {
    self.version = version
    self.state = state
    self.since = since
    self.work = work
    self.degraded = degraded
    self.mistakes = mistakes
    self.prints = prints
    self.inbox = inbox
    self.residentBytes = residentBytes
    self.sandbox = sandbox
    self.hosts = hosts
    self.moreHosts = moreHosts
    files = Files(waiting: waitingFiles, unreadable: unreadableFiles)
    self.cluster = cluster
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    version = try fields.string("version")
    state = try fields.string("state")
    since = try fields.count("since")
    work = try WorkCounts(fields)
    degraded = try fields.strings("degraded")
    mistakes = try fields.strings("mistakes")
    prints = try fields.string("prints")
    inbox = try fields.string("inbox")
    residentBytes = try fields.count("residentBytes")
    sandbox = try fields.string("sandbox")
    hosts = try fields.values("hosts")
    moreHosts = try fields.count("moreHosts")
    files = Files(
      waiting: try fields.count("waitingFiles", or: 0),
      unreadable: try fields.count("unreadableFiles", or: 0))
    cluster = fields.isMissing("cluster") ? nil : try fields.value("cluster")
    expiring = try fields.strings("expiring")
    pictureRefusal =
      fields.isMissing("pictureRefusal") ? nil : try fields.string("pictureRefusal")
  }

  package var object: JSONObject {
    var object = JSONObject([
      "version": .string(version), "state": .string(state), "since": .count(since),
      "lists": .int(Int64(work.lists)), "listsKnown": .bool(work.areKnown),
      "pausedLists": .int(Int64(work.pausedLists)), "paused": .values(work.paused),
      "photosWaiting": .int(Int64(work.photosWaiting)),
      "photosRunning": .int(Int64(work.photosRunning)), "downloads": .int(Int64(work.downloads)),
      "filters": .int(Int64(work.filters)), "outputs": .int(Int64(work.outputs)),
      "degraded": .array(degraded.map { .string($0) }),
      "mistakes": .array(mistakes.map { .string($0) }),
      "expiring": .array(expiring.map { .string($0) }), "prints": .string(prints),
      "inbox": .string(inbox), "residentBytes": .count(residentBytes), "sandbox": .string(sandbox),
      "hosts": .values(hosts), "moreHosts": .int(Int64(moreHosts)),
      "waitingFiles": .int(Int64(waitingFiles)), "unreadableFiles": .int(Int64(unreadableFiles)),
    ])
    object["cluster"] = cluster.map { .value($0) }
    object["pictureRefusal"] = pictureRefusal.map { .string($0) }
    return object
  }
}
