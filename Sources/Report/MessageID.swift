// SPDX-License-Identifier: Apache-2.0
// What kind of thing happened: a fixed number that never changes and is never used for another
// kind. `systemd/darkroom.catalog` has an entry for each, and ReportTests hold the two together.

package enum MessageID: String, Sendable, CaseIterable {
  case ready = "fe8176a0c13d413cbbc3e428415b82ee"
  case stopping = "79b41c7f4dbe4e8c8767ae3567dc8c2f"
  case listAccepted = "26845c5acfdd428ea85984ca745b36a0"
  case listRejected = "e726644143b342a1a89cd3907d1e5ce2"
  case listProgress = "4fe266f93fbf4db8a575e3c87ada59a9"
  case listFinished = "907b8b5cc6cd4a45946dea8ebfe8a20c"
  case listPaused = "50577db90b834ee8b3e808f44881985e"
  case listResumed = "45b94698a98c4d74b656459b44fbd63c"
  case listCancelled = "ea11e00807684e8d953af7ad0accd5e8"
  case photoFinished = "94d62822fe6b4255b949b48430bdeea3"
  case photoFailed = "100dcb05ca1f49ff8129abae2bcd42ae"
  case retryScheduled = "1fca7e9c33154077aed566068a322415"
  case hostClosed = "e75f7348bf7b48b1a78ab5f67bdd0e66"
  case hostReopened = "cc8a1a7643104283b9f04798fc692e0c"
  case transition = "aefa9417bace40f784d0be954b5c23dc"
  case machineTrouble = "d6fa902963c140b0a34c95d860d4c256"
  case machineRecovered = "c5208ca66961411bb30fa78ef1cb8743"
  case journalReplayed = "4a73578da6de4bfe8dfee2cedcf40b6f"
  case journalDamaged = "c1daa4dd8c7e4bb48179c6a3a5e08a85"
  case journalUnwritable = "ab27e0312fc94c3f9974b58fffcb7df1"
  case configurationReloaded = "51918702cc474cf1b104c45a2877ff88"
  case configurationRejected = "a7bb11051bc1454fa087966cdd8b5281"
  case fileIgnored = "f3c66a5ead4c4eb5a2f1a8c69f4ece72"
  case workerDied = "25a13b6ad9d3468d914994a54d68292d"
  case recordsCoalesced = "91d3edc5e769440b8a391e206b5f06d9"
  case inboxDegraded = "680049b29edb4b21bf58360553ed5520"
  case inboxRecovered = "f21c9005a2a14635aefd7a75d885e503"
  case sandboxReduced = "c550013db90740aaa594866e3b160c40"
}
