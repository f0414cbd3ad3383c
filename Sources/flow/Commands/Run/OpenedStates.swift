import Engine
import Language
import Store
import System

/// The states of the pipelines of a run, opened at once on several threads: each waits for the disk some ten times.
struct OpenedStates {
  /// How many are opened at once.
  private static let threads = 16

  private let states: [String: OpenedState]

  /// Opens the states of those plans that have one.
  init(_ plans: [Plan], _ options: RunOptions) {
    guard let open = options.state, plans.count > 1 else {
      states = [:]
      return
    }
    let plans = plans.filter(\.hasState)
    let opened = concurrently(plans.count, threads: Self.threads) { index in
      OpenedState(Result { try open(plans[index]) })
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
