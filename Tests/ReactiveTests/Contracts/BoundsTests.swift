import Foundation
import Testing

/// The limits on the page “What is bounded”, held against the declarations.
@Suite struct BoundsTests {
  @Test func thePageHasEachDefaultLimit() throws {
    let module = URL(filePath: #filePath).appending(path: "../../../../Sources/Reactive").standardized
    let page = module.appending(path: "Reactive.docc/WhatIsBounded.md")
    let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter {
      $0.hasPrefix("| `")
    }
    let folder = module.appending(path: "Operators")
    var count = 0
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      let text = try String(contentsOf: file, encoding: .utf8)
      let functions =
        text.split(separator: "public func ").dropFirst() + text.split(separator: "static func ").dropFirst()
      for function in functions {
        let name = function.drop { $0 == "`" }.prefix { $0.isLetter }
        let declaration = function.prefix { $0 != "{" }
        for found in declaration.matches(of: /(limit|backlog|bound|capacity|concurrent): Int = ([\d_]+)/) {
          count += 1
          let limit = "`\(found.1)` \(found.2.replacing("_", with: ""))"
          let isThere = rows.contains { row in
            let cells = row.split(separator: "|")
            return cells.count > 1 && cells[0].contains("`\(name)") && cells[1].contains(limit)
          }
          #expect(isThere, "\(name): \(limit) is not on the page")
        }
      }
    }
    #expect(count > 20)
  }
}
