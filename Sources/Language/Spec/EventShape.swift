import JSON

/// The members of the events that a step sends, where its options decide them: for warnings of names that are not there.
public struct EventShape: Sendable {
  /// The kind of the step.
  let kind: String
  let members: [String]
  /// The member that has the event which the step was given; nil where none has.
  let row: String?
  /// The values of the member `type`; nil where they are not known.
  var types: [String]?
}

extension NodeSpec {
  /// The shape of what a step with these options sends, given the shape of what it takes.
  public typealias ShapeRule = @Sendable (Options, _ given: EventShape?) -> EventShape?

  /// The same step, whose events have these members.
  ///
  /// - Parameters:
  ///   - types: The values of the member `type`.
  ///   - row: The member that has the event which the step was given; nil with options by which the events have other
  ///     members.
  public func sending(
    _ members: [String], types: [String]? = nil, row: @escaping @Sendable (Options) -> String?
  ) -> NodeSpec {
    var spec = self
    spec.shape = { [kind] options, _ in
      row(options).map { EventShape(kind: kind, members: members, row: $0, types: types) }
    }
    return spec
  }

  /// The same step, whose events are what an expression gives: objects, where it builds them of constant names.
  public func sending(_ objects: Option<Expression>) -> NodeSpec {
    var spec = self
    spec.shape = { [kind] options, _ in
      options[objects].constructed.map { EventShape(kind: kind, members: $0, row: nil) }
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
  /// Warns of what a program reads of the event that the step before does not send: members, and values of `type`.
  func warnOfMissingMembers(in program: String, place: (Range<Int>) -> SourceRange) {
    guard let shape, let usage = NameUsage(program, library: scope.library) else { return }
    for read in usage.members where !read.mayBeAbsent {
      guard let name = read.path.first, !shape.members.contains(name) else { continue }
      let path = read.path.joined(separator: ".")
      let meant = nearest(to: name, among: shape.members) ?? shape.row.map { "\($0).\(path)" }
      warn(
        "\(shape.kind) sends \(list(shape.members)), and no \(name): this is always null",
        at: place(read.range),
        hint: meant.map { "did you mean .\($0)?" } ?? "add it there: \(shape.kind): { …, \(name): … }")
    }
    guard let types = shape.types else { return }
    for compared in usage.comparisons where compared.path == ["type"] && !types.contains(compared.text) {
      warn(
        "\(shape.kind) sends the types \(list(types)), and no \(quoted(compared.text))",
        at: place(compared.range),
        hint: nearest(to: compared.text, among: types).map { "did you mean \"\($0)\"?" })
    }
  }

  private func list(_ names: [String]) -> String {
    let shown = names.count > 9 ? names.prefix(8) + ["\(names.count - 8) more"] : names[...]
    return (shown.count > 1 ? shown.dropLast().joined(separator: ", ") + " and " : "") + (shown.last ?? "")
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
