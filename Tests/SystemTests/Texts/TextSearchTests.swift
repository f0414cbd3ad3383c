import Expectations
import Testing

@testable import System

@Suite struct TextSearchTests {
  @Test("the first place of a text is found, also after a part of it")
  func places() throws {
    let text = "a:::://b://c"
    let place = try #require(text.place(of: "://"))
    #expect(text[..<place.lowerBound] == "a:::" && text[place.upperBound...] == "b://c")
    #expect("abc".place(of: "abcd") == nil && "abc".place(of: "") == nil && "".place(of: "a") == nil)
    #expect("żółw".has("ółw") && !"żółw".has("olw"))
    #expect("xaay".dropFirst().place(of: "ay") != nil)
  }

  @Test("every place is replaced, from the left, and what is put in is not searched")
  func replacing() {
    expect("a&b&&".replacing("&", by: "&amp;"), equals: "a&amp;b&amp;&amp;")
    #expect("aaa".replacing("aa", by: "b") == "ba" && "abc".replacing("x", by: "y") == "abc")
    expect("ł1ł".replacing("ł", by: ""), equals: "1")
  }
}
