import Reactive
import Testing

@testable import Language

@Suite struct ScalarReaderTests {
  /// Where each `@` of a scalar's text is found, against where they stand in the file.
  private func expectPlaces(_ text: String, location: SourceLocation = #_sourceLocation) {
    let document = read(text)
    #expect(document.problems.isEmpty, "\(document.problems)", sourceLocation: location)
    let bytes = Array(text.utf8)
    let expected = bytes.indices.filter { bytes[$0] == UInt8(ascii: "@") }
    guard let scalar = document.root?.mapping?["a"]?.value.scalar else {
      Issue.record("no scalar", sourceLocation: location)
      return
    }
    let found = scalar.text.utf8.enumerated().filter { $0.element == UInt8(ascii: "@") }
      .map { scalar.place(of: $0.offset..<$0.offset + 1).range.lowerBound }
    #expect(found == expected, sourceLocation: location)
  }

  @Test func everyStyleKnowsItsPlaces() {
    expectPlaces("a: x@ y@\n   z@\n\n  w@ # c\n")
    expectPlaces("a: &anchor !!str # c\n  'it''s @\n\n\n   @''@'")
    expectPlaces("a: \"\\t@\\u00e9@ é@ \\\n   @\n @\n\n  @\\\"@\\x41@\"")
    expectPlaces("a: |\n    @\n      @\n\n\n    é@\n")
    expectPlaces("a: |-   # c\r\n  @\r\n    @\r\n \r\n")
  }

  @Test func foldedTextIsOnePlace() throws {
    for text in ["a: >\n  x@\n  y\n", "a: >-\n  x@\n", "a: |2\n    x@\n  y\n"] {
      let scalar = try #require(read(text).root?.mapping?["a"]?.value.scalar)
      let whole = scalar.place(of: 0..<scalar.text.utf8.count).range
      #expect(whole.lowerBound == 3 && scalar.place(of: 1..<2).range == whole, "\(text)")
    }
  }

  @Test func everyTextIsReadAsLibyamlReadsIt() {
    var dice = SplitMix64(seed: 11)
    let pieces = [" ", "  ", "\n", "\n\n", "@", "é", "\t", "x", "日", "\r\n", "''", " \n "]
    for _ in 0..<4000 {
      let body = (0..<Int.random(in: 0...10, using: &dice)).map { _ in
        pieces.randomElement(using: &dice) ?? ""
      }.joined()
      let header = ["|", "|-", "|+"].randomElement(using: &dice) ?? "|"
      let indented = body.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n  ")
      let quote = Bool.random(using: &dice) ? "'" : "\""
      for text in ["a: \(header)\n  \(indented)\n", "a: \(quote)\(indented)\(quote)\n", "a: x\(indented)y\n"]
      {
        for scalar in scalars(of: read(text).root) where !scalar.text.isEmpty {
          let bytes = scalar.place.file.bytes
          // Read apart from libyaml's text, the map would be one coarse stretch.
          for (offset, byte) in scalar.text.utf8.enumerated() where byte > 0x20 && byte != UInt8(ascii: "'") {
            let place = scalar.place(of: offset..<offset + 1).range
            #expect(place.count == 1 && bytes[place.lowerBound] == byte, "\(text.debugDescription)")
          }
        }
      }
    }
  }
}

/// All scalars of a tree, keys included.
func scalars(of node: YAMLNode?) -> [Scalar] {
  switch node {
  case nil: []
  case .scalar(let scalar)?: [scalar]
  case .sequence(let sequence)?: sequence.elements.flatMap { scalars(of: $0) }
  case .mapping(let mapping)?: mapping.entries.flatMap { [$0.key] + scalars(of: $0.value) }
  }
}
