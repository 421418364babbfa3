// SPDX-License-Identifier: Apache-2.0
// All settings with their built-in defaults, one type for each section of the file. A value; raises nothing.
// darkroomd.conf(5) explains each.

import Vocabulary

struct Settings: Equatable, Sendable {
  var inbox = Inbox()
  var network = Network()
  var download = Download()
  var filter = Filter()
  var output = Output()
  var record = Record()
  var report = Report()
  var hooks = Hooks()
  var cluster = Cluster()
  /// Not in a file: the limit of the process.
  var shares = FileShares.ofThisProcess
  /// Not in a file: what the settings of the network name, and the credentials.
  var networkFiles = NetworkFiles()

  struct Inbox: Equatable, Sendable {
    var quietTime = Duration.seconds(5)
    var maximumListSize: UInt64 = 256 << 20
    var rescanInterval = Duration.seconds(300)
    var pictures = true
    var maximumLists = 10_000
    var maximumPhotos = 100_000_000
    /// At work or over.
    var listsPerUser = 10_000
  }

  struct Network: Equatable, Sendable {
    var proxy: ProxyServer?
    var noProxy: [HostPattern] = []
    /// A file or a folder.
    var certificateAuthorities: String?
    /// Empty for none.
    var contact = ""

    var route: ProxyRoute { ProxyRoute(proxy, direct: noProxy) }
  }

  struct Download: Equatable, Sendable {
    var connections = 16
    var connectionsPerHost = 6
    var allowNetworks: [NetworkRange] = []
    var denyNetworks: [NetworkRange] = []
    var fileFolders: [String] = []
    var maximumSize: UInt64 = 64 << 20
    var timeout = Duration.seconds(600)
    var connectTimeout = Duration.seconds(10)
    var stallTimeout = Duration.seconds(30)
    var attempts: UInt32 = 8
    var cache: UInt64 = 0
    var hostPatience = Duration.seconds(1800)
    /// Nil stands for 1 % of the file system, and more of a small one: see `SpaceFloor`.
    var freeSpace: UInt64?
  }

  struct Filter: Equatable, Sendable {
    var function = FilterFunction.standard
    var quality = PrintQuality.source
    var metadata = MetadataRule.keep
    /// The prints of a list are for its owner alone, unless the list sets another value.
    var privatePrints = false
    /// Nil stands for the number of processors.
    var workers: Int?
    var maximumPixels: UInt64 = 100_000_000
    var maximumMemory: UInt64 = 256 << 20
    var timeout = Duration.seconds(60)
  }

  struct Output: Equatable, Sendable {
    /// Their height in pixels; nil for none.
    var thumbnails: UInt16? = 240
    /// Lists have contact sheets, unless they say otherwise.
    var contactSheet = true
  }

  struct Record: Equatable, Sendable {
    var sync = true
    var keepLists = Duration.seconds(30 * 86400)
    /// Nil keeps them for ever.
    var keepPrints: Duration?
  }

  struct Hooks: Equatable, Sendable {
    /// Full paths of programs.
    var onFinished: String?
    var onFailed: String?
    /// URLs that lists may notify.
    var webhooks: [WebhookPrefix] = []
    var timeout = Duration.seconds(60)
    var webhookTimeout = Duration.seconds(30)
  }

  struct Cluster: Equatable, Sendable {
    /// A connection string or URI; nil for a machine that works alone.
    var ledger: String?
    /// The path of a file, or the name of a credential.
    var password: String?
    /// Nil stands for the host name.
    var node: String?
    var leaseTime = Duration.seconds(30)
    /// The most photos of a share.
    var chunk = 256
    /// Where all nodes find prints and lists.
    var blobs: BlobPlace?
    /// For the signatures of requests to the store.
    var blobRegion = "us-east-1"
    /// The path of a file, or the name of a credential.
    var blobCredentials: String?

    var hasStore: Bool {
      if ledger != nil, case .store = blobs { true } else { false }
    }

    static let needsCredentials =
      "Blobs= names a store, and needs BlobCredentials=, a file with KEY:SECRET"
  }

  struct Report: Equatable, Sendable {
    var progress = Duration.seconds(5)
    var transitions = false
  }
}
