import Expectations
import Testing
@testable import Language

@Suite struct ComposerTests {
  @Test func anAliasBombIsDefused() {
    var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in 1...20 {
      let alias = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
      text += "a\(level): &a\(level) [\(alias)]\n"
    }
    let found = complaints(text)
    expect(found.count, equals: 1)
    expect(found.first?.contains("more than 100000 values"), equals: true)
  }

  @Test func nestingIsBounded() {
    let megabyte = complaints(String(repeating: "[", count: 1 << 20))
    expect(megabyte, equals: ["1:65: this is nested more than 64 deep"])
    let block = (0..<200).map { String(repeating: " ", count: $0) + "a:\n" }.joined()
    expect(complaints(block), equals: ["65:65: this is nested more than 64 deep"])
    let alias = "a: &a " + String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
    let within = String(repeating: "[", count: 40) + "*a" + String(repeating: "]", count: 40)
    expect(complaints("\(alias)\nb: \(within)"), equals: ["2:44: this alias nests more than 64 deep"])
  }

  @Test func nodesAreBounded() {
    var limits = Limits()
    limits.nodes = 10
    expect(complaints("[1,2,3,4,5,6,7,8,9]", limits: limits), equals: [])
    expect(complaints("[1,2,3,4,5,6,7,8,9,10]", limits: limits).count, equals: 1)
  }

  @Test func anAliasNeedsItsAnchor() {
    expect(complaints("a: &one 1\nb: *oen"), equals: ["2:4: there is no anchor &oen above this alias"])
    expect(complaints("a: &a [*a]"), equals: ["1:8: the alias *a refers to an anchor that contains it"])
    expect(read("a: &x 1\nb: *x").root?.mapping?["b"]?.value.place.position.description, equals: "1:7")
    expect(complaints("*x : 1\nb: 2").count, equals: 1)
  }

  @Test func keysAreText() {
    expect(complaints("? [a]\n: 1\nb: 2"), equals: ["1:3: a list cannot be a key"])
    expect(read("1: a\ntrue: b").root?.mapping?["true"]?.value.scalar?.text, equals: "b")
  }
}

@Suite struct MergeKeysTests {
  @Test func ownEntriesComeFirstThenThoseNamedFirst() {
    let text = "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {<<: [*b, *a], z: 3}\nd: {<<: *a}\n"
    let document = read(text)
    #expect(document.problems.isEmpty)
    expect(document.root?.mapping?["c"]?.value.description, equals: "{“z”: 3, “y”: 2, “x”: 1}")
    expect(document.root?.mapping?["d"]?.value.mapping?.entries.count, equals: 2)
  }

  @Test func onlyMappingsAreMerged() {
    expect(
      complaints("a: {<<: 5}"),
      equals: [
        "1:5: “<<” takes a mapping or a list of mappings, and this is the number 5"
      ])
    #expect(read("a: {'<<': 5}").root?.mapping?["a"]?.value.mapping?["<<"] != nil)
  }
}
