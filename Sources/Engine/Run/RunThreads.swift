import Language
import Reactive

/// The threads that the pipelines of a process share: for their lanes, and for the polls of their sources.
///
/// Polls wait for commands and databases, not for servers, and a lane for a disk now and then. So there are more threads
/// than cores while they do. Polls leave some of them for the lanes, and those of one pipeline some for the others'.
final class RunThreads: Sendable {
  private static let all = 256
  private static let forPolls = 192
  private static let forPollsOfOne = 64

  let spread = PollSpread()
  /// Made for the first pipeline that is not in virtual time.
  private let parts = Locked<(lanes: ThreadPool.Part, polls: ThreadPool.Part)?>(nil)

  /// The schedulers of a pipeline; with a `clock`, that is all of them.
  func schedulers(at speed: Speed, clock: VirtualScheduler?) -> RunSchedulers {
    if let clock { return RunSchedulers(place: .clock(clock)) }
    let (lanes, polls) = parts.withLock { parts in
      if let parts { return parts }
      let pool = ThreadPool(threads: Self.all, name: "flow", speed: speed)
      let made = (pool.part(threads: Self.all), pool.part(threads: Self.forPolls))
      parts = made
      return made
    }
    return RunSchedulers(place: .threads(lanes, polls.part(threads: Self.forPollsOfOne), speed, spread))
  }
}

/// The schedulers of one pipeline: of its lane and of its sources.
struct RunSchedulers: Sendable {
  fileprivate enum Place: Sendable {
    case clock(VirtualScheduler)
    case threads(_ lanes: ThreadPool.Part, _ polls: ThreadPool.Part, Speed, PollSpread)
  }

  fileprivate let place: Place

  var isVirtual: Bool { if case .clock = place { true } else { false } }

  /// A scheduler for the lane, or for a part of its work that another thread can do meanwhile.
  func makeLane() -> any Scheduler {
    switch place {
    case .clock(let clock): clock
    case .threads(let lanes, _, _, _): lanes.makeScheduler()
    }
  }

  /// A scheduler for the polls of a source.
  func makePoller() -> any Scheduler {
    switch place {
    case .clock(let clock): clock
    case .threads(_, let polls, _, _): polls.makeScheduler()
    }
  }

  /// How much later than at once a source is polled first, so that many do not do so together.
  func delay(of schedule: Schedule) -> Duration {
    switch place {
    case .clock: .zero
    case .threads(_, _, let speed, let spread): spread.delay(of: schedule, at: speed.now)
    }
  }

  /// A scheduler for a source that reads on, which has a thread for itself.
  func makeReader(_ name: String) -> any Scheduler {
    switch place {
    case .clock(let clock): clock
    case .threads(_, _, let speed, _): SerialScheduler(name: "flow-\(name)", speed: speed)
    }
  }
}
