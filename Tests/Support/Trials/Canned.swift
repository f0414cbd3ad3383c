@testable import Delivery
import TestSupport
import Fetch
import JSON
import Reactive
import Store
import Testing

import System
@testable import Engine
@testable import Language

/// A network that answers from a closure, at once.
package final class Canned: Transport {
  package struct Reply: Sendable {
    let status: Int
    let body: [UInt8]
    let headers: [(String, String)]

    package init(_ body: String, status: Int = 200, _ headers: [(String, String)] = []) {
      self.init(Array(body.utf8), status: status, headers)
    }

    package init(_ body: [UInt8], status: Int = 200, _ headers: [(String, String)] = []) {
      self.status = status
      self.body = body
      self.headers = headers
    }
  }

  private let thread = SerialScheduler(name: "canned")
  private let answer: @Sendable (TransferOrder) -> Reply

  package init(_ answer: @escaping @Sendable (TransferOrder) -> Reply) { self.answer = answer }

  package func start(
    _ order: TransferOrder, completion: @escaping @Sendable (Result<TransferResponse, TransferError>) -> Void
  ) -> Subscription {
    let reply = answer(order)
    thread.perform {
      completion(
        .success(
          TransferResponse(
            status: reply.status, headers: Headers(reply.headers), body: reply.body))
      )
    }
    return Subscription()
  }

  /// A way to it, with short waits.
  package static func access(
    budgets: [String: SiteBudget] = [:], wallClock: @escaping @Sendable () -> Double = World.real.wallClock,
    _ answer: @escaping @Sendable (TransferOrder) -> Reply
  ) -> WebAccess {
    WebAccess {
      Client(
        Canned(answer), file: try WebFile(), on: SerialScheduler(name: "fetch"),
        wallClock: wallClock,
        .init(budgets: budgets, retry: RetryPolicy(backoff: Backoff(initial: .milliseconds(1), attempts: 2))))
    }
  }
}

extension PollSource {
  /// Waits for the answer to a poll.
  package func answer(_ poll: PollRequest) throws -> PollAnswer {
    let scheduler = SerialScheduler(name: "poll")
    let answer = ConditionLock<Result<PollAnswer, any Error>?>(nil)
    let source = LaneLocal<any PollSource>(self)
    scheduler.perform {
      source.value.ask(poll, on: scheduler) { result in answer.change { $0 = result } }
    }
    return try #require(answer.wait { $0 }).get()
  }
}

/// One source of the web, polled by hand over answers that a test gives.
package final class WebTrial {
  package let asked = Journal<TransferOrder>()
  package let told = Journal<String>()
  /// What only those are told who want to know more.
  package let details = Journal<String>()
  /// The seconds since the beginning, for all clocks.
  package let elapsed = ConditionLock(0.0)
  private let source: any PollSource
  private var number = 0

  package init(
    _ source: String, at now: Double = 1_772_323_200, budgets: [String: SiteBudget] = [:],
    position: Value? = nil, _ answer: @escaping @Sendable (TransferOrder) -> Canned.Reply
  ) throws {
    let plan = try #require(
      try Trial.plan("sources: { in: { \(source) } }\nsteps: []\nsinks: { it: null }\n").sources.first)
    var world = World.real
    let elapsed = elapsed
    world.wallClock = { now + elapsed.change { $0 } }
    world[WebAccess.self] = Canned.access(
      budgets: budgets, wallClock: { World.real.wallClock() + elapsed.change { $0 } }
    ) { [asked] order in
      asked.note(order)
      return answer(order)
    }
    let log = NodeLog(
      log: Log(level: .detail) { [told, details] in ($0.level == .detail ? details : told).note($0.message) },
      pipeline: "p", node: "in")
    var context = SourceContext(
      name: "in", world: world, log: log, meter: Meter(name: "in", kind: plan.spec.kind), isOnce: true,
      stop: StopSign(), position: position, storesPositions: false)
    context.usesOldAnswers = plan.schedule.onFailure == .old
    let maker = try #require(plan.spec.maker as? Maker)
    self.source = try #require(try Self.make(maker, plan.options, context), "this is not polled")
    self.now = now
  }

  private static func make(
    _ maker: Maker, _ options: Options, _ context: SourceContext
  ) throws -> (any PollSource)? {
    switch maker {
    case .poll(let poll), .pollOrStream(_, let poll, _): try poll(options, context)
    case .each(_, let one): try make(one, options, context)
    default: nil
    }
  }

  private let now: Double

  package func poll(isRepetition: Bool = false) throws -> PollAnswer {
    number += 1
    return try source.answer(
      PollRequest(
        source: "in", number: number, at: now + elapsed.change { $0 }, isRepetition: isRepetition))
  }

  /// The rows of a poll, as JSON.
  package func rows() throws -> String { Value.array(try poll().rows).description }

  /// What was asked for, without the beginning that is always the same.
  package var paths: [String] {
    asked.entries.map { order in
      let text = order.address.text
      return text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).last.map(String.init)
        ?? text
    }
  }
}
