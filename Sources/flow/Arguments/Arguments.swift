import Engine
import Language

/// An error in a command line: one sentence, without a full stop.
struct WrongUse: Error, Equatable {
  let message: String
  init(_ message: String) { self.message = message }
}

/// The parsed arguments of a command: its options by their declarations, and the operands in order.
///
///     let arguments = try Arguments(["-n5", "--color", "a.jsonl"], of: manual)
///     arguments.text(lines)      // "5"
///     arguments.isOn(color)      // true; nil without --color and --no-color
///     arguments.operands         // ["a.jsonl"]
///
/// Accepts `-n 5`, `-n5`, `-fn5` for `-f -n 5`, `--name value`, `--name=value`, and `--` before operands that begin
/// with a dash. A lone `-` is an operand. Arguments after `-h` or `--help` are ignored.
struct Arguments {
  private(set) var operands: [String] = []
  private(set) var wantsHelp = false
  /// By the option's name, in order; a flag has an empty text, a toggle `true` or `false`.
  private var given: [String: [String]] = [:]

  init(_ arguments: [String], of manual: Manual) throws(WrongUse) {
    var rest = arguments[...]
    let known = manual.allOptions
    while let argument = rest.popFirst(), !wantsHelp {
      if argument == "--" {
        operands += rest
        rest = []
      } else if argument.hasPrefix("--") {
        try takeLong(argument, &rest, known)
      } else if argument.hasPrefix("-"), argument != "-" {
        try takeShort(argument, &rest, known)
      } else {
        operands.append(argument)
      }
    }
    if !wantsHelp { try manual.operands.check(operands) }
  }

  /// Whether the option is given at least once.
  func has(_ option: CommandOption) -> Bool { given[option.name] != nil }

  /// How often the option is given: `-vv` is 2.
  func count(_ option: CommandOption) -> Int { given[option.name]?.count ?? 0 }

  /// The last of `--name` and `--no-name`; nil without either.
  func isOn(_ toggle: CommandOption) -> Bool? { given[toggle.name]?.last.map { $0 == "true" } }

  /// The last value given.
  func text(_ option: CommandOption) -> String? { given[option.name]?.last }

  /// All values in order, for options that may be repeated.
  func texts(_ option: CommandOption) -> [String] { given[option.name] ?? [] }

  /// The last value given, as a whole number.
  func number(_ option: CommandOption, in range: ClosedRange<Int> = 0...Int.max) throws(WrongUse) -> Int? {
    guard let text = text(option) else { return nil }
    if let number = Int(text), range.contains(number) { return number }
    let most =
      range.upperBound == .max
      ? "a number from \(range.lowerBound)" : "a number from \(range.lowerBound) to \(range.upperBound)"
    throw WrongUse("--\(option.name) takes \(most), not \(quoted(text))")
  }

  // MARK: - Reading

  private mutating func takeLong(
    _ argument: String, _ rest: inout ArraySlice<String>, _ known: [CommandOption]
  ) throws(WrongUse) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let spelling = String(parts[0])
    let attached = parts.count == 2 ? String(parts[1]) : nil
    guard let option = known.first(where: { $0.spellings.contains(spelling) }) else {
      throw WrongUse(
        Arguments.unknown(spelling, among: known.flatMap { $0.spellings.filter { $0.hasPrefix("--") } }))
    }
    if option.valueName == nil {
      guard attached == nil else {
        throw WrongUse("\(spelling) takes no value, but \(quoted(argument)) has one")
      }
      take(option, isOn: spelling == "--\(option.name)")
    } else if let attached {
      try take(option, attached)
    } else if case .optional = option.form {
      try take(option, "")
    } else {
      try take(option, try Arguments.next(&rest, for: option, spelling, known))
    }
  }

  private mutating func takeShort(
    _ argument: String, _ rest: inout ArraySlice<String>, _ known: [CommandOption]
  ) throws(WrongUse) {
    var letters = argument.dropFirst()
    while let letter = letters.popFirst() {
      guard let option = known.first(where: { $0.short == letter }) else {
        let shorts = known.compactMap { $0.short.map { "-\($0)" } }
        throw WrongUse(Arguments.unknown("-\(letter)", in: argument, among: shorts))
      }
      guard option.valueName != nil else {
        take(option, isOn: true)
        continue
      }
      try take(
        option,
        try letters.isEmpty ? Arguments.next(&rest, for: option, "-\(letter)", known) : String(letters))
      return
    }
  }

  private mutating func take(_ option: CommandOption, isOn: Bool) {
    if option.name == CommandOption.help.name { wantsHelp = true }
    if case .toggle = option.form {
      given[option.name, default: []].append(isOn ? "true" : "false")
    } else {
      given[option.name, default: []].append("")
    }
  }

  private mutating func take(_ option: CommandOption, _ value: String) throws(WrongUse) {
    if case .choice(let words) = option.form, !words.contains(value) {
      let hint = suggestion(for: value, among: words).map { "; \($0)" } ?? ""
      throw WrongUse("--\(option.name) cannot be \(quoted(value))\(hint)")
    }
    given[option.name, default: []].append(value)
  }

  /// The argument after an option: its value, unless that is plainly another option.
  private static func next(
    _ rest: inout ArraySlice<String>, for option: CommandOption, _ spelling: String, _ known: [CommandOption]
  ) throws(WrongUse) -> String {
    let name = option.valueName ?? "value"
    guard let value = rest.popFirst() else {
      throw WrongUse("\(spelling) needs a value: \(spelling) \(name)")
    }
    let isOption = value.hasPrefix("--") && known.contains { $0.spellings.contains(value) }
    guard !isOption else {
      throw WrongUse(
        "\(spelling) needs a value, \(spelling) \(name), but the option \(quoted(value)) follows it")
    }
    return value
  }

  private static func unknown(_ spelling: String, in whole: String? = nil, among known: [String]) -> String {
    let place = whole.flatMap { $0 == spelling ? nil : " in \(quoted($0))" } ?? ""
    let hint = nearest(to: spelling, among: known).map { "; did you mean \(quoted($0))?" } ?? ""
    return "unknown option \(quoted(spelling))\(place)\(hint)"
  }
}
