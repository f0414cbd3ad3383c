// A search for words.

/// Words of which one must be there, phrases that all must be, and words that must not.
struct SpaceXText {
  private var words: Set<String> = []
  private var phrases: [String] = []
  private var unwanted: Set<String> = []

  init(_ search: String) {
    for (number, part) in search.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
      if !number.isMultiple(of: 2) {
        phrases.append(part.lowercased())
        continue
      }
      for word in part.split(separator: " ") {
        if word.hasPrefix("-") {
          unwanted.formUnion(Self.words(word))
        } else {
          words.formUnion(Self.words(word))
        }
      }
    }
  }

  func isFound(in text: String) -> Bool {
    let there = Set(Self.words(text[...]))
    let lower = text.lowercased()
    guard unwanted.isDisjoint(with: there), phrases.allSatisfy({ lower.contains($0) }) else { return false }
    return phrases.isEmpty ? !words.isDisjoint(with: there) : true
  }

  private static func words(_ text: Substring) -> [String] {
    text.lowercased().split { !($0.isLetter || $0.isNumber) }.map(String.init)
  }
}
