import Testing

@testable import Language

@Suite struct MergeKeysTests {
  @Test func ownEntriesComeFirstThenThoseNamedFirst() {
    let text = "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {<<: [*b, *a], z: 3}\nd: {<<: *a}\n"
    let document = read(text)
    #expect(document.problems.isEmpty)
    #expect(document.root?.mapping?["c"]?.value.description == "{“z”: 3, “y”: 2, “x”: 1}")
    #expect(document.root?.mapping?["d"]?.value.mapping?.entries.count == 2)
  }

  @Test func onlyMappingsAreMerged() {
    #expect(
      complaints("a: {<<: 5}") == [
        "1:5: “<<” takes a mapping or a list of mappings, and this is the number 5"
      ])
    #expect(read("a: {'<<': 5}").root?.mapping?["a"]?.value.mapping?["<<"] != nil)
  }
}
