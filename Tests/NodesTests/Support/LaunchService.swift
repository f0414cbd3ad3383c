@testable import Nodes
import Trials
import Fetch
import JSON
import Language
import Reactive
import System

/// A service with a list of launches in pages, as Launch Library has it, with the faults of real ones.
final class LaunchService: Sendable {
  struct Launch: Sendable, Equatable {
    var id: String
    var net: String
  }

  /// The answer to a request for a list with the field `id` in its ordering.
  enum Ties: CaseIterable, Sendable {
    case broken, ignored, refused
  }

  struct State: Sendable {
    var launches: [Launch]
    var ties = Ties.broken
    /// The most launches of a page.
    var cap = 100
    /// How many launches are counted and never returned.
    var lacking = 0
    var isFailing = false
    var random: SplitMix64
    /// What happens to the list after a request, by the number of the request.
    var change: @Sendable (Int, inout State) -> Void = { _, _ in }
    var requests = 0
  }

  let state: Locked<State>

  init(_ launches: [Launch], ties: Ties = .broken, seed: UInt64 = 1) {
    state = Locked(State(launches: launches, ties: ties, random: SplitMix64(seed: seed)))
  }

  /// Launches of which many have one time, by months.
  static func months(_ count: Int, each: Int = 30) -> [Launch] {
    (0..<count).map { number in
      let month = number / each + 1
      return Launch(id: "l\(number * 7919 % 1000)", net: "2026-\(month < 10 ? "0" : "")\(month)-28T00:00:00Z")
    }
  }

  func answer(_ order: TransferOrder) -> Canned.Reply {
    let items = Dictionary(order.address.query.map { ($0.name, $0.value ?? "") }) { $1 }
    return state.withLock { state in
      defer {
        state.requests += 1
        state.change(state.requests, &state)
      }
      if state.isFailing { return .init("{}", status: 503) }
      let ordering = (items["ordering"] ?? "net").split(separator: ",")
      if ordering.count > 1, state.ties == .refused {
        return .init(#"{"ordering":["Select a valid choice."]}"#, status: 400)
      }
      var sorted = state.launches.sorted { $0.id < $1.id }
      if ordering.count < 2 || state.ties == .ignored { sorted.shuffle(using: &state.random) }
      // The standard library's sort keeps the order of equals.
      let isDescending = ordering.first == "-net"
      sorted.sort { isDescending ? $0.net > $1.net : $0.net < $1.net }
      let offset = items["offset"].flatMap { Int($0) } ?? 0
      let end = offset + min(items["limit"].flatMap { Int($0) } ?? 10, state.cap)
      let rows = sorted.dropLast(state.lacking).prefix(end).dropFirst(offset)
        .map { #"{"id":"\#($0.id)","net":"\#($0.net)"}"# }.joined(separator: ",")
      let next = end < sorted.count ? "\"\(order.address.setting("offset", to: "\(end)").text)\"" : "null"
      return .init(#"{"count":\#(sorted.count),"next":\#(next),"previous":null,"results":[\#(rows)]}"#)
    }
  }

  func trial(
    _ options: String = "limit: 1000", beside: String = "", cache: String = "0s",
    budgets: [String: SiteBudget] = [:]
  ) throws -> WebTrial {
    let source = "launch_library: { \(options), cache: \(cache), url: 'http://a' }\(beside)"
    return try WebTrial(source, budgets: budgets) { [self] in answer($0) }
  }
}
