import Glibc
import Testing

/// The words that docs/glossary.md has better ones for, counted in code, comments and texts.
@Suite struct WordTests {
  /// From the table below “Words to avoid”: what is in the first column, between backticks.
  static let avoided: [String] = {
    let lines = Repository.file("docs/glossary.md")?.lines ?? []
    let table = lines.drop { $0 != "## Words to avoid" }.dropFirst().prefix { !$0.hasPrefix("## ") }
    return table.compactMap { line in
      guard line.hasPrefix("| `") else { return nil }
      return line.split(separator: "`").dropFirst().first.map(String.init)
    }
  }()

  @Test("the glossary lists words to avoid")
  func list() { #expect(Self.avoided.count >= 8) }

  /// The terms: what is in the first columns of the tables before “Words to avoid”.
  static let terms: [String] = {
    let lines = (Repository.file("docs/glossary.md")?.lines ?? []).prefix { $0 != "## Words to avoid" }
    return lines.filter { $0.hasPrefix("| ") && !$0.hasPrefix("| term ") }.flatMap { line -> [String] in
      let cell = line.dropFirst(2).prefix { $0 != "|" && $0 != "(" }
      return cell.split(separator: ",").map { $0.lowercased() }
    }
  }()

  @Test("every term of the glossary is one of the code, as words or as a name")
  func used() {
    let texts = Repository.sources + Repository.documents.filter { $0.path.hasPrefix("Sources/") }
    let code = texts.map { $0.text.lowercased().filter(\.isLetter) }
    #expect(Self.terms.count > 70)
    for term in Self.terms {
      let letters = term.filter(\.isLetter)
      #expect(code.contains { $0.contains(letters) }, "no file of Sources has “\(term)”")
    }
  }

  @Test("no area has more of a word to avoid than it had")
  func words() {
    let phrases = Self.avoided.map { phrase in (text: phrase, bytes: Array(phrase.utf8)) }
    let texts = Repository.documents.filter { $0.path != "docs/glossary.md" && $0.path != "CHANGELOG.md" }
    let pipelines = Repository.paths(below: "pipelines").filter { $0.hasSuffix(".yaml") }
      .compactMap(Repository.file)
    var findings: [Finding] = []
    for file in Repository.swiftFiles + texts + pipelines where !file.path.hasPrefix("Tests/Tidy/") {
      let area =
        file.path.hasSuffix(".swift")
        ? String(file.folders[0]) : file.path.hasSuffix(".md") ? "docs" : "pipelines"
      let bytes = file.text.utf8.map { 65...90 ~= $0 ? $0 | 32 : $0 }
      for phrase in phrases {
        for place in bytes.places(of: phrase.bytes) {
          let line = bytes[..<place].count { $0 == UInt8(ascii: "\n") } + 1
          findings.append(
            Finding(
              "\(area) \(phrase.text)", file, line: line,
              "“\(phrase.text)”: docs/glossary.md has a better word"))
        }
      }
    }
    Ratchet.expect(findings, rule: "word")
  }
}

extension [UInt8] {
  /// Where some words stand in a text, whole.
  fileprivate func places(of phrase: [UInt8]) -> [Int] {
    func isLetter(_ index: Int) -> Bool {
      indices.contains(index) && (97...122 ~= self[index] || self[index] == 95)
    }
    return (self + [0]).withUnsafeBufferPointer { text in
      var places: [Int] = []
      var next = 0
      while next < count, let start = UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self),
        let found = strstr(start + next, phrase.map { CChar($0) } + [0])
      {
        let place = UnsafePointer(found) - start
        if !isLetter(place - 1), !isLetter(place + phrase.count) { places.append(place) }
        next = place + 1
      }
      return places
    }
  }
}
