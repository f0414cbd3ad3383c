import Foundation
import JSON
import System
import Testing

@testable import Markup

/// The tests of html5lib, where they lie beside the repository: trees and encodings as browsers make them of pages.
@Suite("Pages as browsers read them, by the tests of html5lib") struct BrowserTreesTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../shared/conformance/html5").standardized
  static let isThere = FileManager.default.fileExists(atPath: folder.path)

  /// Pages that are read otherwise, with the reason: libgumbo has the rules of `select` of before 2025.
  private static let exceptions = [
    "<select><b><option><select><option></b></select>X": "b in select",
    "<select><b><option><select><option></b></select>": "b in select",
    "<!DOCTYPE html><body><select><svg></svg></select>": "svg in select",
    "<!DOCTYPE html><body><select><option><svg></svg></option></select>": "svg in option",
    "<!DOCTYPE html><body><table><tr><td><select><svg><g>foo</g><g>bar</g><p>baz</table><p>quux":
      "svg in select",
    "<select><keygen>": "keygen in select",
    "<!DOCTYPE html><body><select><math></math></select>": "math in select",
    "<!DOCTYPE html><body><select><option><math></math></option></select>": "math in option",
    "<!DOCTYPE html><body><table><tr><td><select><math><mi>foo</mi><mi>bar</mi><p>baz</table><p>quux":
      "math in select",
    "<!DOCTYPE html><body><table><select><math><mi>foo</mi><mi>bar</mi><p>baz</table><p>quux":
      "math in select",
    "<!DOCTYPE html><body><table><select><svg><g>foo</g><g>bar</g><p>baz</table><p>quux": "svg in select",
  ]

  @Test("trees", .enabled(if: isThere, "the tests of html5lib are not beside the repository"))
  func trees() throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: Self.folder.appendingPathComponent("tree-construction"), includingPropertiesForKeys: nil)
    var (count, excepted) = (0, Set<String>())
    for file in files.sorted(by: { $0.path < $1.path }) where file.pathExtension == "dat" {
      for test in try Self.cases(file) {
        let sections = Set(test.keys)
        guard sections.isDisjoint(with: ["document-fragment", "script-on"]), let page = test["data"],
          let expected = test["document"]
        else { continue }
        // A text without a letter is refused.
        if page.utf8.allSatisfy({ $0 <= 0x20 }) { continue }
        count += 1
        let found = Self.dump(try html(page))
        let wanted = Self.nodes(expected)
        if found == wanted { continue }
        if Self.exceptions[page] != nil {
          excepted.insert(page)
          continue
        }
        Issue.record("\(file.lastPathComponent): \(page.debugDescription)\n\(wanted)\n\(found)")
      }
    }
    #expect(count > 500)
    #expect(excepted == Set(Self.exceptions.keys), "an exception is none any more")
  }

  @Test("encodings", .enabled(if: isThere, "the tests of html5lib are not beside the repository"))
  func encodings() throws {
    let file = Self.folder.appendingPathComponent("encoding/tests1.dat")
    let parts = try Data(contentsOf: file).split(around: Data("#data\n".utf8))
    var count = 0
    for part in parts {
      let halves = part.split(around: Data("\n#encoding\n".utf8))
      guard halves.count == 2 else { continue }
      count += 1
      let wanted =
        String(decoding: halves[1], as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
      // A letter that shows which encoding is taken.
      for letter: [UInt8] in [[0xb1], [0xc3, 0xa9]] {
        let text = [UInt8](halves[0]) + letter
        let converter = try #require(TextConverter(from: wanted))
        var expected: [UInt8] = []
        _ = letter.withUnsafeBufferPointer { converter.convert($0, into: &expected) }
        // A page in UTF-8 that names no encoding is read in it.
        if wanted.lowercased() == "windows-1252", letter.count > 1 { continue }
        let page = try text.withUnsafeBufferPointer {
          try PageText($0, charset: nil, MarkupLimits(), MarkupWatch(MarkupLimits()))
        }
        if wanted == "UTF-8", letter.count == 1 { expected = Array("\u{fffd}".utf8) }
        #expect(
          page.bytes.suffix(expected.count).elementsEqual(expected),
          "\(String(decoding: text, as: UTF8.self)): \(wanted)")
      }
    }
    #expect(count > 50)
  }

  /// The sections of each test of a file, by name.
  private static func cases(_ file: URL) throws -> [[String: String]] {
    var tests: [[String: String]] = []
    let names = [
      "data", "errors", "new-errors", "document-fragment", "script-off", "script-on", "document",
    ]
    var name = ""
    for line in String(decoding: try Data(contentsOf: file), as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    {
      if line.first == "#", names.contains(String(line.dropFirst())) {
        name = String(line.dropFirst())
        if name == "data" { tests.append([:]) }
        tests[tests.count - 1][name] = ""
      } else if !tests.isEmpty {
        let before = tests[tests.count - 1][name] ?? ""
        tests[tests.count - 1][name] =
          before.isEmpty && name != "document" ? String(line) : "\(before)\n\(line)"
      }
    }
    return tests
  }

  /// The nodes of a drawn tree, without comments and document types; texts side by side are one.
  private static func nodes(_ text: String) -> [String] {
    var nodes: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("| ") {
        nodes.append(String(line))
      } else if !nodes.isEmpty {
        nodes[nodes.count - 1] += "\n\(line)"
      }
    }
    while let last = nodes.last, last.hasSuffix("\n") { nodes[nodes.count - 1] = String(last.dropLast()) }
    var joined: [String] = []
    for node in nodes {
      let rest = node.dropFirst(2).drop { $0 == " " }
      if rest.hasPrefix("<!") { continue }
      let margin = node.prefix(node.count - rest.count)
      if rest.hasPrefix("\""), let last = joined.last, last.hasPrefix("\(margin)\"") {
        joined[joined.count - 1] = String(last.dropLast()) + String(rest.dropFirst())
      } else {
        joined.append(node)
      }
    }
    return joined
  }

  /// The tree in the same form.
  private static func dump(_ tree: MarkupTree) -> [String] {
    var lines: [String] = []
    func add(_ index: Int, _ depth: Int) {
      let node = tree.nodes[index]
      let margin = "| " + String(repeating: "  ", count: depth)
      guard node.isElement else { return lines.append("\(margin)\"\(node.text)\"") }
      var inner = depth
      if index > 0 {
        let space = node.namespace.hasSuffix("svg") ? "svg " : node.namespace.isEmpty ? "" : "math "
        lines.append("\(margin)<\(space)\(node.name)>")
        let attributes = node.attributes.map {
          ("\(attributeName($0.name, isForeign: !space.isEmpty))", $0.value)
        }
        for (name, value) in attributes.sorted(by: {
          Array($0.0.utf16).lexicographicallyPrecedes(Array($1.0.utf16))
        }) {
          lines.append("\(margin)  \(name)=\"\(value)\"")
        }
        inner += 1
        if node.name == "template", space.isEmpty {
          lines.append("\(margin)  content")
          inner += 1
        }
      }
      var at = index + 1
      while at < node.end {
        add(at, inner)
        at = max(at + 1, tree.nodes[at].end)
      }
    }
    add(0, 0)
    return lines
  }

  private static func attributeName(_ name: String, isForeign: Bool) -> String {
    let parts = name.split(separator: ":", maxSplits: 1)
    let known: [Substring: [Substring]] = [
      "xlink": ["actuate", "arcrole", "href", "role", "show", "title", "type"],
      "xml": ["lang", "space", "base"],
      "xmlns": ["xlink"],
    ]
    if isForeign, name == "xmlns" { return "xmlns xmlns" }
    guard isForeign, parts.count == 2, known[parts[0]]?.contains(parts[1]) == true else { return name }
    return "\(parts[0]) \(parts[1])"
  }
}

extension Data {
  fileprivate func split(around mark: Data) -> [Data] {
    var parts: [Data] = []
    var start = startIndex
    while let found = range(of: mark, in: start..<endIndex) {
      parts.append(self[start..<found.lowerBound])
      start = found.upperBound
    }
    return parts + [self[start...]]
  }
}
