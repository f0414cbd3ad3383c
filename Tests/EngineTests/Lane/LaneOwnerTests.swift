#if DEBUG
  import Reactive
  import Testing

  @testable import Engine

  @Suite("Lane owner") struct LaneOwnerTests {
    private let here = LaneOwner.makeLane()
    private let elsewhere = LaneOwner.makeLane()

    /// An owner that a turn of `here` has used.
    private func used() -> LaneOwner {
      let owner = LaneOwner()
      LaneOwner.turn(of: here) { #expect(owner.isHere) }
      return owner
    }

    /// Whether a thread without a turn may use it at the moment; with `lent`, one that the turn waits for.
    private func isForOthers(_ owner: LaneOwner, lent: Bool = false) -> Bool {
      let answer = ConditionLock<Bool?>(nil)
      let other = SerialScheduler(name: "other")
      other.perform { [here] in
        let ask = { answer.change { $0 = owner.isHere } }
        if lent { LaneOwner.turn(of: here, ask) } else { ask() }
      }
      return withExtendedLifetime(other) { answer.wait { $0 } } ?? false
    }

    @Test("what no turn has used is for everything")
    func unused() {
      let owner = LaneOwner()
      #expect(owner.isHere && isForOthers(owner))
    }

    @Test("what a turn of a lane has used is not for another lane")
    func otherLane() {
      let owner = used()
      LaneOwner.turn(of: elsewhere) { #expect(!owner.isHere) }
      LaneOwner.turn(of: here) { #expect(owner.isHere) }
    }

    @Test("while the lane has a turn, it is for that and for the threads that it waits for")
    func otherThread() {
      let owner = used()
      #expect(owner.isHere && isForOthers(owner), "the lane rests")
      LaneOwner.turn(of: here) {
        #expect(!isForOthers(owner))
        #expect(isForOthers(owner, lent: true))
        #expect(!isForOthers(owner), "the turn goes on")
      }
      #expect(isForOthers(owner))
    }
  }
#endif
