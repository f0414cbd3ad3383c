import Expectations
import Testing

/// What the documents refer to is there: files, make targets, commands, the version.
@Suite struct DocumentTests {
  @Test("links and paths in documents lead to files")
  func links() {
    let roots: Set = ["Sources", "Tests", "docs", "bench", "pipelines", ".ci"]
    var findings: [Finding] = []
    for file in Repository.documents {
      let here = file.folders.joined(separator: "/")
      for (index, line) in file.lines.enumerated() {
        for part in line.split(separator: "](", omittingEmptySubsequences: false).dropFirst() {
          let target = part.prefix { $0 != ")" && $0 != "#" }
          if target.isEmpty || target.contains("://") || target.hasPrefix("mailto:") { continue }
          if Repository.exists(here.isEmpty ? "\(target)" : "\(here)/\(target)") { continue }
          findings.append(Finding("\(target)", file, line: index + 1, "there is no \(target); mend the link"))
        }
        // Paths between backticks, from the root; patterns and placeholders are not paths.
        for path in line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
          .filter({ $0.offset % 2 == 1 }).map(\.element)
        {
          guard let top = path.split(separator: "/").first, path.contains("/"), roots.contains(String(top)),
            !path.contains(where: { " *<>{}$…,".contains($0) || ($0.isUppercase && path.hasSuffix("PATH")) })
          else { continue }
          if Repository.exists(String(path.prefix { $0 != ":" })) { continue }
          findings.append(
            Finding("\(path)", file, line: index + 1, "there is no \(path); mend the reference"))
        }
      }
    }
    Ratchet.expect(findings, rule: "link")
  }

  @Test("make help lists every target, and documents name such as there are")
  func targets() throws {
    let makefile = try #require(Repository.file("Makefile"))
    var listed: Set<Substring> = []
    for (index, line) in makefile.lines.enumerated() {
      guard let colon = line.firstIndex(of: ":"), line.first?.isLetter == true,
        line[..<colon].allSatisfy({ $0.isLowercase || $0 == "-" }), !line[colon...].hasPrefix(":=")
      else { continue }
      #expect(
        line.contains(" ## "), "Makefile:\(index + 1): \(line[..<colon]) has no “## …” for make help to list")
      listed.insert(line[..<colon])
    }
    let phony = makefile.lines.drop { !$0.hasPrefix(".PHONY") }.prefix { !$0.isEmpty }
      .joined(separator: " ").split { " \t\\:".contains($0) }.dropFirst()
    expect(Set(phony), equals: listed, "Makefile: .PHONY and the rules differ")
    for file in Repository.documents {
      var isCode = false
      for (index, line) in file.lines.enumerated() {
        if line.hasPrefix("```") { isCode.toggle() }
        for part in (isCode ? "    " + line : line).commands("make") where !listed.contains(part) {
          Issue.record("\(file.path):\(index + 1): there is no make \(part); make help lists the targets")
        }
      }
    }
  }

  @Test("every flow command in the documents is one")
  func commands() throws {
    let file = try #require(
      Repository.sources.first { $0.path.hasPrefix("Sources/flow/") && $0.name == "CommandTable.swift" })
    let list = file.lines.drop { !$0.contains("static let all") }.prefix { $0 != "  ]" }
    let names = Set(
      Substring(list.joined(separator: " ")).words.filter { $0.hasSuffix("Command") && $0 != "Command" }
        .map { $0.dropLast("Command".count).lowercased() })
    #expect(names.count > 10)
    for file in Repository.documents where file.name != "CHANGELOG.md" {
      var isCode = false
      for (index, line) in file.lines.enumerated() {
        if line.hasPrefix("```") { isCode.toggle() }
        for word in (isCode ? "    " + line : line).commands("flow")
        where !names.contains(word.filter { $0 != "-" }) {
          Issue.record("\(file.path):\(index + 1): there is no flow \(word); flow help lists the commands")
        }
      }
    }
  }

  @Test("README is read at one go: fewer than 150 lines")
  func length() throws {
    let readme = try #require(Repository.documents.first { $0.path == "README.md" })
    // Behind the last line break is an empty one.
    #expect(readme.lines.dropLast().count < 150)
  }

  @Test("the version stands in one place, and is that of the last release in CHANGELOG.md")
  func version() throws {
    let found = Repository.sources.flatMap { file in
      file.lines.enumerated().compactMap { index, line -> (place: String, version: Substring)? in
        guard let version = line.split(separator: "static let version = \"").dropFirst().first else {
          return nil
        }
        return ("\(file.path):\(index + 1)", version.prefix { $0 != "\"" })
      }
    }
    let version = try #require(found.first?.version)
    expect(found.count, equals: 1, "\(found.map(\.place)): the version belongs to one constant")
    for file in Repository.sources {
      for (index, line) in file.lines.enumerated() where line.contains("\"\(version)\"") {
        expect(
          found.first?.place, equals: "\(file.path):\(index + 1)", "the version is written a second time")
      }
    }
    let changes = try #require(Repository.file("CHANGELOG.md"))
    let releases = changes.lines.compactMap { $0.after("## [") }.map { $0.prefix { $0 != "]" } }
    expect(releases.first, equals: "Unreleased", "CHANGELOG.md begins with ## [Unreleased]")
    expect(releases.dropFirst().first, equals: version, "CHANGELOG.md: the last release is not \(version)")
  }
}

extension Substring {
  /// The words behind `make` or `flow` where these stand as a command: after a backtick, at the beginning of an
  /// indented line, or after a prompt.
  fileprivate func commands(_ program: String) -> [Substring] {
    var found: [Substring] = []
    func add(_ rest: Substring) {
      guard let word = rest.split(separator: " ", omittingEmptySubsequences: false).first else { return }
      let name = word.prefix { $0.isLowercase || $0 == "-" }
      if !name.isEmpty, name.first != "-" { found.append(name) }
    }
    if let rest = after("    \(program) ") ?? after("$ \(program) ") ?? after("    $ \(program) ") {
      add(rest)
    }
    for part in split(separator: "`", omittingEmptySubsequences: false).enumerated()
    where part.offset % 2 == 1 {
      if let rest = part.element.after("\(program) ") { add(rest) }
    }
    return found
  }
}
