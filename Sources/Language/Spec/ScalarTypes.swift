import JSON

// The option types that are one scalar without a language of its own.

extension OptionType where Value == String {
  /// Any text; numbers and booleans are taken as they are written.
  public static var text: OptionType {
    let schema = JSON.Value.record([("type", .array(["string", "number", "boolean"]))])
    return OptionType("text", sample: "text", schema: schema) { node, checker in
      checker.scalar(node, "a text")?.text
    }
  }

  /// A text that is redacted in all output.
  public static var secret: OptionType {
    OptionType("secret", sample: "${NAME}", schema: .record([("type", "string")])) { node, checker in
      guard let scalar = checker.scalar(node, "a text") else { return nil }
      checker.secrets.insert(scalar)
      checker.warnOfShellVariable(in: scalar)
      return scalar.text
    }
  }

  /// A file or folder, relative to the working directory.
  public static var path: OptionType {
    OptionType("path", sample: "events.jsonl", schema: .record([("type", "string")])) { node, checker in
      guard let scalar = checker.scalar(node, "a path") else { return nil }
      if !scalar.text.isEmpty, !scalar.text.utf8.contains(0) { return scalar.text }
      checker.report("the path is empty", at: scalar.place)
      return nil
    }
  }

  /// The name of a source or stream whose events a step reads besides its own.
  public static var stream: OptionType {
    OptionType("stream", sample: "other", schema: .record([("type", "string")])) { node, checker in
      guard let scalar = checker.scalar(node, "the name of a source or stream") else { return nil }
      checker.streamsRead.append(scalar)
      return scalar.text
    }
  }
}

extension OptionType where Value == Bool {
  public static var boolean: OptionType {
    OptionType("boolean", sample: "true", schema: .record([("type", "boolean")])) { node, checker in
      guard let scalar = checker.scalar(node, "true or false") else { return nil }
      if case .boolean(let flag) = scalar.meaningWithVariables { return flag }
      let meant = ["yes": "true", "on": "true", "no": "false", "off": "false"][scalar.text.lowercased()]
      checker.report(
        "true or false is expected here, not \(scalar.kind)", at: scalar.place,
        hint: meant.map { "did you mean \($0)?" })
      return nil
    }
  }
}

extension OptionType where Value == Int {
  /// A whole number.
  public static func integer(_ range: ClosedRange<Int> = -(1 << 53)...(1 << 53)) -> OptionType {
    OptionType(
      "integer", sample: "\(max(1, range.lowerBound))",
      schema: .record([
        ("type", "integer"), ("minimum", .number(range.lowerBound)), ("maximum", .number(range.upperBound)),
      ])
    ) { node, checker in
      guard let scalar = checker.scalar(node, "a whole number") else { return nil }
      guard case .integer(let number) = scalar.meaningWithVariables else {
        checker.report("a whole number is expected here, not \(scalar.kind)", at: scalar.place)
        return nil
      }
      if range.contains(number) { return number }
      let message =
        number < range.lowerBound
        ? "the number \(number) is too small; the least is \(range.lowerBound)"
        : "the number \(number) is too large; the most is \(range.upperBound)"
      checker.report(message, at: scalar.place)
      return nil
    }
  }

  public static func integer(_ range: PartialRangeFrom<Int>) -> OptionType {
    integer(range.lowerBound...(1 << 53))
  }

  /// A number of bytes: `64MiB`.
  public static var size: OptionType {
    OptionType("size", sample: "64MiB", schema: .record([("type", .array(["string", "integer"]))])) {
      node, checker in
      checker.scalar(node, "a size").flatMap { checker.read($0, SizeText.parse) }
    }.like(SizeText.pattern)
  }
}

extension OptionType where Value == Double {
  /// A moment, in seconds since 1970: `2026-01-01T00:00:00Z` or a date.
  public static var time: OptionType {
    OptionType("time", sample: "2026-01-01T00:00:00Z", schema: .record([("type", "string")])) {
      node, checker in
      guard let scalar = checker.scalar(node, "a time") else { return nil }
      if let moment = parseTimestamp(scalar.text) { return moment }
      checker.report(
        "\(quoted(scalar.text)) is not a time", at: scalar.place,
        hint: "as in 2026-01-01T00:00:00Z or 2026-01-01")
      return nil
    }
  }

  public static func number(_ range: ClosedRange<Double>) -> OptionType {
    OptionType(
      "number", sample: "\(range.lowerBound)",
      schema: .record([
        ("type", "number"), ("minimum", .number(range.lowerBound)), ("maximum", .number(range.upperBound)),
      ])
    ) { node, checker in
      guard let scalar = checker.scalar(node, "a number") else { return nil }
      let number: Double
      switch scalar.meaningWithVariables {
      case .integer(let whole): number = Double(whole)
      case .number(let found): number = found
      default:
        checker.report("a number is expected here, not \(scalar.kind)", at: scalar.place)
        return nil
      }
      if range.contains(number) { return number }
      checker.report(
        "the number \(scalar.text) is out of range; it goes from \(range.lowerBound) to \(range.upperBound)",
        at: scalar.place)
      return nil
    }
  }
}

extension OptionType where Value == Duration {
  /// A length of time: `90s`, `6h`, `1d`.
  public static var duration: OptionType { duration(allowingZero: false) }

  public static func duration(allowingZero: Bool) -> OptionType {
    OptionType("duration", sample: "5m", schema: .record([("type", "string")])) { node, checker in
      guard let scalar = checker.scalar(node, "a duration") else { return nil }
      guard let duration = checker.read(scalar, DurationText.parse) else { return nil }
      if duration > .zero || allowingZero { return duration }
      checker.report("the duration must not be zero", at: scalar.place)
      return nil
    }.like(DurationText.pattern(allowingZero: allowingZero))
  }
}

extension OptionType where Value == UInt32 {
  /// Permissions of a file, in octal: `'0644'`.
  public static var fileMode: OptionType {
    OptionType("file mode", sample: "'0644'", schema: .record([("type", "string")])) { node, checker in
      guard let scalar = checker.scalar(node, "permissions") else { return nil }
      if let mode = UInt32(scalar.text, radix: 8), mode <= 0o777, mode & 0o200 != 0 { return mode }
      checker.report(
        "\(quoted(scalar.text)) is not a valid mode of an output file", at: scalar.place,
        hint: "in octal, as in '0644' or '0600'")
      return nil
    }
  }
}

extension OptionType where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
  /// One of the names of an enum.
  public static func choice(of type: Value.Type = Value.self) -> OptionType {
    let names = type.allCases.map(\.rawValue)
    return OptionType(
      names.joined(separator: " or "), sample: names.first ?? "",
      schema: .record([("enum", .array(names.map { .string($0) }))])
    ) { node, checker in
      guard let scalar = checker.scalar(node, "one of \(alternatives(names))") else { return nil }
      return checker.read(scalar) { (text) throws(TextError) in try Language.choice(text, of: type) }
    }
  }
}

extension OptionType where Value == JSON.Value {
  /// Any value, as YAML writes it.
  public static var value: OptionType {
    OptionType("value", sample: "{}", schema: .emptyObject) { node, checker in checker.resolved(node).value }
  }
}

extension OptionType where Value == RowOrder {
  /// The order of a list, by a member of its rows: `.date`, descending `-.date`.
  public static var order: OptionType {
    OptionType("order", sample: ".date", schema: .record([("type", "string")])) { node, checker in
      guard let scalar = checker.scalar(node, "an order") else { return nil }
      if let order = RowOrder(scalar.text) { return order }
      let name = scalar.text.drop { $0 == "-" || $0 == "." }
      let meant = (scalar.text.hasPrefix("-") ? "-." : ".") + name
      checker.report(
        "\(quoted(scalar.text)) is no order", at: scalar.place,
        hint: RowOrder(meant) == nil
          ? "a member of the rows, as in .date, or -.date for descending" : "did you mean \(meant)?")
      return nil
    }
  }
}
