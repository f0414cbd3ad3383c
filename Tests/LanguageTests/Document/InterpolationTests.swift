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
    for (text, place) in [("a: x ${NONE} y", "1:6"), ("a: |\n  é\n  x ${NONE}", "3:5")] {
      let problem = "\(place): the variable NONE is not set in the environment"
      // Only a run needs it.
      let warnings = read(text).problems.warnings
      #expect(complaints(text).isEmpty && warnings.count == 1)
      expect(warnings.map { "\($0.place.position): \($0.message)" }, equals: [problem])
      let source = SourceFile(path: "a.yaml", text: text)
      var placeholders = Placeholders()
      placeholders.isForRun = true
      let needed = YAMLDocument(source, placeholders).problems.sorted
      expect(needed.map { "\($0.place.position): \($0.message)" }, equals: [problem])
    }
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
