import Engine
import JSON
import Language
import System

/// The outputs of two pipelines over the same past, compared: those that only one of them has, and those at
/// another time.
///
///     Backtest(new.outputs, against: old.outputs).findings
struct Backtest {
  enum Side: Equatable {
    case both, onlyNew, onlyOld
    /// The seconds by which the new one is later.
    case moved(Double)

    var name: String {
      switch self {
      case .both: "both"
      case .onlyNew: "new"
      case .onlyOld: "old"
      case .moved: "moved"
      }
    }
  }

  struct Finding {
    let output: Rehearsal.Output
    let side: Side
  }

  /// In the order of their times.
  let findings: [Finding]
  /// Redacts secrets in what is shown.
  let masked: (String) -> String

  /// Without another pipeline to compare with, all outputs are of both.
  init(
    _ new: [Rehearsal.Output], against old: [Rehearsal.Output]?,
    masked: @escaping (String) -> String = { $0 }
  ) {
    self.masked = masked
    guard let old else {
      findings = new.map { Finding(output: $0, side: .both) }
      return
    }
    // The places of the old one's outputs that have no counterpart yet.
    var rest: [Value: [Int]] = [:]
    for (place, output) in old.enumerated() { rest[Self.essence(output), default: []].append(place) }
    var findings: [Finding] = []
    var others: [Rehearsal.Output] = []
    // First those at one time, so that none is taken for one that has moved.
    for output in new {
      let essence = Self.essence(output)
      if let twin = rest[essence]?.firstIndex(where: { old[$0].at == output.at }) {
        rest[essence]?.remove(at: twin)
        findings.append(Finding(output: output, side: .both))
      } else {
        others.append(output)
      }
    }
    for output in others {
      let essence = Self.essence(output)
      if let twin = rest[essence]?.first {
        rest[essence]?.removeFirst()
        findings.append(Finding(output: output, side: .moved(output.at - old[twin].at)))
      } else {
        findings.append(Finding(output: output, side: .onlyNew))
      }
    }
    findings += rest.values.joined().sorted().map { Finding(output: old[$0], side: .onlyOld) }
    self.findings = findings.enumerated().sorted {
      ($0.element.output.at, $0.offset) < ($1.element.output.at, $1.offset)
    }.map(\.element)
  }

  /// An output without its time, by which outputs of two runs are paired.
  private static func essence(_ output: Rehearsal.Output) -> Value {
    .array([.string(output.sink), essence(output.value)])
  }

  static func essence(_ value: Value) -> Value {
    var value = value
    if value.kind == .object { value.removeMember("at") }
    return value
  }

  /// How many there are of each side, by day and sink, in order.
  var days: [(day: String, sink: String, counts: [String: Int])] {
    var days: [(day: String, sink: String, counts: [String: Int])] = []
    var places: [String: Int] = [:]
    for finding in findings {
      let day = String(timestamp(finding.output.at).prefix(10))
      let name = "\(day) \(finding.output.sink)"
      if places[name] == nil {
        places[name] = days.count
        days.append((day, finding.output.sink, [:]))
      }
      if let place = places[name] { days[place].counts[finding.side.name, default: 0] += 1 }
    }
    return days
  }

  // MARK: - As a drawing

  private static func color(_ side: String) -> String {
    ["both": "#888", "new": "#1a7f37", "old": "#cf222e"][side] ?? "#bf8700"
  }

  /// An SVG with a lane for each sink and side, on one axis of time.
  func svg(_ names: (new: String, old: String?)) -> String {
    let sinks = findings.map(\.output.sink).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    let (left, width, lane) = (170.0, 960.0, 34.0)
    let first = findings.first?.output.at ?? 0
    let length = max(1, (findings.last?.output.at ?? 1) - first)
    func x(_ at: Double) -> String {
      "\(((left + (at - first) / length * (width - left - 20)) * 10).rounded() / 10)"
    }
    var lines: [String] = []
    let legend =
      names.old == nil
      ? [] : [("both", "in both"), ("new", "only new"), ("old", "only old"), ("moved", "moved")]
    for (place, (side, text)) in legend.enumerated() {
      let x = left + Double(place) * 120
      lines.append("<circle cx=\"\(x)\" cy=\"10\" r=\"4\" fill=\"\(Self.color(side))\"/>")
      lines.append("<text x=\"\(x + 10)\" y=\"14\">\(text)</text>")
    }
    var y = legend.isEmpty ? 30.0 : 44.0
    for sink in sinks {
      for (isOld, name) in [(false, names.new), (true, names.old ?? "")] where !name.isEmpty {
        let label = markup(printable("\(sink): \(name)").clipped(to: 24))
        lines.append("<text x=\"8\" y=\"\(y + 4)\">\(label)</text>")
        lines.append(
          "<line x1=\"\(left)\" x2=\"\(width - 20)\" y1=\"\(y)\" y2=\"\(y)\" stroke=\"#888\" stroke-width=\"0.5\"/>"
        )
        for finding in findings where finding.output.sink == sink {
          let at: Double
          switch finding.side {
          case .both: at = finding.output.at
          case .onlyNew: if isOld { continue } else { at = finding.output.at }
          case .onlyOld: if isOld { at = finding.output.at } else { continue }
          case .moved(let by): at = finding.output.at - (isOld ? by : 0)
          }
          let color = Self.color(finding.side.name)
          let text = markup(
            printable(masked("\(timestamp(at)) \(finding.side.name) \(finding.output.value)")).clipped(
              to: 200))
          lines.append(
            "<circle cx=\"\(x(at))\" cy=\"\(y)\" r=\"4\" fill=\"\(color)\"><title>\(text)</title></circle>")
        }
        y += lane
      }
    }
    for (at, anchor) in [(first, "start"), (first + length, "end")] {
      lines.append(
        "<text x=\"\(x(at))\" y=\"\(y + 4)\" text-anchor=\"\(anchor)\">\(timestamp(at).prefix(10))</text>")
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(width)) \(Int(y) + 20)" font-family="sans-serif" font-size="12" fill="#888">
      \(lines.joined(separator: "\n"))
      </svg>

      """
  }
}
