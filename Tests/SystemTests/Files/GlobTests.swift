import Testing

import TestSupport
@testable import System

@Suite struct GlobTests {
  let folder: TemporaryFolder
  init() throws {
    folder = try TemporaryFolder()
    for name in ["b.json", "a.json", "ä.json", "a.txt", ".a.json"] { try folder.write(name, "1") }
  }

  @Test(
    "patterns give names in order",
    arguments: [
      ("*.json", ["a.json", "b.json", "ä.json"]), ("?.txt", ["a.txt"]), ("[ab].json", ["a.json", "b.json"]),
      ("x*", []),
    ])
  func patterns(pattern: String, names: [String]) throws {
    #expect(try Glob.expand(folder[pattern]) == names.map { folder[$0] })
  }

  @Test("a name with brackets is that of a file, where there is one")
  func brackets() throws {
    try folder.write("[table].csv", "1")
    #expect(try Glob.expand(folder["[table].csv"]) == [folder["[table].csv"]])
    #expect(try Glob.expand(folder["[t]able.csv"]) == [])
  }

  @Test("a path without magic is itself, there or not, and a tilde is only a tilde")
  func plain() throws {
    #expect(try Glob.expand("none.json") == ["none.json"])
    #expect(try Glob.expand("~/none*") == [])
    #expect(try Glob.expand("~") == ["~"])
  }
}
