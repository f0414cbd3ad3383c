import Engine
import Language
import Reactive
import Store
import System

/// The states of the pipelines of a run, opened at once on several threads: each waits for the disk some ten times.
struct OpenedStates {
  /// How many are opened at once.
  private static let threads = 16

  /// One on its way from the thread that has opened it to its run.
  ///
  /// `@unchecked Sendable` with its reason: a state belongs to one thread at a time, and is taken once.
  private final class Opened: @unchecked Sendable {
    private let outcome: Locked<Bool>
    private let result: Result<StateFile, any Error>

    init(_ result: sending Result<StateFile, any Error>) {
      self.result = result
      outcome = Locked(false)
    }

    /// Nil when it was taken already.
    func take() throws -> sending StateFile? {
      let isTaken = outcome.withLock { isTaken in
        defer { isTaken = true }
        return isTaken
      }
      return isTaken ? nil : try result.get()
    }
  }

  private let states: [String: Opened]

  /// Opens the states of those plans that have one.
  init(_ plans: [Plan], _ options: RunOptions) {
    guard let open = options.state, plans.count > 1 else {
      states = [:]
      return
    }
    let plans = plans.filter(\.hasState)
    let opened = concurrently(plans.count, threads: Self.threads) { index in
      Opened(Result { try open(plans[index]) })
    }
    states = Dictionary(zip(plans.map(\.name), opened)) { first, _ in first }
  }

  /// The options for a run that takes over the opened state of its plan, if there is one.
  func options(_ options: RunOptions, for plan: Plan) -> RunOptions {
    guard let opened = states[plan.name], let open = options.state else { return options }
    var options = options
    options.state = { plan in try opened.take() ?? open(plan) }
    return options
  }
}
