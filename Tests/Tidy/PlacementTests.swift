import Testing

/// The places of tests: `<Name>Tests.swift` lies in the folder of its module's tests where `Sources` has `<Name>.swift`.
@Suite struct PlacementTests {
  /// Files with the name of a source whose place they do not share, with the reason.
  static let exceptions = [
    "Tests/NATSTests/JetStreamJournalTests.swift": "it runs against a real server, as all of NATSTests does",
    "Tests/ContractTests/CatalogTests.swift": "it lies with the other tests of all nodes",
    "Tests/ContractTests/PlanTests.swift": "it reads plans with the real nodes, which Language does not know",
    "Tests/Tidy/OptionTests.swift": "a rule over the text of all options",
    "Tests/Tidy/SourceTests.swift": "a rule over the text of all sources",
  ]

  /// Where the tests of a source belong.
  private static func place(of source: Repository.File) -> String {
    let module = source.module == "flow" ? "Flow" : source.module
    let folders = ["Tests", "\(module)Tests"] + source.folders.dropFirst(2).map(String.init)
    return (folders + ["\(source.name.dropLast(".swift".count))Tests.swift"]).joined(separator: "/")
  }

  @Test("tests with the name of a source lie in the tests of its module, in the sub-folder of that name")
  func places() {
    let places = Dictionary(grouping: Repository.sources.map(Self.place)) {
      String($0.split(separator: "/").last ?? "")
    }
    var count = 0
    var findings: [Finding] = []
    for file in Repository.tests {
      guard let places = places[file.name] else { continue }
      count += 1
      if places.contains(file.path) || Self.exceptions[file.path] != nil { continue }
      findings.append(
        Finding(
          file.name, file, line: 1,
          "the tests of that source belong in \(places.joined(separator: " or ")); move or rename the file"))
    }
    #expect(count > 350, "tests are no longer found by this rule")
    Ratchet.expect(findings, rule: "place")
  }

  @Test("an exception is one", arguments: exceptions.keys.sorted())
  func exception(path: String) throws {
    let file = try #require(Repository.tests.first { $0.path == path }, "\(path) is no longer there")
    let places = Repository.sources.map(Self.place).filter { $0.hasSuffix("/\(file.name)") }
    #expect(!places.isEmpty && !places.contains(path), "\(path) needs no exception")
  }
}
