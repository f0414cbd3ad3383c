import Expectations
import JSON
import Markup
import Synchronization
import System
import Testing

@testable import Decode

@Suite struct DecodeNotesTests {
  @Test("a page with meaningless bytes is reported once, and again after one without")
  func once() throws {
    let reports = Mutex<[String]>([])
    var decoding = Decoding(.html)
    decoding.notes = DecodeNotes { report in reports.withLock { $0.append(report) } }
    let bad = Array("<meta charset=utf-8>\n<p>a".utf8) + [0xe4, 0x62, 0xff, 0xff]
    let good = Array("<p>b".utf8)
    for page in [good, bad, bad, good, bad] {
      try expect(
        decoding.values(of: page), equals: [.string(page == good ? "b" : "a\u{fffd}b\u{fffd}\u{fffd}")])
    }
    let report =
      "3 parts of the page have no meaning in utf-8, and became U+FFFD, as in browsers; the first is on line 2"
    expect(reports.withLock { $0 }, equals: [report, report])
  }
}
