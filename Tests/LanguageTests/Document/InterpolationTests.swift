import Expectations
import Testing

@testable import Language

@Suite struct InterpolationTests {
  private func text(_ value: String, _ environment: [String: String] = [:]) -> String? {
    read("a: \(value)", environment: environment).root?.mapping?["a"]?.value.scalar?.text
  }

  @Test func variablesAreReplaced() {
    expect(text("${A}/x/${B:-d}", ["A": "1"]), equals: "1/x/d")
    expect(text("${A:-d}", ["A": ""]), equals: "d")
    expect(text("${A}", ["A": ""]), equals: "")
    expect(text("${A:-}"), equals: "")
    expect(text("'$${A} $A $$'"), equals: "${A} $A $$")
    expect(text("|\n  ${A}", ["A": "x: [\n"]), equals: "x: [\n")
    expect(text("$vars.x"), equals: "$vars.x")
  }

  @Test func aValueIsNeverReadAsYAML() {
    let root = read("a: ${A}\nb: ['${A}']", environment: ["A": "x, y: ${B}"]).root?.mapping
    expect(root?["a"]?.value.scalar?.text, equals: "x, y: ${B}")
    expect(root?["b"]?.value.sequence?.elements.count, equals: 1)
  }

  @Test func whatIsWrongIsToldInItsPlace() {
    expect(complaints("a: x ${NONE} y"), equals: ["1:6: the variable NONE is not set in the environment"])
    expect(
      complaints("a: |\n  é\n  x ${NONE}"), equals: ["3:5: the variable NONE is not set in the environment"])
    expect(complaints("a: \"\\t${\""), equals: ["1:7: “${” is not closed"])
    expect(complaints("a: ${A-b} ${1} ${}").count, equals: 3)
  }

  @Test func keysAreLeftAlone() {
    #expect(read("'${A}': 1").root?.mapping?["${A}"] != nil)
  }

  @Test func placesGoOnBehindAVariable() throws {
    let scalar = try #require(
      read("a: ${A}.foo ${A}!", environment: ["A": "long value"]).root?.mapping?["a"]?.value.scalar)
    expect(scalar.text, equals: "long value.foo long value!")
    expect(scalar.place(of: 11..<14).position.description, equals: "1:9")
    expect(scalar.place(of: 3..<4).position.description, equals: "1:4")
    expect(scalar.place(of: 25..<26).position.description, equals: "1:17")
    #expect(scalar.description == "${A}.foo ${A}!" || scalar.description == "“${A}.foo ${A}!”")
  }
}
