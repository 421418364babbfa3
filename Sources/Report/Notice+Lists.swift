// SPDX-License-Identifier: Apache-2.0
// The notices about lists and photos.

package import Vocabulary

extension Notice {
  // MARK: lists

  package static func listAccepted(_ list: ListFacts) -> Notice {
    change(of: list, "26845c5acfdd428ea85984ca745b36a0") { list in
      "Accepted list \(list.quoted)\(list.other): \(counted(list.total, "photo"))"
        + (list.revises.map { "; it takes over from list \($0)." } ?? ".")
    }
  }

  /// `name` is the dropped file's. A mistake of a person is not trouble of this machine.
  package static func listRejected(
    _ list: ListID, name: String, owner: Person, _ failure: Failure
  ) -> Notice {
    Notice(
      "e726644143b342a1a89cd3907d1e5ce2", about: Person?(owner),
      words: { _ in
        "Could not accept list \(quoted(name)): \(reason(failure)); the file is in failed/."
      },
      fields: {
        [.number(.listID, list.number), .text(.listName, name)] + $0.ownerFields + failure.fields
      })
  }

  package static func listProgress(_ list: ListFacts) -> Notice {
    Notice(
      "4fe266f93fbf4db8a575e3c87ada59a9", about: list,
      words: { "List \($0.quoted): \($0.progress)." }, fields: \.fields)
  }

  package static func listFinished(_ list: ListFacts) -> Notice {
    Notice(
      "907b8b5cc6cd4a45946dea8ebfe8a20c", about: list,
      words: { "Finished list \($0.quoted): \($0.progress)." }, fields: \.fields)
  }

  package static func listPaused(_ list: ListFacts) -> Notice {
    change(of: list, "50577db90b834ee8b3e808f44881985e") {
      "Paused list \($0.quoted)\($0.other): \($0.progress); it waits until it is resumed."
    }
  }

  package static func listResumed(_ list: ListFacts) -> Notice {
    change(of: list, "45b94698a98c4d74b656459b44fbd63c") {
      "Resumed list \($0.quoted)\($0.other): \($0.progress)."
    }
  }

  package static func listCancelled(_ list: ListFacts) -> Notice {
    change(of: list, "ea11e00807684e8d953af7ad0accd5e8") {
      "Cancelled list \($0.quoted)\($0.other): \($0.progress); finished prints stay."
    }
  }

  /// With its new class.
  package static func listReclassed(_ list: ListFacts) -> Notice {
    change(of: list, "036932645cbc4c919906941dd7ada529") {
      "List \($0.quoted) is now in class \($0.serviceClass.name)\($0.other): \($0.progress)."
    }
  }

  /// By this user, if the daemon still knows.
  package static func listRemoved(_ list: ListFacts) -> Notice {
    change(of: list, "0c1d8f52b7a04f3e9d26a1f4c85be973") {
      "Removed list \($0.quoted)\($0.other) with its results and the prints that it still had."
    }
  }

  /// KeepPrints= has passed since its end. Prints in a folder rest before they are removed.
  package static func printsExpired(_ list: ListFacts, isResting: Bool) -> Notice {
    change(of: list, "7e4c91d2a6b34f58b0d3e8715f2c6a94") { list in
      isResting
        ? "Set the prints of list \(list.quoted) aside as .expired-\(list.id), as KeepPrints= has passed since "
          + "its end; a day later they are removed."
        : "Removed the prints of list \(list.quoted), as KeepPrints= has passed since its end."
    }
  }

  /// Its fields name the user whose command changed the list.
  private static func change(
    of list: ListFacts, _ number: String, _ words: @escaping @Sendable (ListFacts) -> String
  ) -> Notice {
    Notice(number, about: list, words: words, fields: { $0.fields + $0.caller.callerFields })
  }

  // MARK: photos

  package static func photoFinished(_ photo: PhotoFacts) -> Notice {
    Notice(
      "94d62822fe6b4255b949b48430bdeea3", .info, about: photo,
      words: { "Filtered \($0.named)\($0.size)." }, fields: \.fields)
  }

  /// Another maker's print has the name, with other contents: it stands, and is the result.
  package static func printStood(_ photo: PhotoFacts) -> Notice {
    Notice(
      "b5d1f60a7c3e4982a04be91d62c87f13", about: photo,
      words: {
        "Kept the print of \($0.named) that was there\($0.size); this machine's differs, and is discarded."
      }, fields: \.fields)
  }

  /// A photo that its origin does not have is not trouble of this machine.
  package static func photoFailed(
    _ photo: PhotoFacts, _ stage: Stage, _ failure: Failure
  ) -> Notice {
    let isUnread = failure.code.hasPrefix("url.") || failure.code == "list.entry"
    return Notice(
      "100dcb05ca1f49ff8129abae2bcd42ae", about: photo,
      words: {
        "Could not \(isUnread ? "process \($0.named)" : $0.deed(stage)): \(reason(failure)); giving up."
      }, fields: { $0.fields + [.text(.stage, stage.name)] + failure.fields })
  }

  package static func retryScheduled(
    _ photo: PhotoFacts, _ stage: Stage, _ failure: Failure, after: Duration
  ) -> Notice {
    Notice(
      "1fca7e9c33154077aed566068a322415", about: photo,
      words: {
        "Could not \($0.deed(stage)): \(reason(failure)); trying again in \(after.spoken)."
      },
      fields: {
        $0.fields + [.text(.stage, stage.name), .time(.retryAfter, after)] + failure.fields
      })
  }

  /// This machine lost it: the photo has not failed.
  package static func originalLost(_ photo: PhotoFacts, _ failure: Failure) -> Notice {
    Notice(
      "5d0b6f3e8c1a4f27a96c2e70d4b8f315", .warning, about: photo,
      words: { "Beginning again with \($0.named): \(reason(failure))." },
      fields: { $0.fields + failure.fields })
  }

  package static func transition(_ photo: PhotoFacts) -> Notice {
    Notice(
      "aefa9417bace40f784d0be954b5c23dc", .debug, about: photo,
      words: { "Photo \($0.named): \($0.stateBefore.name) → \($0.state.name)." }, fields: \.fields)
  }

  /// The worker died while developing `photo`, or while reading the list when `photo` is nil.
  package static func workerDied(
    _ list: ListID, listName: String, photo: PhotoFacts?, reason: String, next: String
  ) -> Notice {
    Notice(
      "25a13b6ad9d3468d914994a54d68292d", .warning, counter: .workerDied, about: photo,
      words: { photo in
        "A worker died while working on \(photo?.named ?? "list \(quoted(listName))"): "
          + "\(told(reason)); \(told(next))."
      },
      fields: { photo in
        (photo?.fields ?? [.number(.listID, list.number), .text(.listName, listName)])
          + [.sentence(.reason, reason), .sentence(.waiting, next)]
      })
  }
}
