import Expectations
import Reactive
import ReactiveTesting
import Testing

@Suite struct MarbleDrawingTests {
  private func drawing<Element: Sendable>(
    _ events: [(Int, StreamEvent<Element>)], step: Duration = .seconds(1)
  ) -> MarbleDrawing {
    MarbleDrawing(events.map { (Instant() + .seconds($0.0), $0.1) }, step: step)
  }

  @Test func drawsWhatHappenedWhen() {
    expect(drawing([(1, .next("a")), (4, .next("b")), (6, .completed)]).line, equals: "-a--b-|")
    expect(drawing([(0, .next("a")), (2, .failed(CancellationError()))]).line, equals: "a-#")
    #expect(drawing([(Int, StreamEvent<Int>)]()).line.isEmpty)
  }

  @Test func whatHappensInOneStepIsAGroup() {
    expect(drawing([(1, .next("a")), (1, .next("b")), (1, .completed)]).line, equals: "-(ab|)")
    expect(drawing([(1, .next(1)), (2, .next(2)), (2, .next(3)), (3, .next(4))]).line, equals: "-1(23)4")
  }

  @Test func aStepMayBeLonger() {
    expect(
      drawing([(0, .next(1)), (9, .next(2)), (10, .completed)], step: .seconds(10)).line, equals: "(12)|")
  }

  @Test func longElementsGetLettersInOrderOfAppearance() {
    let drawing = drawing([(0, .next(10)), (1, .next(7)), (2, .next(20)), (3, .next(10))])
    expect(drawing.line, equals: "a7ba")
    expect(drawing.legend, equals: ["a = 10", "b = 20"])
  }

  @Test func marksThatMeanSomethingGetLettersToo() {
    let drawing = drawing([(0, .next("|")), (1, .next("-")), (2, .next(""))])
    expect(drawing.line, equals: "abc")
    expect(drawing.legend, equals: ["a = |", "b = -", "c = "])
  }

  @Test func whatIsDrawnCanBeRead() throws {
    for text in ["-a--(bc)-|", "(a|)", "#", "a-(b#)", ""] {
      let clock = VirtualScheduler()
      let recording = clock.record(try clock.hot(text))
      clock.run()
      expect(recording.drawing.line, equals: text)
    }
  }

  @Test func lettersAreNotThoseOfElements() {
    let drawing = drawing([(0, .next("10")), (1, .next("a")), (2, .next("20")), (3, .next("b"))])
    expect(drawing.line, equals: "cadb")
    expect(drawing.legend, equals: ["c = 10", "d = 20"])
  }
}
