import JSON

/// The members of the events that a step sends, where its options decide them: for warnings of names that are not there.
public struct EventShape: Sendable {
  /// The kind of the step.
  let kind: String
  let members: [String]
  /// The member that has the event which the step was given.
  let row: String
}

extension NodeSpec {
  /// The shape of what a step with these options sends, given the shape of what it takes.
  public typealias ShapeRule = @Sendable (Options, _ given: EventShape?) -> EventShape?

  /// The same step, whose events have these members.
  ///
  /// - Parameter row: The member that has the event which the step was given; nil with options by which the events have
  ///   other members.
  public func sending(_ members: [String], row: @escaping @Sendable (Options) -> String?) -> NodeSpec {
    var spec = self
    spec.shape = { [kind] options, _ in
      row(options).map { EventShape(kind: kind, members: members, row: $0) }
    }
    return spec
  }

  /// The same step, which sends events as it is given them.
  public func passingOn() -> NodeSpec {
    var spec = self
    spec.shape = { _, given in given }
    return spec
  }
}

extension Checker {
  /// Warns of members that a program reads of the event, and that the step before does not send.
  func warnOfMissingMembers(in program: String, place: (Range<Int>) -> SourceRange) {
    guard let shape, let usage = NameUsage(program, library: scope.library) else { return }
    for read in usage.members where !read.mayBeAbsent {
      guard let name = read.path.first, !shape.members.contains(name) else { continue }
      let path = read.path.joined(separator: ".")
      let meant = nearest(to: name, among: shape.members).map { ".\($0)" } ?? ".\(shape.row).\(path)"
      warn(
        "\(shape.kind) sends \(list(shape.members)), and no \(name): this is always null",
        at: place(read.range),
        hint: "did you mean \(meant)?")
    }
  }

  private func list(_ names: [String]) -> String {
    names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
  }

  /// Warns of an expression in place of a template, which stays as it is.
  func warnOfExpression(in scalar: Scalar) {
    guard scalar.hasNoExpressions, scalar.text.hasPrefix("."),
      let name = scalar.text.dropFirst().first, name.isLetter || name == "_" || name == "[",
      scalar.text.allSatisfy({ $0.isLetter || $0.isNumber || "._[]\"".contains($0) })
    else { return }
    warn(
      "this is the text \(quoted(scalar.text)), as it is", at: scalar.place,
      hint: "did you mean '\\(\(scalar.text))'?")
  }
}
