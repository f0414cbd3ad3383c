import Testing

/// Rules for every Swift file: how it opens, how long it is, what it imports, what it names.
@Suite(.serialized) struct SourceTests {
  @Test("a file opens with its purpose: a comment at its top, or a doc comment on what it declares first")
  func openings() {
    // What the tests of a suite show, their names say.
    let files = Repository.swiftFiles.filter { !$0.name.hasSuffix("Tests.swift") }
    let findings = files.compactMap { file -> Finding? in
      // An extension is opened by the comment on its first member.
      let skipped = ["import ", "@testable ", "@_exported ", "extension ", "where ", "{", "#"]
      let first = file.lines.firstIndex { line in
        let text = line.withoutIndentation
        return !text.isEmpty && !skipped.contains { text.hasPrefix($0) }
      }
      guard let first, !file.lines[first].contains("//") else { return nil }
      return Finding(
        file.name, file, line: first + 1,
        "the file does not say what it is for; begin it with a doc comment on its first declaration")
    }
    Ratchet.expect(findings, rule: "opening")
  }

  @Test("a file is as large as its idea: 15 to 500 lines")
  func sizes() {
    var findings: [Finding] = []
    for file in Repository.swiftFiles {
      let count = file.lines.count - 1
      if count > 500 {
        findings.append(
          Finding(
            file.name, file, line: count, "\(count) lines; split it by subject into files of 500 or fewer"))
      } else if count < 15 {
        findings.append(
          Finding(file.name, file, line: count, "\(count) lines; merge it into the file that uses it"))
      }
    }
    Ratchet.expect(findings, rule: "size")
  }

  @Test("a doc comment begins with the noun that it is about, not with a pronoun or a relative clause")
  func nouns() {
    let openings = ["/// What ", "/// That ", "/// Those ", "/// Of "]
    var findings: [Finding] = []
    for file in Repository.sources {
      var isWithin = false
      for (index, line) in file.lines.enumerated() {
        let text = line.withoutIndentation
        if !isWithin, let opening = openings.first(where: { text.hasPrefix($0) }) {
          findings.append(
            Finding(file.name, file, line: index + 1, "“\(opening)…”: begin with the name of the thing"))
        }
        isWithin = text.hasPrefix("///")
      }
    }
    Ratchet.expect(findings, rule: "noun")
  }

  @Test("a module is imported once in a file")
  func doubledImports() {
    var findings: [Finding] = []
    for file in Repository.swiftFiles {
      var imported: Set<Substring> = []
      for (index, line) in file.lines.enumerated() {
        guard
          let name = ["import ", "@testable import ", "@_exported import "].compactMap({ line.after($0) })
            .first,
          !imported.insert(name).inserted
        else { continue }
        findings.append(Finding(file.name, file, line: index + 1, "\(name) is imported already"))
      }
    }
    Ratchet.expect(findings, rule: "import")
  }

  @Test("a plain string has no value behind two backslashes, which would show its name")
  func unevaluated() {
    // Those of templates begin with a dot or a dollar sign.
    var findings: [Finding] = []
    for file in Repository.sources {
      for (index, line) in file.lines.enumerated() where line.contains(/[^\\]\\\\\([a-z][A-Za-z]*\)/) {
        if line.withoutIndentation.hasPrefix("//") { continue }
        findings.append(Finding(file.name, file, line: index + 1, "one backslash is enough"))
      }
    }
    Ratchet.expect(findings, rule: "backslash")
  }

  @Test("nothing in a source brings the path of its file into the binary, which is the same in every folder")
  func paths() {
    var findings: [Finding] = []
    // For tests, where a failure has its place.
    for file in Repository.sources where file.module != "ReactiveTesting" {
      let isNamed = file.lines.contains { $0.contains("#sourceLocation(file:") }
      for (index, line) in file.lines.enumerated()
      where line.contains(/#file(Path)?\b/) || line.contains("withoutActuallyEscaping(") && !isNamed {
        findings.append(
          Finding(
            file.name, file, line: index + 1,
            "it has the path in it; #fileID has none, and below #sourceLocation(file:) there is another name")
        )
      }
    }
    Ratchet.expect(findings, rule: "path")
  }

  @Test("a name at the top of a module means one thing in all modules")
  func duplicates() {
    let kinds: Set = ["struct", "class", "enum", "actor", "protocol", "typealias"]
    var places: [String: [(module: String, file: Repository.File, line: Int)]] = [:]
    for file in Repository.sources {
      for (index, line) in file.lines.enumerated() {
        guard let first = line.first, first.isLetter || first == "@", !line.contains("private ") else {
          continue
        }
        // A name of another library, kept to say what stands for it here, is none of ours.
        if index > 0, file.lines[index - 1].hasPrefix("@available(*, unavailable") { continue }
        let words = line.split(separator: " ").prefix(6)
        guard let kind = words.firstIndex(where: { kinds.contains(String($0)) }), kind + 1 < words.endIndex,
          words[..<kind].allSatisfy({ $0 != "extension" && $0 != "func" && $0 != "let" && $0 != "var" })
        else { continue }
        guard let name = words[kind + 1].words.first else { continue }
        places[String(name), default: []].append((file.module, file, index + 1))
      }
    }
    var findings: [Finding] = []
    for (name, ones) in places where Set(ones.map(\.module)).count > 1 {
      let modules = Set(ones.map(\.module)).sorted().joined(separator: " and ")
      for one in ones.dropFirst() {
        findings.append(
          Finding(name, one.file, line: one.line, "\(name) is declared in \(modules); rename one of them"))
      }
    }
    Ratchet.expect(findings, rule: "duplicate")
  }

  @Test("an observable has no variables: the compiler takes it on trust that any thread may use it")
  func observables() {
    let bases = [": Observable<", ": Subject<", ": Relay<"]
    var findings: [Finding] = []
    var classes = 0
    for file in Repository.sources where file.module.hasPrefix("Reactive") {
      // Within the indentation of the class's own members, from its line to its closing brace.
      var isInside = false
      for (index, line) in file.lines.enumerated() {
        if line.contains("class ")
          && (line.contains("class Observable<") || bases.contains(where: line.contains))
        {
          isInside = true
          classes += 1
        }
        if line == "}" { isInside = false }
        guard isInside, line.hasPrefix("  "), !line.hasPrefix("   "), line.words.contains("var"),
          !line.contains("{") || line.contains(" = ")
        else { continue }
        findings.append(
          Finding(
            file.name, file, line: index + 1, "an observable has a variable; make it a constant, or computed")
        )
      }
    }
    #expect(classes > 8)
    Ratchet.expect(findings, rule: "observable")
  }

  /// Not an index: names are compared, so that a dead one that is called as a living one is not found.
  @Test("what is public or package is used somewhere")
  func dead() {
    let kinds: Set = ["func", "var", "let", "struct", "class", "enum", "protocol", "typealias", "case"]
    var uses: [Substring: Int] = [:]
    var declared: [(name: Substring, file: Repository.File, line: Int)] = []
    let outside = ["bench", "Tests/Fuzz"].flatMap { Repository.paths(below: $0) }
      .filter { $0.hasSuffix(".swift") }.compactMap(Repository.file)
    for file in Repository.swiftFiles + outside {
      for (index, line) in file.lines.enumerated() {
        let code = line.withoutIndentation
        if code.hasPrefix("//") { continue }
        let words = code.words
        for word in words { uses[word, default: 0] += 1 }
        guard file.path.hasPrefix("Sources/"), let first = words.first,
          first == "public" || first == "package",
          let kind = words.firstIndex(where: { kinds.contains(String($0)) }), kind + 1 < words.count
        else { continue }
        declared.append((words[kind + 1], file, index + 1))
      }
    }
    // What the language calls by itself.
    let findings = declared.filter { uses[$0.name] == 1 && $0.name != "callAsFunction" }.map {
      Finding(
        String($0.name), $0.file, line: $0.line, "\($0.name) is public and used nowhere; delete it, or use it"
      )
    }
    Ratchet.expect(findings, rule: "dead")
  }
}
