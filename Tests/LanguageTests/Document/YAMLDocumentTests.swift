import Expectations
import Testing

@testable import Language

@Suite struct YAMLDocumentTests {
  @Test func readsAPipeline() throws {
    let document = read(samples[0], environment: ["LIMIT": "7"])
    #expect(document.problems.isEmpty, "\(document.problems)")
    let root = try #require(document.root?.mapping)
    expect(root.entries.map(\.key.text), equals: ["name", "vars", "sources", "steps", "sinks"])
    expect(root["vars"]?.value.mapping?["limit"]?.value.scalar?.meaning, equals: .integer(7))
    let previous = try #require(root["sources"]?.value.mapping?["previous"]?.value.mapping)
    expect(previous["every"]?.value.scalar?.text, equals: "1d")
    expect(previous["launch_library"]?.value.mapping?["list"]?.key.place.position.line, equals: 7)
  }

  @Test func aFileWithNothingInItSaysSo() {
    for text in ["", "\n\n", "# nothing\n", "---\n"] {
      expect(complaints(text), equals: ["1:1: the file is empty"], "\(text)")
    }
  }

  @Test("settings may be empty")
  func emptySettings() {
    for text in ["", "# nothing\n", "---\n"] {
      let document = YAMLDocument(SourceFile(path: "a", text: text), mayBeEmpty: true)
      #expect(document.problems.sorted.isEmpty && document.root?.value ?? .null == .null)
    }
  }

  @Test func aByteOrderMarkIsToldAndReadPast() {
    let document = YAMLDocument(SourceFile(path: "a", bytes: [0xEF, 0xBB, 0xBF] + Array("é: 1\nb: 2".utf8))) {
      _ in nil
    }
    expect(document.problems.sorted.map(\.message), equals: ["the file begins with a byte order mark"])
    expect(document.root?.mapping?["b"]?.key.place.position.description, equals: "2:1")
    let foreign = YAMLDocument(SourceFile(path: "a", bytes: [0xFF, 0xFE, 0x61, 0])) { _ in nil }
    expect(foreign.problems.sorted.map(\.message), equals: ["the file is in UTF-16"])
  }

  @Test func bytesThatAreNoTextAreToldWhereTheyStand() {
    let bytes =
      Array("a: x".utf8) + [0xFF] + Array("\nb: ".utf8) + [0x1B] + Array("[0m\nc: ".utf8) + [
        0xED, 0xA0, 0x80,
      ]
    let document = YAMLDocument(SourceFile(path: "a", bytes: bytes)) { _ in nil }
    let found = document.problems.sorted
    expect(found.prefix(2).map(\.place.position.description), equals: ["1:5", "2:4"])
    expect(found.count, equals: 5)
    expect(document.root?.mapping?.entries.count, equals: 3)
  }

  @Test func aFileThatIsTooLargeIsNotRead() {
    var limits = Limits()
    limits.bytes = 10
    expect(
      complaints("a: 1234567890", limits: limits), equals: ["1:1: the file is too large to be a pipeline"])
  }

  @Test func aSecondDocumentIsAnError() {
    expect(complaints("a: 1\n---\nb: 2\n"), equals: ["2:1: a second document begins here"])
    expect(complaints("---\na: 1\n...\n"), equals: [])
  }

  @Test func aTabAsIndentationIsNamed() {
    expect(complaints("a:\n\tb: 1\n"), equals: ["2:1: the line is indented with a tab"])
    expect(
      complaints("a:\n  b: 1\n  \tc: 1\n").first?.hasSuffix("the line is indented with a tab"), equals: true)
  }

  @Test func duplicateKeysAreAllFound() {
    let found = complaints("a: 1\nb: {x: 1, x: 2}\na: 2\na: 3\n")
    expect(
      found,
      equals: [
        "2:11: the key “x” is given twice", "3:1: the key “a” is given twice",
        "4:1: the key “a” is given twice",
      ])
  }

  @Test func oneSyntaxErrorDoesNotHideTheOthers() {
    let text =
      "a: [1, 2\nsources:\n  x: y: z\nsteps:\n  - map: \"\\(.a)\"\nsinks: *nothing\nlast: 1\nlast: 2\n"
    let document = read(text)
    #expect(!document.isWhole)
    let lines = document.problems.sorted.map(\.place.position.line)
    expect(lines, equals: [2, 3, 5, 8], "\(document.problems)")
    #expect(document.root?.mapping?["last"] != nil)
  }

  @Test func commonMistakesSayWhatToDo() {
    let cases = [
      ("a: b: c", "1:5: unexpected “:”: there cannot be a key here"),
      ("a: @tsv", "1:4: a text cannot begin with “@”"),
      ("a: \"\\(.x)\"", "1:5: unknown escape in double quotes"),
      ("a: \"x", "1:4: the quote that opens here is never closed"),
      ("a: *", "1:5: “&” and “*” begin the name of an anchor here"),
      ("a: !.x", "1:4: the tag “!.x” is not supported here"),
      ("a: [${b}]", "1:5: “${” within [ ] or { } must be quoted"),
      ("a: ]", "1:4: a value is expected here, not “]”"), ("a: - b", "1:4: a list cannot begin here"),
      ("a: !b!c d", "1:4: “!” begins a tag here"),
      ("a: {{b}}", "1:5: a mapping cannot be a key"),
    ]
    for (text, expected) in cases { expect(complaints(text), equals: [expected], "\(text)") }
  }
}
