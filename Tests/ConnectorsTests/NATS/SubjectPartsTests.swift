import Expectations
import Testing

@testable import Connectors

@Suite struct SubjectPartsTests {
  private func parts(_ subject: String, token: Int, number: Int = 3, count: Int = 16) -> SubjectParts {
    SubjectParts(pipeline: "p", subject: subject, token: token, number: number, count: count)
  }

  @Test("the number of a part is made of the wildcard that has the key, and stands before the subject")
  func subjects() {
    let orders = parts("orders.*.new.*", token: 4)
    expect(orders.destination, equals: "{{partition(16,2)}}.orders.{{wildcard(1)}}.new.{{wildcard(2)}}")
    expect(orders.filter, equals: "3.orders.*.new.*")
    expect(orders.wakeUp("FLOW_PARTS_x"), equals: "flow.parts.FLOW_PARTS_x.3.orders.*.new.*")
    expect(parts("a.*.>", token: 2, count: 2).destination, equals: "{{partition(2,1)}}.a.{{wildcard(1)}}.>")
    expect(SubjectParts.published("3.orders.eu.new.1"), equals: "orders.eu.new.1")
  }

  @Test("what is read otherwise, or created anew, has another copy; the tasks of a pipeline have one")
  func copies() {
    func name(_ parts: SubjectParts, _ created: String = "2026-01-01") -> String {
      parts.copy(of: "IN", created: created)
    }
    let one = name(parts("orders.*", token: 2))
    #expect(one.hasPrefix("FLOW_PARTS_") && one.count < 30)
    expect(name(parts("orders.*", token: 2, number: 4)), equals: one)
    var other = parts("orders.*", token: 2)
    #expect(name(other, "2026-01-02") != one)
    other = SubjectParts(pipeline: "q", subject: "orders.*", token: 2, number: 3, count: 16)
    #expect(name(other) != one && name(parts("orders.*", token: 2, count: 8)) != one)
  }
}
