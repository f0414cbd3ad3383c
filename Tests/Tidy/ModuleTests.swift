import Testing

/// Which modules may import which.
///
/// A module that is not in the table has to be entered, which is a decision about the design.
@Suite struct ModuleTests {
  /// The modules each may import, from the bottom up.
  static let allowed: [String: Set<String>] = {
    var table: [String: Set<String>] = ["Reactive": []]
    func add(_ name: String, _ direct: [String], over below: [String] = []) {
      table[name] = below.reduce(into: Set(direct + below)) { $0.formUnion(table[$1] ?? []) }
    }
    add("ReactiveTesting", ["Testing"], over: ["Reactive"])
    add("System", ["CGlibc", "CZ"], over: ["Reactive"])
    add("JSON", ["CGlibc", "COnig"], over: ["System"])
    add("Store", ["CSQLite"], over: ["JSON"])
    add("Fetch", ["CCurl"], over: ["Store"])
    add("Server", ["CMicrohttpd"], over: ["Reactive"])
    add("Browser", [], over: ["Fetch", "Server"])
    add("Sky", ["CMicrohttpd"], over: ["JSON", "Server"])
    add("Language", ["CYAML"], over: ["JSON"])
    add("Markup", ["CGumbo", "CXML2"], over: ["JSON"])
    add("Decode", [], over: ["Language", "Markup"])
    add("Engine", [], over: ["Language", "Store"])
    add("Page", ["CMicrohttpd"], over: ["Engine", "Server"])
    add("NATS", ["CNats"], over: ["JSON"])
    add("Delivery", [], over: ["Decode", "Engine", "Fetch"])
    add("Nodes", [], over: ["Delivery"])
    add("Connectors", ["CMQTT", "CPQ"], over: ["Delivery", "NATS", "Page"])
    add("AllNodes", [], over: ["Connectors", "Nodes"])
    add("Cluster", [], over: ["Engine", "NATS"])
    add("flow", ["CArguments", "CMicrohttpd"], over: ["AllNodes", "Browser", "Cluster", "Page", "Sky"])
    for name in [
      "CArguments", "CCurl", "CGlibc", "CGumbo", "CLoading", "CMicrohttpd", "CMQTT", "CNats", "COnig", "CPQ",
      "CSQLite",
      "CXML2",
      "CYAML",
      "CZ",
    ] {
      table[name] = []
    }
    return table
  }()

  /// Modules of the toolchain, without Foundation: that would be 60 MB in the binary and 7 ms at each start.
  static let toolchain: Set<String> = ["Glibc", "Synchronization", "Swift"]

  @Test("sources import the modules below them only, and never Foundation")
  func imports() {
    var findings: [Finding] = []
    for file in Repository.sources {
      let module = file.module
      guard let allowed = Self.allowed[module] else {
        findings.append(
          Finding(
            module, file, line: 1, "the module \(module) is not in the table of Tests/Tidy/ModuleTests.swift")
        )
        continue
      }
      for (index, line) in file.lines.enumerated() where line.contains("import ") {
        var words = line.split(separator: " ")
        guard let at = words.firstIndex(of: "import"), at < 2, at + 1 < words.count else { continue }
        if at == 1, !words[0].hasPrefix("@"),
          !["public", "package", "internal", "private"].contains(words[0])
        {
          continue
        }
        words = Array(words[(at + 1)...])
        if ["struct", "class", "enum", "func", "protocol", "let", "var", "typealias"].contains(words[0]) {
          words.removeFirst()
        }
        let name = String(words[0].prefix { $0 != "." })
        if allowed.contains(name) || Self.toolchain.contains(name) { continue }
        findings.append(
          Finding(
            "\(module) \(name)", file, line: index + 1,
            name.hasPrefix("Foundation")
              ? "the product does without Foundation; use Glibc or the standard library"
              : "\(module) may not know \(name); move the code up, or hand in what it needs"))
      }
    }
    Ratchet.expect(findings, rule: "import")
  }

  @Test("targets of Package.swift depend on the modules below them only")
  func targets() throws {
    let text = try #require(Repository.text("Package.swift"))
    var count = 0
    // Up to the next declaration; sources and products come before and after.
    for part in text.split(separator: "arget(").dropFirst() where !part.hasPrefix("name: \"C") {
      guard let name = part.quoted.first.map(String.init), let allowed = Self.allowed[name] else { continue }
      count += 1
      guard let list = part.split(separator: "dependencies: [").dropFirst().first else { continue }
      for dependency in list.prefix(while: { $0 != "]" }).quoted {
        #expect(
          allowed.contains(String(dependency)),
          "Package.swift: the target \(name) may not depend on \(dependency); see Tests/Tidy/ModuleTests.swift"
        )
      }
    }
    #expect(count > 5)
  }

  /// Where all tests are one product, another target links what this one lacks; `make test-one` builds one of them.
  @Test("targets of tests depend on every module that their files import")
  func testTargets() throws {
    let text = try #require(Repository.text("Package.swift"))
    let support = Repository.tests.filter { $0.path.hasPrefix("Tests/Support/") }.map {
      String($0.folders[2])
    }
    let modules = Set(Repository.sources.map(\.module) + support)
    var count = 0
    for part in text.split(separator: ".testTarget(").dropFirst() {
      let name = try #require(part.quoted.first)
      let path =
        part.split(separator: "path: ").dropFirst().first?.quoted.first ?? "Tests/\(name)"
      let list = part.split(separator: "dependencies: [").dropFirst().first?.prefix { $0 != "]" } ?? ""
      let dependencies = Set(list.quoted.map(String.init))
      for file in Repository.tests where file.path.hasPrefix("\(path)/") {
        count += 1
        for line in file.lines where line.hasPrefix("import ") || line.hasPrefix("@testable import ") {
          let module = String((line.split(separator: " ").last ?? "").prefix { $0 != "." })
          if !modules.contains(module) || dependencies.contains(module) { continue }
          Issue.record("Package.swift: \(name) does not depend on \(module), which \(file.path) imports")
        }
      }
    }
    #expect(count > 300, "tests are no longer found by this rule")
  }
}

extension Substring {
  /// What stands between quotation marks.
  var quoted: [Substring] {
    split(separator: "\"", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map(
      \.element)
  }
}
