import Glibc
import Reactive

/// Measures the reactive core beside what the toolchain has; `bench/README.md` says how to read it.
///
/// It fails if a case takes more than it may; in fewer than three rounds it only says so.
///
///     swift run -c release ReactiveBench [rounds [case ...]]
@main
struct Main {
  static func main() async {
    let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 7
    let sum = Checksum()
    // First, while no case has left memory that could be used again.
    let bytes = backlog()
    let wanted = Set(CommandLine.arguments.dropFirst(2))
    let all = yardsticks(sum) + reactiveCases(sum) + operatorCases(sum) + sourceCases(sum) + peerCases(sum)
    let cases = all.filter { $0.isYardstick || wanted.isEmpty || $0.isCalled(wanted) }
    var results = Results(await measure(cases, rounds: max(1, rounds)), of: cases)
    // What is over its limit is measured once more, beside the yardsticks: the machine may have been busy.
    let again = cases.filter { $0.isYardstick || results.isOver($0) }
    results.improve(by: Results(await measure(again, rounds: max(1, rounds)), of: again))

    print("CPU time and allocations an element, the best of \(max(1, rounds)) rounds in turn\n")
    print(row("case", "ns", "at most", "alloc", "what"))
    for each in cases {
      guard let figure = results[each.name] else { continue }
      let limit = results.limit(of: each).map { number($0, 1) } ?? ""
      print(row(each.name, number(figure.nanoseconds, 1), limit, number(figure.allocations, 2), each.what))
    }
    var broken = cases.filter { results.isOver($0) }.map { "\($0.name): \(results.excess(of: $0))" }
    if wanted.isEmpty { broken += ratios(results) + backlog(bytes) }
    if broken.isEmpty { return }
    let isShort = rounds < 3
    print(
      "\nover the limit\(isShort ? ", in too few rounds to judge" : ""):\n  "
        + broken.joined(separator: "\n  "))
    if !isShort { exit(1) }
  }

  /// Prints the ratios to what the toolchain has; returns those that miss their limits.
  static func ratios(_ results: Results) -> [String] {
    print("\nratios")
    return [
      ("async a1", "a1", "AsyncStream to a1", 30, Double.infinity),
      ("async a3", "a3", "AsyncStream to a3", 20, .infinity),
      ("queue", "a1", "queue.async to a1", 2.3, .infinity),
      ("j", "queue", "j to queue.async", 0, 0.9),
      // Not judged: each element wakes a thread, which takes up to six times as long on another core.
      ("j2", "queue 1", "j2 to queue.async, one at a time", 0, .infinity),
    ].compactMap { slow, fast, what, least, most in
      guard let slow = results[slow], let fast = results[fast] else { return nil }
      let ratio = slow.nanoseconds / fast.nanoseconds
      let limit = least > 0 ? " (at least \(least))" : most.isFinite ? " (at most \(most))" : ""
      let line = "\(number(ratio, 1)) times  \(what)\(limit)"
      print("  " + line)
      return ratio < least || ratio > most ? line : nil
    }
  }

  /// Case k: what a waiting element takes up, in bytes.
  static func backlog() -> Double {
    let clock = VirtualScheduler()
    let subject = PublishSubject<Int>()
    _ = subject.observe(on: clock, capacity: 1_000_000).subscribe()
    let before = residentMemory()
    for value in 0..<1_000_000 { subject.next(value) }
    return Double(residentMemory() - before) / 1_000_000
  }

  /// Prints it; returns that if it is too much.
  static func backlog(_ bytes: Double) -> [String] {
    let line =
      "backlog of 1 000 000 Int behind a consumer that is stuck: \(number(bytes, 1)) bytes an element"
    print("\n" + line)
    return bytes > 24 ? [line] : []
  }
}

/// What was measured, by the names of the cases.
struct Results {
  private var figures: [String: Figures]

  init(_ figures: [Figures], of cases: [Case]) {
    self.figures = Dictionary(uniqueKeysWithValues: zip(cases.map(\.name), figures))
  }

  subscript(_ name: String) -> Figures? { figures[name] }

  mutating func improve(by others: Results) {
    for (name, other) in others.figures { figures[name]?.improve(by: other) }
  }

  /// The nanoseconds that a case may take on this machine.
  ///
  /// Half of the yardstick of calls is locked instructions, which cost a third elsewhere: there the other one is the measure.
  func limit(of one: Case) -> Double? {
    guard let limit = one.limit, let here = multiple(of: limit.yardstick),
      let objects = multiple(of: .objects)
    else { return nil }
    return limit.nanoseconds * max(here, objects)
  }

  /// How many times as long as on the machine of the yardsticks this one takes here.
  private func multiple(of yardstick: Yardstick) -> Double? {
    figures[yardstick.rawValue].map { $0.nanoseconds / yardstick.nanoseconds }
  }

  func isOver(_ one: Case) -> Bool { !excess(of: one).isEmpty }

  func excess(of one: Case) -> String {
    guard let figure = figures[one.name], let allowed = one.limit, let most = limit(of: one) else {
      return ""
    }
    if figure.nanoseconds > most { return "\(number(figure.nanoseconds / most, 2)) of its time" }
    let allocations = figure.allocations
    return allocations > allowed.allocations + 0.01 ? "\(number(allocations, 2)) allocations" : ""
  }
}

private func row(_ columns: String...) -> String {
  let widths = [34, 9, 9, 7]
  return columns.enumerated().map { index, text in
    index < widths.count ? pad(text, widths[index], left: index == 0) : "  " + text
  }.joined()
}

private func pad(_ text: String, _ width: Int, left: Bool) -> String {
  let space = String(repeating: " ", count: max(0, width - text.count))
  return left ? text + space : space + text
}

private func number(_ value: Double, _ decimals: Int) -> String {
  let scale = pow(10, Double(decimals))
  let rounded = (value * scale).rounded() / scale
  return decimals == 0 ? "\(Int(rounded))" : "\(rounded)"
}
