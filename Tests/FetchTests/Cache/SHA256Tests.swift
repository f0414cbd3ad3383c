import Expectations
import Testing

@testable import Fetch

@Suite struct SHA256Tests {
  @Test(
    "the standard's own examples",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        String(repeating: "a", count: 1_000_000),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
    ])
  func examples(_ text: String, _ digest: String) {
    let bytes = SHA256.digest(Array(text.utf8))
    expect(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(), equals: digest)
  }
}
