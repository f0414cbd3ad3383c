import Foundation
import Reactive
import TestSupport

extension FileRun {
  /// Lines that are damaged, too long or of another encoding, arrays, values without line breaks, and packed files of two
  /// members, one after the other.
  static func formats(_ place: Place, lines: Int) throws -> FileRun {
    var dice = SplitMix64(seed: 3)
    func value(_ number: Int) -> String {
      let text = String(repeating: "z", count: dice.below(50))
      return "{\"n\":\(number),\"k\":\(dice.below(50)),\"s\":\"é\\\"\\\\\(text)\"}"
    }
    let quarter = lines / 4
    var damaged = Data([0xef, 0xbb, 0xbf])
    for number in 0..<quarter {
      switch dice.below(50) {
      case 0, 1: damaged += Data("{\"broken\": \n".utf8)
      case 2: damaged += Data("\r\n\n  \n".utf8)
      case 3: damaged += Data("\"\(String(repeating: "x", count: 40_000))\"\n".utf8)
      case 4: damaged += Data([0xff, 0xfe]) + Data("{\"n\":1}\n".utf8)
      case 5: damaged += Data("\(value(number)) \(value(-number))\n".utf8)
      case 6: damaged += Data("\(value(number))\r\n".utf8)
      default: damaged += Data("\(value(number))\n".utf8)
      }
    }
    func values(_ separator: String) -> Data {
      Data((0..<quarter).map { value($0) }.joined(separator: separator).utf8)
    }
    let packed = Data(gzipped(Array(values("\n"))) + gzipped(Array("\n\(value(-1))".utf8)))
    return try FileRun(
      place, name: "formats",
      """
      name: formats
      epoch: { events: 200, time: 20ms }
      sources: { input: { file: { path: ["a*.json*", "b*.json.gz"], max_value: 20KiB } } }
      steps:
        - map: 'if type == "object" then {n, k, s, now: (now > 0)} else {n: -1, k: 0, s: .} end'
        - scan: { init: 0, update: '. + 1', emit: '$event + {c: .}' }
      sinks:
        a: { jsonl: { path: log.jsonl, rotate: { size: 50KiB, keep: 999, gzip: true } } }
        b: { jsonl: { path: 'part-\\(.k % 5).jsonl', max_open: 2 } }

      """,
      inputs: [
        "a1.jsonl": damaged, "a2.json": Data("[".utf8) + values(",\n") + Data("]".utf8),
        "a3.jsonl": values("\n"), "b4.json.gz": packed,
      ], outputs: ["log.jsonl"] + (0..<5).map { "part-\($0).jsonl" }, logs: [])
  }
}
