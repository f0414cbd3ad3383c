import Testing

@testable import Language

@Suite struct WrappedTests {
  @Test("lines are filled with words, and line breaks stay")
  func words() {
    #expect(wrapped("a few words", to: 7, indent: 2) == ["  a few", "  words"])
    #expect(wrapped("a\n\nb c", to: 3) == ["a", "", "b c"])
    #expect(wrapped("", to: 3) == [""])
  }

  @Test("a word that is too wide has a line of its own, and wide characters count twice")
  func wide() {
    #expect(wrapped("a toolong b", to: 4) == ["a", "toolong", "b"])
    #expect(wrapped("発射 発射", to: 8) == ["発射", "発射"])
    #expect(wrapped("発射 発射", to: 9) == ["発射 発射"])
  }
}
