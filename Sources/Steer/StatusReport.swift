// SPDX-License-Identifier: Apache-2.0
// What `Status` answers: the daemon as it is now.

package struct StatusReport: MessageValue {
  package var version: String
  /// One word or a few: `running`, `waiting for disk space`, `stopping`.
  package var state: String
  /// When the daemon started, milliseconds since 1970.
  package var since: UInt64
  /// Lists that are not finished or cancelled.
  package var lists: Int
  package var photosWaiting: Int
  package var photosRunning: Int
  /// What runs in each stage now.
  package var downloads: Int
  package var filters: Int
  package var outputs: Int
  /// What this machine or the set-up lacks, a sentence each; empty when all is well.
  package var degraded: [String]
  package var prints: String
  package var inbox: String
  package var residentBytes: UInt64
  /// How the workers are confined, in words.
  package var sandbox: String
  /// Servers that do not answer now, by name, and how many more there are.
  package var hosts: [HostSummary]
  package var moreHosts: Int

  package init(
    version: String, state: String, since: UInt64, lists: Int, photosWaiting: Int,
    photosRunning: Int, downloads: Int, filters: Int, outputs: Int, degraded: [String],
    prints: String, inbox: String, residentBytes: UInt64, sandbox: String,
    hosts: [HostSummary] = [],
    moreHosts: Int = 0
  ) {
    self.version = version
    self.state = state
    self.since = since
    self.lists = lists
    self.photosWaiting = photosWaiting
    self.photosRunning = photosRunning
    self.downloads = downloads
    self.filters = filters
    self.outputs = outputs
    self.degraded = degraded
    self.prints = prints
    self.inbox = inbox
    self.residentBytes = residentBytes
    self.sandbox = sandbox
    self.hosts = hosts
    self.moreHosts = moreHosts
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    version = try fields.string("version")
    state = try fields.string("state")
    since = try fields.count("since")
    lists = try fields.count("lists")
    photosWaiting = try fields.count("photosWaiting")
    photosRunning = try fields.count("photosRunning")
    downloads = try fields.count("downloads")
    filters = try fields.count("filters")
    outputs = try fields.count("outputs")
    degraded = try fields.strings("degraded")
    prints = try fields.string("prints")
    inbox = try fields.string("inbox")
    residentBytes = try fields.count("residentBytes")
    sandbox = try fields.string("sandbox")
    hosts = try fields.values("hosts")
    moreHosts = try fields.count("moreHosts")
  }

  package var object: JSONObject {
    JSONObject([
      "version": .string(version), "state": .string(state), "since": .count(since),
      "lists": .int(Int64(lists)), "photosWaiting": .int(Int64(photosWaiting)),
      "photosRunning": .int(Int64(photosRunning)), "downloads": .int(Int64(downloads)),
      "filters": .int(Int64(filters)), "outputs": .int(Int64(outputs)),
      "degraded": .array(degraded.map { .string($0) }), "prints": .string(prints),
      "inbox": .string(inbox), "residentBytes": .count(residentBytes), "sandbox": .string(sandbox),
      "hosts": .values(hosts), "moreHosts": .int(Int64(moreHosts)),
    ])
  }
}
