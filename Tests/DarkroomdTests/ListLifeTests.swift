// SPDX-License-Identifier: Apache-2.0
// A list's life as a value: the actions that events lead to.

import Testing
import Vocabulary

@testable import darkroomd

@Suite struct ListLifeTests {
  private let full = Failure(.machine, code: "disk.full", reason: "no space left on device")
  private let gone = Failure(.final, code: "list.gone", reason: "open catalog: no such file")
  private let person = ListLife.Asker.person(1, user: 1000)

  private func act(
    _ life: inout ListLife, _ event: ListLife.Event, at seconds: Int64 = 0
  ) -> [ListLife.Action] {
    life.handle(event, at: .seconds(seconds))
  }

  private func begin(_ life: inout ListLife) -> [ListLife.Action] { life.begin() }

  /// The life of a list at work.
  private func opened(paused: Bool = false) -> ListLife {
    var life = ListLife(paused ? .paused : .accepted, takesOver: false)
    _ = life.begin()
    _ = life.handle(.opened(nil), at: .zero)
    if paused { _ = life.handle(.idle(1), at: .zero) }
    return life
  }

  @Test func `a list is opened, worked on, finished, returned and forgotten`() {
    var life = ListLife(.accepted, takesOver: false)
    #expect(begin(&life) == [.open])
    #expect(act(&life, .opened(nil)) == [.health(nil), .resumeChains])
    #expect(life.phase == .open(trouble: nil) && !life.isSettled)
    #expect(act(&life, .photosDone) == [.record(.finished)])
    #expect(
      act(&life, .recorded(nil))
        == [.health(nil), .dropChains, .tell(.finished), .awaitIdle(1)])
    #expect(act(&life, .idle(1)) == [.giveBack])
    #expect(act(&life, .returned(nil)) == [.copyHealth(nil), .forget])
    #expect(life.phase == .over && life.isSettled)
  }

  @Test func `a list that takes over is opened afterwards, even if nothing was taken over`() {
    for failure in [nil, gone, Failure.cancelled] {
      var life = ListLife(.accepted, takesOver: true)
      #expect(begin(&life) == [.takeOver])
      #expect(act(&life, .tookOver(failure)) == [.open])
    }
  }

  @Test func `a disk that is better ends a pause after trouble, and nothing else`() {
    var life = ListLife(.accepted, takesOver: false)
    _ = life.begin()
    #expect(act(&life, .relieved).isEmpty)
    _ = act(&life, .opened(full), at: 1)
    #expect(act(&life, .relieved, at: 2) == [.open])
    #expect(act(&life, .timePassed, at: 6).isEmpty, "the wake-up of the pause that is over")
    _ = act(&life, .opened(nil), at: 7)
    #expect(act(&life, .relieved, at: 7).isEmpty)
    _ = act(&life, .photosDone)
    _ = act(&life, .recorded(full), at: 8)
    #expect(act(&life, .relieved, at: 9) == [.record(.finished)])
    _ = act(&life, .recorded(nil), at: 9)
    #expect(act(&life, .idle(1)) == [.giveBack])
    _ = act(&life, .returned(full), at: 10)
    #expect(act(&life, .relieved, at: 11) == [.giveBack])
    #expect(act(&life, .relieved, at: 11).isEmpty)
    _ = act(&life, .returned(nil), at: 12)
    #expect(act(&life, .relieved, at: 12).isEmpty && life.phase == .over)
  }

  @Test func `a copy that waits for a person is settled, one that waits for the disk is not`() {
    let lost = ListLoss.missing.failure("it is missing")
    for (failure, isSettled) in [(lost, true), (full, false)] {
      var life = ListLife(.finished, takesOver: false)
      #expect(begin(&life) == [.giveBack])
      #expect(!life.isSettled)
      _ = act(&life, .returned(failure), at: 1)
      #expect(life.isSettled == isSettled)
      #expect(act(&life, .timePassed, at: 6) == [.giveBack])
      #expect(!life.isSettled)
    }
  }

  @Test func `a file that could not be read is lost when it cannot be read again`() {
    let (unread, missing) = (ListLoss.unread.failure("an error"), ListLoss.missing.failure("gone"))
    for (second, isSettled) in [(unread, true), (missing, true), (full, false)] {
      var life = ListLife(.finished, takesOver: false)
      _ = begin(&life)
      _ = act(&life, .returned(unread), at: 1)
      #expect(!life.isSettled && life.loss == unread)
      #expect(act(&life, .timePassed, at: 6) == [.giveBack])
      _ = act(&life, .returned(second), at: 6)
      #expect(life.isSettled == isSettled)
    }
  }

  @Test func `a removal ends the wait for a copy, but not a return that runs`() {
    for failure in [ListLoss.changed.failure("it was changed"), full] {
      var life = ListLife(.finished, takesOver: false)
      #expect(begin(&life) == [.giveBack] && life.loss == nil)
      _ = act(&life, .returned(failure), at: 1)
      #expect(life.loss == (failure == full ? nil : failure))
      var waiting = life
      #expect(act(&waiting, .abandoned, at: 2) == [.forget] && waiting.phase == .over)
      #expect(act(&life, .timePassed, at: 6) == [.giveBack])
      #expect(act(&life, .abandoned, at: 6).isEmpty && act(&life, .abandoned, at: 6).isEmpty)
      #expect(act(&life, .returned(failure), at: 7) == [.copyHealth(nil), .forget])
      #expect(life.phase == .over)
    }
    var life = ListLife(.accepted, takesOver: false)
    _ = begin(&life)
    #expect(act(&life, .abandoned).isEmpty)
  }

  @Test func `opening and taking over are tried again after trouble of this machine`() {
    var life = ListLife(.accepted, takesOver: true)
    _ = life.begin()
    #expect(act(&life, .tookOver(full)) == [.health(full), .wake(after: .seconds(5))])
    #expect(act(&life, .timePassed, at: 4).isEmpty)
    #expect(act(&life, .timePassed, at: 5) == [.takeOver])
    #expect(act(&life, .tookOver(nil), at: 6) == [.open])
    #expect(act(&life, .opened(full), at: 6) == [.health(full), .wake(after: .seconds(5))])
    #expect(!life.isSettled)
    #expect(act(&life, .timePassed, at: 11) == [.open])
    #expect(act(&life, .opened(nil), at: 12) == [.health(nil), .resumeChains])
  }

  @Test func `a cancel that overtakes the opening is not trouble`() {
    var life = ListLife(.accepted, takesOver: false)
    _ = begin(&life)
    #expect(act(&life, .asked(.cancel, person)) == [.record(.cancelled, by: person)])
    // The record says already that the list is over.
    #expect(act(&life, .opened(.cancelled)) == [])
    #expect(
      act(&life, .recorded(nil)) == [.health(nil), .dropChains, .awaitIdle(1)])
    #expect(
      act(&life, .idle(1)) == [.tell(.cancelled, by: person), .answer(person, nil), .giveBack])
  }

  @Test func `a damaged list waits for a person, who may cancel it`() {
    var life = ListLife(.accepted, takesOver: false)
    _ = life.begin()
    #expect(act(&life, .opened(gone)) == [.dropChains, .health(gone), .awaitIdle(1)])
    #expect(!life.isSettled)
    #expect(act(&life, .idle(1)).isEmpty)
    #expect(life.isSettled)
    #expect(act(&life, .timePassed, at: 1000).isEmpty)
    #expect(act(&life, .asked(.cancel, person)) == [.record(.cancelled, by: person)])
    #expect(act(&life, .recorded(nil)) == [.health(nil), .dropChains, .awaitIdle(2)])
    #expect(
      act(&life, .idle(2)) == [.tell(.cancelled, by: person), .answer(person, nil), .giveBack])
    #expect(act(&life, .returned(gone)) == [.copyHealth(gone), .forget])
  }

  @Test func `a list that becomes unreadable at work is closed, and tried again or damaged`() {
    var life = opened()
    #expect(
      act(&life, .unreadable(full)) == [.dropChains, .health(full), .wake(after: .seconds(5))])
    #expect(act(&life, .timePassed, at: 5) == [.open])
    _ = life.handle(.opened(nil), at: .seconds(5))
    #expect(act(&life, .unreadable(gone)) == [.dropChains, .health(gone), .awaitIdle(1)])
    #expect(life.phase == .damaged(gone))
  }

  @Test func `trouble of one list is reported and leaves it at work`() {
    var life = opened()
    #expect(act(&life, .troubled(full)) == [.health(full)])
    #expect(life.phase == .open(trouble: full))
    #expect(act(&life, .troubled(nil)) == [.health(nil)])
  }

  @Test func `another class is recorded, handed to the chains, told and answered`() {
    var life = opened()
    #expect(
      act(&life, .asked(.quality(.utility), person)) == [.record(.quality(.utility), by: person)])
    #expect(
      act(&life, .recorded(nil))
        == [.setClass(.utility), .tell(.quality(.utility), by: person), .answer(person, nil)])
    #expect(life.serviceClass == .utility)
    #expect(act(&life, .asked(.quality(.utility), person)) == [.answer(person, nil)])
  }

  @Test func `another class that is recorded while the list is opened reaches the chains`() {
    var life = ListLife(.accepted, .utility, takesOver: false)
    _ = life.begin()
    for serviceClass in [ServiceClass.background, .utility] {
      _ = act(&life, .asked(.quality(serviceClass), person))
      #expect(
        act(&life, .recorded(nil)) == [
          .tell(.quality(serviceClass), by: person), .answer(person, nil),
        ])
    }
    #expect(act(&life, .opened(nil)) == [.health(nil), .setClass(.utility), .resumeChains])
    _ = act(&life, .unreadable(full))
    #expect(act(&life, .timePassed, at: 5) == [.open])
    #expect(act(&life, .opened(nil), at: 5) == [.health(nil), .resumeChains])
  }

  @Test func `a list that is over keeps its class, and says so`() {
    var life = opened()
    _ = act(&life, .asked(.cancel, person))
    _ = act(&life, .recorded(nil))
    #expect(
      act(&life, .asked(.quality(.utility), person)) == [.answer(person, OpenList.over)])
  }

  @Test func `a pause is answered when it is durable, and the list is settled once nothing runs`() {
    var life = opened()
    #expect(act(&life, .asked(.pause, person)) == [.record(.paused, by: person)])
    #expect(
      act(&life, .recorded(nil))
        == [.pauseChains, .awaitIdle(1), .tell(.paused, by: person), .answer(person, nil)])
    #expect(life.isPaused && !life.isSettled)
    #expect(act(&life, .idle(1)).isEmpty)
    #expect(life.isSettled)
    #expect(act(&life, .asked(.pause, person)) == [.answer(person, nil)])
    #expect(act(&life, .asked(.resume, person)) == [.record(.resumed, by: person)])
    #expect(
      act(&life, .recorded(nil)) == [
        .resumeChains, .tell(.resumed, by: person), .answer(person, nil),
      ])
    #expect(!life.isSettled)
  }

  @Test func `after two pauses only the end of the second one settles the list`() {
    var life = opened()
    _ = life.handle(.asked(.pause, person), at: .zero)
    _ = life.handle(.recorded(nil), at: .zero)
    _ = life.handle(.asked(.resume, person), at: .zero)
    _ = life.handle(.recorded(nil), at: .zero)
    _ = life.handle(.asked(.pause, person), at: .zero)
    _ = life.handle(.recorded(nil), at: .zero)
    #expect(act(&life, .idle(1)).isEmpty)
    #expect(!life.isSettled)
    #expect(act(&life, .idle(2)).isEmpty)
    #expect(life.isSettled)
  }

  @Test func `changes are recorded one at a time, in the order of the requests`() {
    var life = opened()
    let (second, third) = (
      ListLife.Asker.person(2, user: 1000), ListLife.Asker.person(3, user: 1000)
    )
    #expect(act(&life, .asked(.pause, person)) == [.record(.paused, by: person)])
    #expect(act(&life, .asked(.resume, second)).isEmpty)
    #expect(act(&life, .asked(.cancel, third)).isEmpty)
    #expect(
      act(&life, .recorded(nil)).suffix(2) == [.answer(person, nil), .record(.resumed, by: second)])
    #expect(
      act(&life, .recorded(nil)).suffix(2) == [
        .answer(second, nil), .record(.cancelled, by: third),
      ])
    #expect(act(&life, .recorded(nil)) == [.health(nil), .dropChains, .awaitIdle(2)])
    #expect(act(&life, .asked(.cancel, person)).isEmpty, "waits for the same end")
    #expect(act(&life, .asked(.pause, second)) == [.answer(second, OpenList.over)])
    #expect(
      act(&life, .idle(2))
        == [.tell(.cancelled, by: third), .answer(third, nil), .answer(person, nil), .giveBack])
    #expect(act(&life, .asked(.cancel, person)) == [.answer(person, nil)], "it is cancelled")
  }

  @Test func `a cancel is answered when it is durable and nothing of the list runs`() {
    var life = opened()
    #expect(act(&life, .asked(.cancel, person)) == [.record(.cancelled, by: person)])
    #expect(act(&life, .recorded(nil)) == [.health(nil), .dropChains, .awaitIdle(1)])
    #expect(
      act(&life, .idle(1)) == [.tell(.cancelled, by: person), .answer(person, nil), .giveBack])
  }

  @Test func `a change that cannot be recorded is answered with the reason, and nothing changes`() {
    var life = opened()
    _ = life.handle(.asked(.pause, person), at: .zero)
    #expect(act(&life, .recorded(full)) == [.answer(person, full)])
    #expect(!life.isPaused)
    _ = life.handle(.asked(.cancel, person), at: .zero)
    #expect(act(&life, .recorded(.overtaken)) == [.answer(person, OpenList.over)])
    #expect(life.phase == .open(trouble: nil))
  }

  @Test func `a list whose end cannot be recorded reports the reason and is ended later`() {
    var life = opened()
    _ = life.handle(.photosDone, at: .zero)
    #expect(act(&life, .recorded(full)) == [.health(full), .wake(after: .seconds(5))])
    #expect(life.phase == .finishing(full, until: .seconds(5)))
    #expect(act(&life, .timePassed, at: 5) == [.record(.finished)])
    #expect(act(&life, .recorded(nil)).first == .health(nil))
  }

  @Test func `a list whose record has photos left is opened again, after a while`() {
    var life = opened()
    _ = life.handle(.photosDone, at: .zero)
    let actions = life.handle(.recorded(.overtaken), at: .zero)
    #expect(actions.first == .dropChains && actions.last == .wake(after: .seconds(5)))
    #expect(act(&life, .timePassed, at: 5) == [.open])
  }

  @Test func `a cancel while the list is being opened or takes over waits for that to end`() {
    var life = ListLife(.accepted, takesOver: true)
    _ = life.begin()
    _ = life.handle(.asked(.cancel, person), at: .zero)
    #expect(act(&life, .recorded(nil)) == [.health(nil), .dropChains, .stop(.takeOver)])
    #expect(act(&life, .tookOver(.cancelled)) == [.dropChains, .awaitIdle(1)])
    #expect(act(&life, .idle(1)).contains(.answer(person, nil)))

    var other = ListLife(.accepted, takesOver: false)
    _ = other.begin()
    _ = other.handle(.asked(.cancel, person), at: .zero)
    #expect(act(&other, .recorded(nil)) == [.health(nil), .dropChains, .stop(.open)])
    // The chains have the list already.
    #expect(act(&other, .opened(nil)) == [.dropChains, .awaitIdle(1)])
  }

  @Test func `a pause or an end that comes before a list is open holds once it is`() {
    var life = ListLife(.accepted, takesOver: false)
    _ = life.begin()
    _ = life.handle(.asked(.pause, person), at: .zero)
    #expect(act(&life, .recorded(nil)) == [.tell(.paused, by: person), .answer(person, nil)])
    #expect(act(&life, .photosDone).isEmpty)
    #expect(
      act(&life, .opened(nil)) == [.health(nil), .awaitIdle(1), .record(.finished)])
  }

  @Test func `a copy that this machine cannot make now is made later`() {
    var life = ListLife(.finished, takesOver: false)
    #expect(begin(&life) == [.giveBack])
    #expect(act(&life, .returned(full)) == [.copyHealth(full), .wake(after: .seconds(5))])
    #expect(!life.isSettled)
    #expect(act(&life, .timePassed, at: 5) == [.giveBack])
    #expect(act(&life, .asked(.cancel, person)) == [.answer(person, OpenList.over)])
    #expect(act(&life, .returned(nil)) == [.copyHealth(nil), .forget])
  }

  @Test func `the pauses between failed copies grow to 80 seconds`() {
    var life = ListLife(.finished, takesOver: false)
    _ = life.begin()
    var now: Int64 = 0
    for pause in [5, 10, 20, 40, 80, 80] as [Int64] {
      #expect(
        act(&life, .returned(full), at: now) == [.copyHealth(full), .wake(after: .seconds(pause))])
      now += pause
      #expect(act(&life, .timePassed, at: now - 1).isEmpty)
      #expect(act(&life, .timePassed, at: now) == [.giveBack])
    }
  }

  @Test func `late events change nothing`() {
    var life = opened()
    _ = life.handle(.asked(.cancel, person), at: .zero)
    _ = life.handle(.recorded(nil), at: .zero)
    let before = life
    for event: ListLife.Event in [
      .photosDone, .troubled(full), .unreadable(gone), .opened(nil), .tookOver(nil),
      .returned(nil), .timePassed, .idle(99), .recorded(nil),
    ] {
      #expect(act(&life, event, at: 100).isEmpty, "\(event)")
    }
    #expect(life == before)
  }
}
