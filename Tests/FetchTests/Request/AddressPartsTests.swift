import Expectations
import System
import Testing

@testable import Fetch

@Suite struct AddressPartsTests {
  private func flaw(_ texts: [String], _ data: [String]) -> String? {
    do throws(Sentence) {
      _ = try Address(texts: texts, data: data)
      return nil
    } catch {
      return error.description
    }
  }

  @Test("data are encoded, whatever they hold; texts stand as they are")
  func encoded() throws {
    let address = try Address(
      texts: ["https://a.org/x%20y/", "/z?q=", "&r=", ""], data: ["a/b?c#d%", "=&\n", "ż"])
    expect(address.text, equals: "https://a.org/x%20y/a%2Fb%3Fc%23d%25/z?q=%3D%26%0A&r=%C5%BC")
    try expect(Address(texts: ["http://a/"], data: []).text, equals: "http://a/")
    try expect(Address(texts: ["http://a/x", ""], data: ["1"]).text, equals: "http://a/x1")
    try expect(Address(texts: ["http://a?q=", ""], data: [""]).text, equals: "http://a/?q=")
  }

  @Test("data cannot name another folder or host", arguments: ["", ".", ".."])
  func steps(_ datum: String) {
    expect(flaw(["http://a/items/", ""], [datum])?.contains("would change the address"), equals: true)
    expect(flaw(["http://a/items/", "/x"], [datum])?.contains("would change the address"), equals: true)
    expect(flaw(["http://a/items/", "?q"], [datum])?.contains("would change the address"), equals: true)
    expectNil(flaw(["http://a/items?q=", ""], [datum]))
  }

  @Test("two data cannot make a step together")
  func joined() {
    expect(flaw(["http://a/x/", "", ""], [".", "."])?.contains("would change the address"), equals: true)
    expect(flaw(["http://a/x/.", ""], ["."])?.contains("would change the address"), equals: true)
  }

  @Test("the host is in the first text", arguments: ["http://", "http://a", "http:", "", "http://a:8"])
  func hosts(_ start: String) {
    expect(flaw([start, "/"], ["b"])?.contains("host"), equals: true)
  }
}
