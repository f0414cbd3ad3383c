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
/// Accepts `-n 5`, `-n5`, `-fn5` for `-f -n 5`, `--name value`, `--name=value`, and `--` before operands that look like
/// options. A lone `-` is an operand, and so is `-5`. Arguments after `-h` or `--help` are ignored.
struct Arguments {
  /// An option as it was given.
  struct Given {
    let option: CommandOption
    /// Its value or, of a pair, the first; empty for a flag, `true` or `false` for a toggle.
    let value: String
    /// The second value of a pair.
    let second: String
    /// The number of operands before it.
    let place: Int
  }

  private(set) var operands: [String] = []
  private(set) var wantsHelp = false
  private var options: [Given] = []

  init(_ arguments: [String], of manual: Manual) throws(WrongUse) {
    var rest = arguments[...]
    let known = manual.allOptions
    while let argument = rest.popFirst(), !wantsHelp {
      if argument == "--" {
        operands += rest
        rest = []
      } else if !Arguments.isOption(argument) {
        operands.append(argument)
      } else if argument.hasPrefix("--") {
        try takeLong(argument, &rest, known)
      } else {
        try takeShort(argument, &rest, known)
      }
    }
    if !wantsHelp { try manual.operands.check(operands) }
  }

  /// The options given among these, in order.
  func given(_ some: CommandOption...) -> [Given] { options.filter { some.contains($0.option) } }

  /// Whether the option is given at least once.
  func has(_ option: CommandOption) -> Bool { !given(option).isEmpty }

  /// The last of `--name` and `--no-name`; nil without either.
  func isOn(_ toggle: CommandOption) -> Bool? { text(toggle).map { $0 == "true" } }

  /// The last value given.
  func text(_ option: CommandOption) -> String? { given(option).last?.value }

  /// All values in order, for options that may be repeated.
  func texts(_ option: CommandOption) -> [String] { given(option).map(\.value) }

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

  /// Whether an argument begins with two dashes, or with a dash and a letter.
  private static func isOption(_ argument: String) -> Bool {
    let bytes = Array(argument.utf8.prefix(2))
    guard bytes.count == 2, bytes[0] == 0x2d else { return false }
    return bytes[1] == 0x2d || (bytes[1] | 0x20) &- 0x61 < 26
  }

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
    if option.valueName != nil { return try take(option, spelling, attached, &rest, known) }
    guard attached == nil else {
      throw WrongUse("\(spelling) takes no value, but \(quoted(argument)) has one")
    }
    take(option, isOn: spelling == "--\(option.name)")
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
      if option.valueName != nil {
        return try take(option, "-\(letter)", letters.isEmpty ? nil : String(letters), &rest, known)
      }
      take(option, isOn: true)
    }
  }

  private mutating func take(_ option: CommandOption, isOn: Bool) {
    if option == .help { wantsHelp = true }
    if case .toggle = option.form { return add(option, isOn ? "true" : "false") }
    add(option, "")
  }

  /// Takes an option with its value, the attached one or what follows.
  private mutating func take(
    _ option: CommandOption, _ spelling: String, _ attached: String?, _ rest: inout ArraySlice<String>,
    _ known: [CommandOption]
  ) throws(WrongUse) {
    switch option.form {
    case .pair(let first, let second):
      guard attached == nil, let name = rest.popFirst(), let value = rest.popFirst() else {
        throw WrongUse("\(spelling) needs two values after it: \(spelling) \(first) \(second)")
      }
      add(option, name, value)
    case .optional: add(option, attached ?? "")
    default:
      let value =
        if let attached { attached } else { try Arguments.next(&rest, for: option, spelling, known) }
      try take(option, value)
    }
  }

  private mutating func take(_ option: CommandOption, _ value: String) throws(WrongUse) {
    if case .choice(let words) = option.form, !words.contains(value) {
      let hint = suggestion(for: value, among: words).map { "; \($0)" } ?? ""
      throw WrongUse("--\(option.name) cannot be \(quoted(value))\(hint)")
    }
    add(option, value)
  }

  private mutating func add(_ option: CommandOption, _ value: String, _ second: String = "") {
    options.append(Given(option: option, value: value, second: second, place: operands.count))
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
