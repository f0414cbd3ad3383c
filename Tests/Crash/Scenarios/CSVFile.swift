/// Polls → `dedupe` → `csv`: a header, and each row once, in order.
final class CSVFile: Scenario {
  let place: Place
  let logs: [String] = []
  private(set) var last: Int?

  init(_ place: Place) throws {
    self.place = place
    try place.write(
      "p.yaml",
      """
      name: tabled
      vars: { last: 1000000000 }
      sources:
        made:
          generate: '([$meta.poll, $vars.last] | min) as $p | range(3) | {n: ($p + .), t: "a \\"b\\",\\nc"}'
          every: 5ms
      steps:
        - dedupe: .n
      sinks:
        log: { csv: { path: log.csv, columns: [.n, .t] } }

      """)
  }

  func prepareEnd() { last = place.bytes("log.csv").lines.count / 2 + 60 }

  private func truth(_ number: Int) -> [String] { ["\(number),\"a \"\"b\"\",", "c\""] }

  var isSettled: Bool { place.bytes("log.csv").lines.suffix(2).first == truth((last ?? 0) + 2).first }

  func verdict() -> Verdict {
    let lines = place.bytes("log.csv").lines.map { $0.hasSuffix("\r") ? String($0.dropLast()) : $0 }
    // The second line of a row is the same in all rows: only the first one is counted.
    let rows = (1...(last ?? 0) + 2).flatMap(truth)
    var verdict = Verdict.comparing(
      lines.filter { $0 != "c\"" }, with: ["n,t"] + rows.filter { $0 != "c\"" }, in: "log.csv")
    if lines != ["n,t"] + rows { verdict.findings.append("log.csv is not a header and whole rows") }
    return verdict
  }
}
