import Expectations
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
    try expect(Glob.expand(folder[pattern]), equals: names.map { folder[$0] })
  }

  @Test("a name with brackets is that of a file, where there is one")
  func brackets() throws {
    try folder.write("[table].csv", "1")
    try expect(Glob.expand(folder["[table].csv"]), equals: [folder["[table].csv"]])
    try expect(Glob.expand(folder["[t]able.csv"]), equals: [])
  }

  @Test("a path without magic is itself, there or not, and a tilde is only a tilde")
  func plain() throws {
    try expect(Glob.expand("none.json"), equals: ["none.json"])
    try expect(Glob.expand("~/none*"), equals: [])
    try expect(Glob.expand("~"), equals: ["~"])
  }
}
