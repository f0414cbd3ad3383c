import Expectations
import Testing

@testable import JSON

@Suite struct SequenceReaderTests {
  func read(_ text: String, piece: Int) -> [String] {
    let reader = SequenceReader(source: pieces(Array(text.utf8), piece))
    var all: [String] = []
    while true {
      do {
        guard let value = try reader.next() else { return all }
        all.append(value.description)
      } catch {
        all.append("\(error)")
      }
    }
  }

  @Test(arguments: [1, 3, 1000])
  func aMistakeCostsOnlyItsText(_ piece: Int) {
    let text = "1\u{1e}2 3\n[0,1\u{1e}[4,5]true\"ab\"{\"c\":4\u{1e}{}{\"d\":5,\"e\":6\"\u{1e}false\n"
    expect(
      read(text, piece: piece),
      equals: [
        "2", "3", "Truncated value at line 2, column 5", "[4,5]", "true", "\"ab\"",
        "Truncated value at line 2, column 25", "{}", "Truncated value at line 2, column 41", "false",
      ])
  }

  @Test func whatStandsBeforeTheFirstSeparatorIsAbandoned() {
    expect(read("\"foo", piece: 10), equals: ["Unfinished abandoned text at EOF at line 1, column 4"])
    expect(read("1\n\u{1e}2\n", piece: 10), equals: ["2"])
  }

  @Test func aNumberNeedsSpaceAfterIt() {
    expect(
      read("\u{1e}12\u{1e}3\n\u{1e}4", piece: 10),
      equals: [
        "Potentially truncated top-level numeric value at line 1, column 4", "3",
        "Potentially truncated top-level numeric value at EOF at line 2, column 2",
      ])
  }

  @Test(arguments: [1, 2, 5, 100])
  func brokenCharactersAreReplacedWhereverTheTextIsCut(_ piece: Int) {
    let bytes: [UInt8] = [0x1e, 0x22, 0xff, 0xe2, 0x82, 0x22, 0x0a, 0x1e, 0x5b, 0x22, 0xff, 0x1e, 0x31, 0x0a]
    let reader = SequenceReader(source: pieces(bytes, piece))
    var all: [String] = []
    for _ in 0..<3 {
      do {
        if let value = try reader.next() { all.append(value.description) }
      } catch {
        all.append("\(error)")
      }
    }
    #expect(all.first == "\"\u{fffd}\u{fffd}\"" && all.last == "1" && all[1].hasPrefix("Truncated value"))
  }

  @Test func anInvalidTextIsLeftAtTheNextSeparator() {
    expect(
      read("\u{1e}[1,x] 2\n\u{1e}3\n", piece: 4),
      equals: [
        "Invalid numeric literal at line 1, column 6 (need RS to resync)", "3",
      ])
  }
}
