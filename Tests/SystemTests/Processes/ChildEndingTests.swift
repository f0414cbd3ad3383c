import Expectations
import Glibc
import Reactive
import Testing

import TestSupport
@testable import System

@Suite(.timeLimit(.minutes(30))) struct ChildEndingTests {
  private func start(_ arguments: String...) throws -> pid_t {
    let none = Descriptor.none
    return try Spawn.start(
      ChildCommand(arguments: arguments), environment: [:], input: none, output: none, errors: none
    ).process
  }

  @Test("the end is noticed where the kernel gives no notice of it, and the status is still there")
  func noNotice() throws {
    let ending = ChildEnding(
      of: try start("sh", "-c", "sleep 0.1; exit 8"), timeout: .seconds(20), killAfter: .zero)
    #expect(!ending.hasEnded)
    #expect(eventually { ending.hasEnded })
    expect(ending.conclude(), equals: .exited(8))
  }

  @Test("each stage is due at its time, and after the last there is no wait; the status is taken later")
  func givenUp() throws {
    let process = try start("sh", "-c", "trap '' TERM; while :; do sleep 0.05; done")
    var ending = ChildEnding(of: process, timeout: .seconds(100), killAfter: .seconds(10))
    let start = MonotonicClock.now
    ending.advance(at: start + .seconds(99), isStopped: false)
    #expect(!ending.hasEnded)
    ending.advance(at: start + .seconds(101), isStopped: false)
    expect(ending.deadline, equals: start + .seconds(111))
    #expect(!ending.isKilled)
    ending.advance(at: ending.deadline, isStopped: false)
    #expect(ending.isKilled)
    ending.advance(at: ending.deadline, isStopped: false)
    #expect(ending.isGivenUp)
    expect(ending.conclude(), equals: .timedOut)
    let taken = eventually {
      UnreapedChildren.collect()
      return UnreapedChildren.count == 0
    }
    #expect(taken)
    expectNil(state(of: "\(process)"))
  }

  @Test("told to stop when it had just ended, it has ended by itself")
  func stoppedTooLate() throws {
    var ending = ChildEnding(of: try start("sh", "-c", "exit 3"), timeout: .seconds(20), killAfter: .zero)
    #expect(eventually { ending.hasEnded })
    ending.advance(at: MonotonicClock.now, isStopped: true)
    expect(ending.conclude(), equals: .exited(3))
  }
}
