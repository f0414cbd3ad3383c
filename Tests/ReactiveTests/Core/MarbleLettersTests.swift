import Expectations
import Reactive
import Testing

@Suite("Letters of a drawing")
struct MarbleLettersTests {
  @Test("an element has one letter, which no element is")
  func letters() {
    var letters = MarbleLetters<Int>(besides: ["b", "launch"])
    expect(String([7, 8, 7, 9].map { letters.letter(for: $0) }), equals: "acad")
    expect(letters.meanings.map { "\($0.letter) \($0.element)" }, equals: ["a 7", "c 8", "d 9"])
  }

  @Test("once all are in use, the others are question marks without a meaning")
  func exhausted() {
    var letters = MarbleLetters<Int>()
    let drawn = (0..<54).map { letters.letter(for: $0) }
    #expect(Set(drawn.prefix(52)).count == 52 && drawn.suffix(2) == ["?", "?"])
    #expect(letters.meanings.count == 52 && letters.letter(for: 51) == "Z")
  }
}
