import Glibc
import Reactive

/// Measures the reactive core beside what the toolchain has; `bench/README.md` says how to read it.
///
///     swift run -c release ReactiveBench [rounds [case ...]]
@main
struct Main {
  static func main() async {
    let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 7
    let sum = Checksum()
    let wanted = Set(CommandLine.arguments.dropFirst(2))
    let cases = (reactiveCases(sum) + peerCases(sum)).filter { wanted.isEmpty || wanted.contains($0.name) }
    let figures = await measure(cases, rounds: max(1, rounds))
    let results = Dictionary(uniqueKeysWithValues: zip(cases.map(\.name), figures))

    print("CPU time and allocations an element, the best of \(max(1, rounds)) rounds in turn\n")
    print(row("case", "ns", "alloc", "what"))
    for each in cases {
      guard let figure = results[each.name] else { continue }
      print(row(each.name, number(figure.nanoseconds, 1), number(figure.allocations, 2), each.what))
    }

    if !wanted.isEmpty { return }
    print("\nratios")
    func ratio(_ slow: String, _ fast: String, _ label: String) {
      guard let slow = results[slow], let fast = results[fast] else { return }
      print("  \(number(slow.nanoseconds / fast.nanoseconds, 1)) times  \(label)")
    }
    ratio("async a1", "a1", "AsyncStream to a1 (at least 30)")
    ratio("async a3", "a3", "AsyncStream to a3 (at least 20)")
    ratio("queue", "a1", "queue.async to a1 (at least 2.3)")
    ratio("j", "queue", "j to queue.async (at most 0.9)")
    ratio("j2", "queue 1", "j2 to queue.async, one at a time (at most 1.1)")
    print("\nbacklog of 1 000 000 Int behind a consumer that is stuck: \(backlog()) bytes an element")
  }

  /// Case k: what a waiting element takes up.
  static func backlog() -> String {
    let clock = VirtualScheduler()
    let subject = PublishSubject<Int>()
    _ = subject.observe(on: clock, capacity: 1_000_000).subscribe()
    let before = residentMemory()
    for value in 0..<1_000_000 { subject.next(value) }
    return number(Double(residentMemory() - before) / 1_000_000, 1)
  }
}

private func row(_ columns: String...) -> String {
  let widths = [11, 8, 8]
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
