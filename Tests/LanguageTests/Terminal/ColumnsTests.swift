import Expectations
import Testing
@testable import Language

@Suite struct ColumnsTests {
  @Test("a character takes as many columns as terminals give it")
  func widths() {
    let cases: [(String, Int)] = [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한국", 4), ("\u{1112}\u{1161}\u{11AB}", 2),
      ("ｶ", 1), ("Ａ", 2), ("→", 1), ("…", 1), ("🚀", 2), ("✅", 2), ("☀", 1), ("☀\u{FE0F}", 2),
      ("1\u{FE0F}\u{20E3}", 2),
      ("👩‍👩‍👧‍👦", 2), ("👍🏽", 2), ("🇵🇱", 2), ("🇵🇱🇯🇵", 4), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2), ("a\u{200B}b", 2), ("שלום", 4),
    ]
    for (text, width) in cases { expect(text.columns, equals: width, "\(text)") }
  }

  @Test("a text is cut between characters, and the cut shows")
  func clipping() {
    expect("Starlink".clipped(to: 8), equals: "Starlink")
    expect("Starlink".clipped(to: 5), equals: "Star…")
    expect("Starlink".clipped(to: 1), equals: "…")
    expect("Starlink".clipped(to: 0), equals: "")
    expect("日本語".clipped(to: 6), equals: "日本語")
    expect("日本語".clipped(to: 5), equals: "日本…")
    expect("日本語".clipped(to: 4), equals: "日…")
    expect("ab👩‍👩‍👧‍👦cd".clipped(to: 4), equals: "ab…")
    expect("ab👩‍👩‍👧‍👦cd".clipped(to: 5), equals: "ab👩‍👩‍👧‍👦…")
    expect("e\u{301}e\u{301}e\u{301}".clipped(to: 2), equals: "e\u{301}…")
  }

  @Test("what is clipped is never wider than asked, and whole where there is room")
  func clippingFits() {
    let text = "Ł日e\u{301}👍🏽🇵🇱x🚀y"
    for width in 0...20 {
      let clipped = text.clipped(to: width)
      #expect(clipped.columns <= width)
      expect((clipped == text), equals: (width >= text.columns))
      #expect(clipped == text || width == 0 || clipped.columns >= width - 1)
    }
  }

  @Test("spaces fill up what is narrower")
  func padding() {
    expect("日".padded(to: 4), equals: "日  ")
    expect("12".padded(to: 4, right: true), equals: "  12")
    expect("long".padded(to: 2), equals: "long")
  }

  @Test("styles take no room, and end where a styled text is cut")
  func clippingStyled() {
    let paint = Paint(isOn: true)
    let text = "\(paint("late", .red)) by \(paint("2 days", .bold))"
    expect(text.clippedStyled(to: 14), equals: text)
    expect(text.clippedStyled(to: 8), equals: "\u{1B}[31mlate\u{1B}[0m by…\u{1B}[0m")
    expect(text.clippedStyled(to: 4), equals: "\u{1B}[31mlat…\u{1B}[0m")
    expect("plain".clippedStyled(to: 3), equals: "pl…")
    expect("\u{1B}[1m\u{301}mmm\u{1B}[0m".clippedStyled(to: 2), equals: "\u{1B}[1m\u{301}m…\u{1B}[0m")
  }
}

@Suite struct WrappedTests {
  @Test("lines are filled with words, and line breaks stay")
  func words() {
    expect(wrapped("a few words", to: 7, indent: 2), equals: ["  a few", "  words"])
    expect(wrapped("a\n\nb c", to: 3), equals: ["a", "", "b c"])
    expect(wrapped("", to: 3), equals: [""])
  }

  @Test("a word that is too wide has a line of its own, and wide characters count twice")
  func wide() {
    expect(wrapped("a toolong b", to: 4), equals: ["a", "toolong", "b"])
    expect(wrapped("発射 発射", to: 8), equals: ["発射", "発射"])
    expect(wrapped("発射 発射", to: 9), equals: ["発射 発射"])
  }
}
