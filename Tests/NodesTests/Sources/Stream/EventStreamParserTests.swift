import Expectations
import TestSupport
import Testing

@testable import Nodes

/// Server-sent events as text becomes them.
@Suite struct EventStreamParserTests {
  /// The events of a text that comes in pieces of these lengths, the last of which is repeated.
  private func parse(
    _ text: [UInt8], pieces: [Int] = [.max], limit: Int = 1000, lastID: String = ""
  ) -> (events: [String], parser: EventStreamParser) {
    var parser = EventStreamParser(limit: limit, lastID: lastID)
    var events: [String] = []
    var (rest, number) = (text[...], 0)
    while !rest.isEmpty {
      let piece = rest.prefix(pieces[min(number, pieces.count - 1)])
      piece.withUnsafeBytes { bytes in
        parser.take(bytes) {
          events.append("\($0.type)|\($0.id)|\(String(decoding: $0.data, as: UTF8.self))")
        }
      }
      rest = rest.dropFirst(piece.count)
      number += 1
    }
    return (events, parser)
  }

  private static let cases: [(text: String, events: [String], lastID: String)] = [
    ("data: 1\n\n", ["message||1"], ""),
    ("data:1\n\ndata:  2\n\n", ["message||1", "message|| 2"], ""),
    ("data: a\ndata: b\ndata\n\n", ["message||a\nb\n"], ""),
    ("data\n\n", ["message||"], ""),
    ("event: update\nid: 7\ndata: {\"n\":1}\n\n", ["update|7|{\"n\":1}"], "7"),
    ("id: 7\ndata: a\n\ndata: b\n\n", ["message|7|a", "message|7|b"], "7"),
    ("id: 7\ndata: a\n\nid\ndata: b\n\n", ["message|7|a", "message||b"], ""),
    ("id: 1\0\ndata: a\n\n", ["message||a"], ""),
    ("id: 1\ndata: a\n\nid: a\u{1b}b\ndata: b\n\n", ["message|1|a", "message|1|b"], "1"),
    ("id: 8\n\n", [], "8"),
    ("id: 8\ndata: half", [], ""),
    ("id: 8\ndata: half\n", [], ""),
    (": hello\n\n:\ndata: 1\n\n", ["message||1"], ""),
    ("data: 1\r\n\r\ndata: 2\r\rdata: 3\n\r", ["message||1", "message||2", "message||3"], ""),
    ("data: 1\r\n\ndata: 2\n\n", ["message||1", "message||2"], ""),
    ("\u{feff}data: 1\n\n\u{feff}data: 2\n\n", ["message||1"], ""),
    ("\n\n\ndata: é\u{1F680}\n\n", ["message||é\u{1F680}"], ""),
    ("event: a\n\ndata: 1\n\n", ["message||1"], ""),
    ("Data: 1\nunknown: 2\ndata : 3\n\n", [], ""),
    (
      "event: message\nid: [{\"topic\":\"a\",\"offset\":-1},{\"topic\":\"b\",\"timestamp\":17}]\ndata: {}\n\n",
      [#"message|[{"topic":"a","offset":-1},{"topic":"b","timestamp":17}]|{}"#],
      #"[{"topic":"a","offset":-1},{"topic":"b","timestamp":17}]"#
    ),
    ("event: update\ndata: {\"id\":\"1\"}\n\n:thump\n", [#"update||{"id":"1"}"#], ""),
  ]

  @Test("lines become events as the standard says", arguments: cases)
  func table(text: String, events: [String], lastID: String) {
    let parsed = parse(Array(text.utf8))
    expect(parsed.events, equals: events)
    expect(parsed.parser.lastID, equals: lastID)
  }

  @Test("retry is a number, and nothing else")
  func retry() {
    expect(parse(Array("retry: 250\n".utf8)).parser.retry, equals: 250)
    expect(parse(Array("retry: 250\nretry: 2s\nretry: -1\nretry:\n".utf8)).parser.retry, equals: 250)
  }

  @Test("an id that was stored counts for the events that come without one")
  func storedID() { expect(parse(Array("data: 1\n\n".utf8), lastID: "9").events, equals: ["message|9|1"]) }

  @Test("an event that is too long is skipped, in one line or in many, and counted; the next one is read")
  func tooLong() {
    let line = "data: \(String(repeating: "x", count: 200))\n"
    for text in [line + "\n", String(repeating: "data: 123456789\n", count: 20) + "\n"] {
      let parsed = parse(Array((text + "data: 1\n\n").utf8), pieces: [7], limit: 100)
      #expect(parsed.events == ["message||1"] && parsed.parser.skipped == 1)
    }
    expect(parse(Array("data: 12345\n\n".utf8), limit: 5).parser.skipped, equals: 0)
    expect(parse(Array("data: 12\ndata: 45\n\n".utf8), limit: 5).parser.skipped, equals: 0)
    expect(parse(Array("data: 12\ndata: 456\n\n".utf8), limit: 5).parser.skipped, equals: 1)
  }

  @Test("only data counts: a long comment is ignored, and the id of an event that is too long is known")
  func longComment() {
    let long = String(repeating: "x", count: 300)
    for pieces in [[Int.max], [7]] {
      let commented = parse(Array(":\(long)\ndata: 1\n\n".utf8), pieces: pieces, limit: 100)
      #expect(commented.events == ["message||1"] && commented.parser.skipped == 0)
      let skipped = parse(Array("id: 1\ndata: \(long)\nid: 2\n\n".utf8), pieces: pieces, limit: 100)
      #expect(skipped.events.isEmpty && skipped.parser.skipped == 1 && skipped.parser.lastID == "2")
    }
  }

  @Test("an event of many lines takes a time that grows with their number")
  func manyLines() {
    func time(_ count: Int) -> Duration {
      let text = Array(String(repeating: "data: x\n", count: count).utf8) + [0x0a]
      return processorTime {
        expect(
          parse(text, limit: 1 << 20).events.first?.utf8.count, equals: "message||".utf8.count + 2 * count - 1
        )
      }
    }
    // Fifteen times as many take fifteen times as long; were the data copied for each line, it would be some 70 times.
    let (few, many) = (time(20_000), time(300_000))
    #expect(many < few * 30 + .milliseconds(500), "\(few) and \(many)")
  }

  @Test("in pieces of any size the events are the same")
  func pieces() {
    let parts = [
      "data: é\u{1F680}", "data: 1", "data", "id: 3", "id: ä", "event: x", ":c", "retry: 1", "\n", "\n",
      "\r\n",
      "\r", "\u{feff}",
    ]
    var random = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      let text = Array((0..<40).compactMap { _ in parts.randomElement(using: &random) }.joined().utf8)
      let whole = parse(text)
      let cuts = (0..<text.count).map { _ in Int.random(in: 1...9, using: &random) } + [1]
      let cut = parse(text, pieces: cuts)
      expect(cut.events, equals: whole.events, "\(text) in \(cuts)")
      #expect(cut.parser.lastID == whole.parser.lastID && cut.parser.retry == whole.parser.retry)
      expect(parse(text, pieces: [1]).events, equals: whole.events)
    }
  }
}
