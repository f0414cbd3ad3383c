import JSON

// Checks of expressions beyond their syntax: members that are not there, and conditions that decide nothing.

extension Checker {
  /// Reports meaningless code; returns whether there was none.
  func passesLint(_ program: String, isCondition: Bool, place: (Range<Int>) -> SourceRange) -> Bool {
    guard let usage = NameUsage(program, library: scope.library) else { return true }
    let before = problems.count
    for read in usage.reads { check(read, at: place(read.range)) }
    for (name, range) in usage.environment {
      let name = name ?? "NAME"
      let member = name.lowercased()
      report(
        "expressions cannot read environment variables", at: place(range),
        hint: "write vars: { \(member): \"${\(name)}\" }, and $vars.\(member) here")
    }
    for flaw in isCondition ? usage.conditions : [] { report(flaw, at: place(flaw.range)) }
    for range in usage.inputs {
      report(
        "an expression sees one event: there is no input to read", at: place(range),
        hint: "scan and window see several events, join those of another stream")
    }
    for (name, range) in usage.dashes {
      warn(
        "this subtracts: it is not the member \(quoted(name))", at: place(range),
        hint: "write .[\"\(name)\"], or blanks around the -")
    }
    for flaw in usage.selections {
      warn(
        "\(flaw.kind == .assignment ? "= assigns a value" : "this changes the value"), so select passes everything",
        at: place(flaw.range), hint: "did you mean ==, as in select(.status == \"Go\")?")
    }
    return problems.count == before
  }

  private func check(_ read: NameUsage.Read, at place: SourceRange) {
    switch read.variable {
    case "meta":
      guard let name = read.path.first, let known = metaMembers, !known.contains(name) else { return }
      reportMember("$meta", name, among: known, at: place)
    case "vars": check(read, in: vars, at: place)
    case "config":
      configRead.formUnion(read.path.prefix(1))
      check(read, in: config, at: place)
    default: return
    }
  }

  /// Reports the first name of a path that an object does not have.
  ///
  /// The names of vars stand in the file. A config may be absent or another one, so there only a name that looks
  /// misspelt is reported, and no expression that provides for its absence.
  private func check(_ read: NameUsage.Read, in root: JSON.Value, at place: SourceRange) {
    var value = root
    for (depth, name) in read.path.enumerated() {
      guard value.kind == .object else { return }
      if let member = value.member(name) {
        value = member
        continue
      }
      if read.mayBeAbsent, read.variable == "config" || depth > 0 { return }
      if read.variable == "config", nearest(to: name, among: value.keys.map(\.name)) == nil { return }
      let parent = "$" + ([read.variable] + read.path.prefix(depth)).joined(separator: ".")
      return reportMember(parent, name, among: value.keys.map(\.name), at: place)
    }
  }

  private func report(_ flaw: NameUsage.Flaw, at place: SourceRange) {
    switch flaw.kind {
    case .assignment:
      report(
        "= assigns a value, so this condition is always true", at: place,
        hint: "did you mean ==, as in .status == \"Go\"?")
    case .update:
      report(
        "this changes the event, so this condition is always true", at: place,
        hint: "a condition compares, as in .status == \"Go\"")
    case .negated:
      report(
        "not comes behind what it negates, so this reads a member of a boolean", at: place,
        hint: "write (.name | not)")
    case .several:
      warn(
        "this condition has several outputs, and only the first counts", at: place,
        hint: "write and, or or, between conditions")
    case .constant(let isTrue):
      report(
        "this condition is always \(isTrue)", at: place, hint: "a condition compares, as in .status == \"Go\""
      )
    }
  }
}

extension Checker {
  /// Where an option belongs that a node does not have; nil for one that is no option elsewhere.
  func properPlace(of name: String, in spec: NodeSpec) -> String? {
    let kind = spec.kind
    if spec.besideOptions.contains(where: { $0.name == name }) {
      return "it belongs beside \(kind): move it out, as in { \(kind): …, \(name): … }"
    }
    let role = spec.roleName
    switch name {
    case "every", "cron", "at_start":
      return role == "source"
        ? "\(kind) is read once, to its end, and has no schedule" + (spec.pollHint.map { "; \($0)" } ?? "")
        : "only a source has \(name)"
    case "name" where role != "step":
      return "the name of a \(role) is its key, as in \(role)s: { NAME: { \(kind): … } }"
    case "from" where role == "source": return "a source reads no stream; from belongs to a stream or a sink"
    case "from": return "from belongs to a stream, as in streams: { NAME: { from: …, steps: [ … ] } }"
    case "when": return "only a sink has when; for the same, put a step before it: filter: …"
    default: return nil
    }
  }
}
