import Testing

/// The options of nodes: one that no list names, or that a node reads and does not list, ends the run that reads it.
@Suite(.serialized) struct OptionTests {
  /// An option or a list of options, by the type that declares it: `JSONLinesOptions.path`.
  private typealias Name = String

  private struct Reading {
    let file: Repository.File
    var declared: [(name: Name, line: Int)] = []
    /// What each list names; those that have no name of their own are under that of the file.
    var lists: [Name: Set<Name>] = [:]
    var read: [(name: Name, line: Int)] = []

    init(_ file: Repository.File) {
      self.file = file
      let kinds: Set<Substring> = ["enum", "struct", "class", "extension"]
      var owner = ""
      var list = file.path
      var arguments: String?
      for (index, line) in file.lines.enumerated() {
        let code = line.withoutIndentation
        if code.hasPrefix("//") { continue }
        let words = code.words
        if line.first?.isLetter == true, let kind = words.prefix(4).firstIndex(where: kinds.contains) {
          owner = words.dropFirst(kind + 1).first.map(String.init) ?? owner
        }
        let member = words.firstIndex(of: "let").flatMap { words.dropFirst($0 + 1).first }
        if let member, words.contains("static"), words.contains("Option"), code.contains("= Option") {
          declared.append(("\(owner).\(member)", index + 1))
        }
        for piece in code.pieces(after: ["options[", "of: ", "isGiven("]) {
          guard let dot = piece.firstIndex(of: "."), piece.first?.isUppercase == true else { continue }
          let names = [piece[..<dot], piece[piece.index(after: dot)...].words.first ?? ""]
          if names[0].words.count == 1 { read.append((names.joined(separator: "."), index + 1)) }
        }
        if let start = code.pieces(after: ["AnyOption.list("]).first {
          list = member.map { words.contains("static") ? "\(owner).\($0)" : file.path } ?? file.path
          arguments = String(start)
        } else if let begun = arguments {
          arguments = begun + code
        }
        guard let all = arguments, let end = all.firstIndex(of: ")") else { continue }
        for argument in all[..<end].split(separator: ",") {
          let words = argument.words
          if let last = words.last {
            lists[list, default: []].insert("\(words.dropLast().last.map(String.init) ?? owner).\(last)")
          }
        }
        arguments = nil
      }
    }
  }

  private static let readings = Repository.sources.filter {
    ["Language", "Delivery", "Nodes", "Connectors"].contains($0.module)
  }
  .map(Reading.init)

  @Test("each option that is declared is in a list")
  func listed() {
    let listed = Self.readings.reduce(into: Set<Name>()) { all, reading in
      for names in reading.lists.values { all.formUnion(names) }
    }
    #expect(listed.count > 300, "lists of options are no longer found by this test")
    let findings = Self.readings.flatMap { reading in
      reading.declared.filter { !listed.contains($0.name) }.map { option in
        Finding(
          option.name, reading.file, line: option.line,
          "\(option.name) is in no AnyOption.list: a file that gives it is refused, a node that reads it ends the run"
        )
      }
    }
    Ratchet.expect(findings, rule: "option")
  }

  @Test("a node reads the options that it lists")
  func read() {
    let declared = Set(Self.readings.flatMap { $0.declared.map(\.name) })
    let lists = Self.readings.reduce(into: [Name: Set<Name>]()) { $0.merge($1.lists) { $0.union($1) } }
    var count = 0
    var findings: [Finding] = []
    // What is read where nothing is listed belongs to several nodes.
    for reading in Self.readings where !reading.lists.isEmpty {
      var listed = reading.lists.values.reduce(into: Set<Name>()) { $0.formUnion($1) }
      for (name, names) in lists where reading.file.text.contains(name) { listed.formUnion(names) }
      for option in reading.read where declared.contains(option.name) {
        count += 1
        if listed.contains(option.name) { continue }
        findings.append(
          Finding(
            option.name, reading.file, line: option.line,
            "\(option.name) is read here and in none of the lists of this file: reading it ends the run"))
      }
    }
    #expect(count > 200, "options that are read are no longer found by this test")
    Ratchet.expect(findings, rule: "option")
  }
}

extension Substring {
  /// What follows each of the marks.
  fileprivate func pieces(after marks: [String]) -> [Substring] {
    marks.flatMap { mark in ranges(of: mark).map { self[$0.upperBound...] } }
  }
}
