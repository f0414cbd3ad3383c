/// The letters of a drawing of a stream: each element has one, in the order in which they appear.
///
///     var letters = MarbleLetters<String>(besides: ["a"])
///     letters.letter(for: "launch")    // "b"
///     letters.meanings    // [(letter: "b", element: "launch")]
package struct MarbleLetters<Element: Hashable> {
  /// The letters and what they stand for, in their order.
  package private(set) var meanings: [(letter: Character, element: Element)] = []
  private var known: [Element: Character] = [:]
  private var unused: [Character]

  /// Letters for a drawing in which some mean themselves.
  package init(besides taken: Set<String> = []) {
    unused = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".filter { !taken.contains(String($0)) }
      .reversed()
  }

  /// The letter of an element; `?`, which has no meaning, once all are in use.
  package mutating func letter(for element: Element) -> Character {
    if let letter = known[element] { return letter }
    guard let letter = unused.popLast() else { return "?" }
    known[element] = letter
    meanings.append((letter, element))
    return letter
  }
}
