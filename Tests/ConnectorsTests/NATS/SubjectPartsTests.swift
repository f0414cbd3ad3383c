import Expectations
import Testing

@testable import Connectors

@Suite struct SubjectPartsTests {
  @Test("the parts of a stream are numbered by the wildcard that has the key")
  func transform() {
    let parts = SubjectParts(subject: "orders.*.new.*", token: 4, part: (3, 16))
    let (source, destination) = parts.transform(into: 16)
    expect(source, equals: "orders.*.new.*")
    expect(destination, equals: "parts.16.{{partition(16,2)}}.orders.{{wildcard(1)}}.new.{{wildcard(2)}}")
    expect(parts.filter, equals: "parts.16.3.orders.*.new.*")
    expect(
      SubjectParts(subject: "a.*.>", token: 2, part: nil).transform(into: 2).destination,
      equals: "parts.2.{{partition(2,1)}}.a.{{wildcard(1)}}.>")
  }

  @Test("a stored subject says under which one its message was published")
  func published() {
    expect(SubjectParts.published("parts.16.3.orders.eu"), equals: "orders.eu")
    for own in ["orders.eu", "parts.eu", "parts.a.b.c", "parts.1.2"] {
      expect(SubjectParts.published(own), equals: own)
    }
  }

  @Test("a part has what the server has numbered so, and of what came before the keys of that number")
  func own() {
    let parts = (0..<4).map { SubjectParts(subject: "orders.*", token: 2, part: ($0, 4)) }
    for key in 0..<100 {
      let owners = parts.filter { $0.has("orders.k\(key)") }
      expect(owners.count, equals: 1)
      #expect(owners.first?.part?.number == SubjectParts.part(of: "k\(key)", among: 4))
    }
    let all = SubjectParts(subject: "orders.*", token: 2, part: nil)
    #expect(all.has("orders.eu") && all.has("parts.4.1.orders.eu"))
    #expect(!all.has("orders.eu.more") && !all.has("orders") && !all.has("other.eu"))
    let deep = SubjectParts(subject: "orders.*.>", token: 2, part: nil)
    #expect(deep.has("orders.eu.a.b") && !deep.has("orders.eu"))
  }
}
