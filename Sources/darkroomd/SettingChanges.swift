// SPDX-License-Identifier: Apache-2.0
// What a reload changed, by the names people know, and what of it waits for the next start.

struct SettingChanges: Equatable {
  var all: [String] = []
  var waiting: [String] = []

  init(from old: Settings, to new: Settings) {
    note("QuietTime", old.quietTime != new.quietTime, waits: true)
    note("MaximumListSize", old.maximumListSize != new.maximumListSize, waits: true)
    note("RescanInterval", old.rescanInterval != new.rescanInterval, waits: true)
    note("MaximumLists", old.maximumLists != new.maximumLists)
    note("MaximumPhotos", old.maximumPhotos != new.maximumPhotos)
    note("Connections", old.connections != new.connections)
    note("ConnectionsPerHost", old.connectionsPerHost != new.connectionsPerHost)
    note("AllowNetworks", old.allowNetworks != new.allowNetworks)
    note("DenyNetworks", old.denyNetworks != new.denyNetworks)
    note("FileFolders", old.fileFolders != new.fileFolders)
    note("MaximumSize", old.maximumSize != new.maximumSize)
    note("Timeout", old.timeout != new.timeout || old.pictureTimeout != new.pictureTimeout)
    note("ConnectTimeout", old.connectTimeout != new.connectTimeout)
    note("StallTimeout", old.stallTimeout != new.stallTimeout)
    note("Attempts", old.attempts != new.attempts, waits: true)
    note("Cache", old.cache != new.cache)
    note("HostPatience", old.hostPatience != new.hostPatience)
    note("FreeSpace", old.freeSpace != new.freeSpace)
    note("Filter", old.filter != new.filter)
    note("Quality", old.quality != new.quality)
    note("Metadata", old.metadata != new.metadata)
    note("Workers", old.workers != new.workers)
    note("MaximumPixels", old.maximumPixels != new.maximumPixels)
    note("MaximumMemory", old.maximumMemory != new.maximumMemory)
    note("Sync", old.sync != new.sync, waits: true)
    note("KeepLists", old.keepLists != new.keepLists)
    note("Progress", old.progress != new.progress, waits: true)
    note("Transitions", old.transitions != new.transitions, waits: true)
  }

  private mutating func note(_ name: String, _ isChanged: Bool, waits: Bool = false) {
    guard isChanged else { return }
    all.append(name)
    if waits { waiting.append(name) }
  }
}
