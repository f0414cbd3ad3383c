import Reactive
import TestScale
import Testing

@testable import Fetch

@Suite struct VeilTests {
  @Test("every way to write a secret is hidden, the longest first; what is too short is not looked for")
  func masked() {
    let veil = Veil(["hunter2", "hunter2-and-more", "a/b+c?", "abc"])
    #expect(veil.masked("hunter2 hunter2-and-more abc") == "*** *** abc")
    #expect(veil.masked("a/b+c? a\\/b+c? a/b%2Bc%3F") == "*** *** ***")
    #expect(veil.masked("nothing") == "nothing")
    #expect(Veil(["a%20bcd"]).masked("a bcd, a%20bcd") == "***, ***")
  }

  @Test("a body is kept without secrets and comes back whole")
  func hidden() throws {
    let veil = Veil(["hunter2", "hunter2-and-more"])
    let body = Array(#"{"next":"/?key=hunter2&x=hunter2-and-more","é":"hunter"}"#.utf8)
    let kept = try #require(veil.hidden(body))
    #expect(!kept.contains(subsequence: "hunter2"))
    #expect(veil.revealed(kept) == body)
    #expect(veil.revealed(body) == body)
    #expect(Veil().hidden(body) == body)
  }

  @Test("the beginning of a secret at the end of a text is hidden too")
  func cut() {
    let veil = Veil(["hunter2-long"])
    #expect(veil.masked("a hunter2-lon") == "a ***")
    #expect(veil.masked("a hunt") == "a ***")
    #expect(veil.masked("a hun") == "a hun")
    #expect(veil.masked("hunter2-long") == "***")
    #expect(veil.masked("hunter") == "***")
  }

  @Test("any body with any secrets comes back whole, and none of them lies in between")
  func property() throws {
    var dice = SplitMix64(seed: 3)
    let letters = Array("abc/%20 é\\")
    func text(_ count: Int) -> String { String((0..<count).map { _ in letters[dice.below(letters.count)] }) }
    for _ in 0..<TestScale.count(2000, atLeast: 100) {
      let secrets = (0..<dice.below(4)).map { _ in text(4 + dice.below(4)) }
      var body: [UInt8] = []
      for _ in 0..<dice.below(6) {
        body += Array(text(dice.below(8)).utf8)
        if let secret = secrets.randomElement(using: &dice) { body += Array(secret.utf8) }
      }
      let veil = Veil(secrets)
      let kept = try #require(veil.hidden(body))
      #expect(veil.revealed(kept) == body)
      for secret in secrets { #expect(!kept.contains(subsequence: secret)) }
      let shown = Array(veil.masked(String(decoding: body, as: UTF8.self)).utf8)
      for secret in secrets { #expect(!shown.contains(subsequence: secret)) }
    }
  }

  @Test("what is not text could be taken for hidden secrets and is not kept; a foreign veil reveals nothing")
  func foreign() throws {
    #expect(Veil(["hunter2"]).hidden([0x20, 0xff, 0x00]) == nil)
    #expect(Veil().hidden([0xff, 0x00]) == [0xff, 0x00])
    let kept = try #require(Veil(["hunter2", "secret-of-two"]).hidden(Array("hunter2".utf8)))
    #expect(Veil(["single"]).revealed(kept) == nil)
  }
}

extension [UInt8] {
  func contains(subsequence text: String) -> Bool { firstRange(of: Array(text.utf8)) != nil }
}
