import Testing

@testable import Language

@Suite struct InterpolationTests {
  private func text(_ value: String, _ environment: [String: String] = [:]) -> String? {
    read("a: \(value)", environment: environment).root?.mapping?["a"]?.value.scalar?.text
  }

  @Test func variablesAreReplaced() {
    #expect(text("${A}/x/${B:-d}", ["A": "1"]) == "1/x/d")
    #expect(text("${A:-d}", ["A": ""]) == "d")
    #expect(text("${A}", ["A": ""]) == "")
    #expect(text("${A:-}") == "")
    #expect(text("'$${A} $A $$'") == "${A} $A $$")
    #expect(text("|\n  ${A}", ["A": "x: [\n"]) == "x: [\n")
    #expect(text("$vars.x") == "$vars.x")
  }

  @Test func aValueIsNeverReadAsYAML() {
    let root = read("a: ${A}\nb: ['${A}']", environment: ["A": "x, y: ${B}"]).root?.mapping
    #expect(root?["a"]?.value.scalar?.text == "x, y: ${B}")
    #expect(root?["b"]?.value.sequence?.elements.count == 1)
  }

  @Test func whatIsWrongIsToldInItsPlace() {
    #expect(complaints("a: x ${NONE} y") == ["1:6: the variable NONE is not set in the environment"])
    #expect(complaints("a: |\n  é\n  x ${NONE}") == ["3:5: the variable NONE is not set in the environment"])
    #expect(complaints("a: \"\\t${\"") == ["1:7: “${” is not closed"])
    #expect(complaints("a: ${A-b} ${1} ${}").count == 3)
  }

  @Test func keysAreLeftAlone() {
    #expect(read("'${A}': 1").root?.mapping?["${A}"] != nil)
  }

  @Test func placesGoOnBehindAVariable() throws {
    let scalar = try #require(
      read("a: ${A}.foo ${A}!", environment: ["A": "long value"]).root?.mapping?["a"]?.value.scalar)
    #expect(scalar.text == "long value.foo long value!")
    #expect(scalar.place(of: 11..<14).position.description == "1:9")
    #expect(scalar.place(of: 3..<4).position.description == "1:4")
    #expect(scalar.place(of: 25..<26).position.description == "1:17")
    #expect(scalar.description == "${A}.foo ${A}!" || scalar.description == "“${A}.foo ${A}!”")
  }
}
