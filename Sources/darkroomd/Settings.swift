// SPDX-License-Identifier: Apache-2.0
// Every setting as a value, with its built-in default. darkroomd.conf(5) says what each means.

import Vocabulary

struct Settings: Equatable, Sendable {
  var quietTime = Duration.seconds(5)
  var maximumListSize: UInt64 = 256 << 20
  var rescanInterval = Duration.seconds(300)
  var maximumLists = 10_000
  var maximumPhotos = 100_000_000

  var connections = 16
  var connectionsPerHost = 6
  var allowNetworks: [String] = []
  var denyNetworks: [String] = []
  var fileFolders: [String] = []
  var maximumSize: UInt64 = 64 << 20
  var timeout = Duration.seconds(600)
  var connectTimeout = Duration.seconds(10)
  var stallTimeout = Duration.seconds(30)
  var attempts: UInt32 = 8
  var cache: UInt64 = 0
  var hostPatience = Duration.seconds(1800)
  /// Nil stands for a hundredth of the file system, of small ones more: see `SpaceFloor`.
  var freeSpace: UInt64?

  var filter = FilterFunction.standard
  var quality = PrintQuality.source
  var metadata = MetadataRule.keep
  /// 0 stands for the number of processors.
  var workers = 0
  var maximumPixels: UInt64 = 100_000_000
  var maximumMemory: UInt64 = 256 << 20
  var pictureTimeout = Duration.seconds(60)

  var sync = true
  var keepLists = Duration.seconds(30 * 86400)

  var progress = Duration.seconds(5)
  var transitions = false

  func workerCount(processors: Int) -> Int { workers == 0 ? max(1, processors) : workers }
}
