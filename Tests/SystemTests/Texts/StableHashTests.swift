import Expectations
import System
import Testing

struct StableHashTests {
  @Test(
    "has the values that FNV-1a is published with",
    arguments: [
      ("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8"),
    ])
  func published(_ text: String, _ digits: String) {
    expect(StableHash(text.utf8).digits, equals: digits)
  }

  @Test("is the same for parts and the whole")
  func parts() {
    var hash = StableHash("foo".utf8)
    hash.add("bar".utf8)
    expect(hash.value, equals: StableHash("foobar".utf8).value)
  }

  @Test("has its zeros in front of its digits")
  func zeros() { expect(StableHash(from: 0x1f).digits, equals: "000000000000001f") }
}
