// SPDX-License-Identifier: Apache-2.0
// Gives the users of a notice their names.

extension Notice {
  mutating func name(_ names: inout PersonNames) {
    switch self {
    case .listAccepted(var list):
      list.name(&names)
      self = .listAccepted(list)
    case .listProgress(var list):
      list.name(&names)
      self = .listProgress(list)
    case .listFinished(var list):
      list.name(&names)
      self = .listFinished(list)
    case .listPaused(var list):
      list.name(&names)
      self = .listPaused(list)
    case .listResumed(var list):
      list.name(&names)
      self = .listResumed(list)
    case .listCancelled(var list):
      list.name(&names)
      self = .listCancelled(list)
    case .listReclassed(var list):
      list.name(&names)
      self = .listReclassed(list)
    case .listRemoved(var list):
      list.name(&names)
      self = .listRemoved(list)
    case .printsExpired(var list, let isResting):
      list.name(&names)
      self = .printsExpired(list, isResting: isResting)
    case .listRejected(let list, let name, var owner, let failure):
      names.name(&owner)
      self = .listRejected(list, name: name, owner: owner, failure)
    case .photoFinished(var photo):
      names.name(&photo.owner)
      self = .photoFinished(photo)
    case .photoFailed(var photo, let stage, let failure):
      names.name(&photo.owner)
      self = .photoFailed(photo, stage, failure)
    case .retryScheduled(var photo, let stage, let failure, let after):
      names.name(&photo.owner)
      self = .retryScheduled(photo, stage, failure, after: after)
    case .transition(var photo):
      names.name(&photo.owner)
      self = .transition(photo)
    case .configurationReloaded(let changed, var caller):
      names.name(&caller)
      self = .configurationReloaded(changed: changed, by: caller)
    case .hostsFlushed(let host, let count, var caller):
      names.name(&caller)
      self = .hostsFlushed(host, count: count, by: caller)
    case .cacheCleared(var caller):
      names.name(&caller)
      self = .cacheCleared(by: caller)
    default: break
    }
  }
}

extension ListFacts {
  fileprivate mutating func name(_ names: inout PersonNames) {
    names.name(&owner)
    names.name(&caller)
  }
}
