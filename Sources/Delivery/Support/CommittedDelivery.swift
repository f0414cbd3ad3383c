import Engine
import JSON
import Language
import Reactive
import System

extension Feed {
  /// How long a stopped run waits for its last commit.
  package static let lastCommit = Duration.seconds(5)

  /// Sends values as one delivery, and waits until everything that they have caused is committed: whether it is; nil
  /// where the run ends before.
  package func commit(_ values: [Value], position: Value? = nil, stop: StopSign) -> Bool? {
    let isCommitted = ConditionLock<Bool?>(nil)
    send(
      values, position: position,
      acknowledgement: Acknowledgement { result in isCommitted.change { $0 = result } })
    while true {
      let wasStopped = stop.isSet
      let result = isCommitted.wait(
        until: MonotonicClock.now + (wasStopped ? Self.lastCommit : .seconds(1))
      ) { $0 }
      if wasStopped || result != nil { return result }
    }
  }
}
