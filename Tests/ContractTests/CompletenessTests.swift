import Expectations
import AllNodes
import Foundation
import Engine
import Language
import Testing

/// No node is forgotten: what the source files declare is in the catalog, and tried by a contract.
@Suite struct CompletenessTests {
  struct Declaration: CustomTestStringConvertible {
    let folder: String
    let file: String
    let kind: String
    var testDescription: String { "\(folder)/\(file): \(kind)" }
  }

  /// The nodes that the files of a folder declare, wherever in them.
  static let declarations: [Declaration] = ["Sources", "Operators", "Sinks"].flatMap { folder in
    ["Nodes", "Connectors"].flatMap { files(below: root.appending(path: "Sources/\($0)/\(folder)")) }.flatMap
    { file -> [Declaration] in
      let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
      return text.matches(of: /NodeSpec\(\s*"([a-z_]+)"/).map {
        Declaration(folder: folder, file: file.lastPathComponent, kind: String($0.1))
      }
    }
  }

  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../..").standardized

  static func files(below folder: URL) -> [URL] {
    let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(".swift") }.sorted().map { folder.appending(path: $0) }
  }

  @Test(
    "every node that a file declares is in the catalog, among those of its folder", arguments: declarations)
  func catalog(_ declaration: Declaration) throws {
    let roles = ["Sources": "source", "Operators": "step", "Sinks": "sink"]
    #expect(Catalog.all.named(declaration.kind).contains { $0.roleName == roles[declaration.folder] })
  }

  @Test("every node of the catalog is declared in one file, and in one only")
  func declared() {
    expect(Self.declarations.map(\.kind).sorted(), equals: Catalog.all.nodes.map(\.kind).sorted())
    // A source and a sink may be of one kind.
    for specs in [Catalog.all.sources, Catalog.all.steps, Catalog.all.sinks] {
      expect(Set(specs.map(\.kind)).count, equals: specs.count)
    }
  }

  @Test("every node is tried by the contract of its role")
  func contracts() {
    let tried = StepContractTests.kinds + SourceContractTests.kinds + SinkContractTests.kinds
    for declaration in Self.declarations { #expect(tried.contains(declaration.kind), "\(declaration.kind)") }
  }
}
