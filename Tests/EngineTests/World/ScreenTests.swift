import Expectations
import Testing

@testable import Engine

@Suite struct ScreenTests {
  private final class Owner: Sendable {}

  private let begin = "\u{1B}[?2026h\r"
  private let end = "\u{1B}[?2026l"

  private func lines(_ lines: String...) -> String { lines.map { "\u{1B}[2K" + $0 + "\r\n" }.joined() }

  /// What a stage writes when `body` has done its work.
  private func written(_ body: (DrawnScreen) throws -> Void) rethrows -> [String] {
    let writes = LaneLocal<[String]>([])
    let stage = DrawnScreen(size: { (80, 24) }) { writes.value.append(String(decoding: $0, as: UTF8.self)) }
    try body(stage)
    return writes.value
  }

  @Test("what is written goes above what is drawn, which begins on a line of its own")
  func writing() throws {
    let owner = Owner()
    let writes = try written { stage in
      try stage.write(Array("before".utf8))
      try stage.draw(["a"], by: ObjectIdentifier(owner))
      try stage.write(Array("x\n".utf8))
      try stage.write(Array("y".utf8))
      try stage.write([7])
    }
    let up = "\r\u{1B}[1A\u{1B}[J"
    let a = begin + lines("a") + end
    expect(writes, equals: ["before", a, up + "x\n" + a, up + "y\r\n" + a, "\u{07}"])
  }

  @Test("in the background nothing is drawn, and what a shell has written since is not erased")
  func background() throws {
    let owner = Owner()
    let isOurs = LaneLocal(true)
    let writes = LaneLocal<[String]>([])
    let stage = DrawnScreen(size: { (80, 24) }, isOurs: { isOurs.value }) {
      writes.value.append(String(decoding: $0, as: UTF8.self))
    }
    try stage.draw(["a"], by: ObjectIdentifier(owner))
    isOurs.value = false
    try stage.draw(["b"], by: ObjectIdentifier(owner))
    try stage.write(Array("x\n".utf8))
    stage.aside {}
    isOurs.value = true
    try stage.draw(["c"], by: ObjectIdentifier(owner))
    expect(writes.value, equals: [begin + lines("a") + end, "x\n", begin + lines("c") + end])
  }

  @Test("each draws for itself, the first one on top")
  func owners() throws {
    let (first, second) = (Owner(), Owner())
    let writes = try written { stage in
      try stage.draw(["a"], by: ObjectIdentifier(first))
      try stage.draw(["b"], by: ObjectIdentifier(second))
      try stage.draw(["c"], by: ObjectIdentifier(first))
    }
    expect(writes[1], equals: begin + "\u{1B}[1A" + lines("a", "", "b") + end)
    expect(writes[2], equals: begin + "\u{1B}[3A" + lines("c", "", "b") + end)
  }

  @Test("one is below all others, in whatever order they came")
  func last() throws {
    let (line, table) = (Owner(), Owner())
    let writes = try written { stage in
      try stage.draw(["line"], by: ObjectIdentifier(line), isLast: true)
      try stage.draw(["table"], by: ObjectIdentifier(table))
    }
    expect(writes[1], equals: begin + "\u{1B}[1A" + lines("table", "", "line") + end)
  }

  @Test("who draws nothing any more gives up the place, and comes last when there is something again")
  func places() throws {
    let (first, second) = (Owner(), Owner())
    let writes = try written { stage in
      try stage.draw(["a"], by: ObjectIdentifier(first))
      try stage.draw(["b"], by: ObjectIdentifier(second))
      try stage.draw([], by: ObjectIdentifier(first))
      try stage.draw(["c"], by: ObjectIdentifier(first))
    }
    expect(writes[2], equals: begin + "\u{1B}[3A" + lines("b") + "\u{1B}[J" + end)
    expect(writes[3], equals: begin + "\u{1B}[1A" + lines("b", "", "c") + end)
  }

  @Test("others may write while nothing is drawn")
  func aside() throws {
    let owner = Owner()
    var calls = 0
    let writes = try written { stage in
      stage.aside { calls += 1 }
      try stage.draw(["a"], by: ObjectIdentifier(owner))
      stage.aside { calls += 1 }
    }
    let a = begin + lines("a") + end
    expect(calls, equals: 2)
    expect(writes, equals: [a, "\r\u{1B}[1A\u{1B}[J", a])
  }
}
