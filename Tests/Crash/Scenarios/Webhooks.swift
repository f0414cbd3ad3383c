import Foundation
import Loopback

/// Webhooks → `jsonl`, from senders that repeat what is not acknowledged: every acknowledged event exactly once.
final class Webhooks: Scenario {
  let place: Place
  let logs = ["log.jsonl"]
  /// The requests under way, by their number.
  private var pending: [Int: LoopbackClient] = [:]
  private var unacknowledged: [Int] = []
  private var count = 0
  private var acknowledged: Set<Int> = []
  private var goal: Int?
  private var port: Int?

  init(_ place: Place) throws {
    self.place = place
    try place.write(
      "p.yaml",
      """
      name: hooked
      sources:
        hooks: { listen: { address: '127.0.0.1:0', id: X-Id, decode: lines } }
      sinks:
        log: { jsonl: log.jsonl }

      """)
  }

  func tend(_ life: Life?) {
    for (number, client) in pending where client.hasAnswer(within: 0) {
      pending[number] = nil
      if client.answer()?.status == 202 { acknowledged.insert(number) } else { unacknowledged.append(number) }
    }
    guard life != nil, pending.count < 4 else { return }
    guard let port = port ?? found(), let client = LoopbackClient(port: port, patience: 2) else {
      self.port = nil
      return
    }
    self.port = port
    var number = unacknowledged.popLast()
    if number == nil, goal.map({ count < $0 }) ?? true {
      count += 1
      number = count
    }
    guard let number else { return }
    client.request("{\"n\":\(number)}\n", headers: ["X-Id: \(number)"])
    pending[number] = client
  }

  /// The port of the present life, from its log.
  private func found() -> Int? {
    let lines = place.bytes("errors").lines
    guard let start = lines.lastIndex(where: { $0.hasPrefix("-- ") }),
      let line = lines[start...].last(where: { $0.contains("listens at http://127.0.0.1:") })
    else { return nil }
    return Int(line.split(separator: ":").last?.prefix { $0.isNumber } ?? "")
  }

  func mourn(_ end: Life.End, wasStopped: Bool) { port = nil }

  func prepareEnd() { goal = count + 50 }

  var isSettled: Bool {
    acknowledged.count == goal && acknowledged.count == place.logLines("log.jsonl").count
  }

  func verdict() -> Verdict {
    // Requests at the same time have no order.
    let lines = place.logLines("log.jsonl").sorted()
    let there = Set(lines)
    // What was not acknowledged may be there, once.
    let truth = (1...max(1, count)).filter { acknowledged.contains($0) || there.contains("{\"n\":\($0)}") }
    return Verdict.comparing(lines, with: truth.map { "{\"n\":\($0)}" }.sorted(), in: "log.jsonl")
  }
}
