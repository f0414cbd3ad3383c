import System

/// The placeholders of a text, such as `${NAME}` and `${NAME:-default}`, replaced by their values; `$${` stands for `${`.
///
/// The default serves, as in a shell, where the variable is unset or empty, or a file or credential does not exist.
struct Interpolation {
  private(set) var text: [UInt8] = []
  private(set) var map = TextMap()
  private(set) var variables: [String] = []
  /// Where in the text the values are, in bytes.
  private(set) var insertions: [Range<Int>] = []
  /// The parts of the values that must be hidden; a default is no secret.
  private(set) var secrets: [String] = []
  /// Whether a value is not known until the pipeline runs.
  private(set) var isUnknown = false
  private(set) var flaws: [TextError] = []
  /// The values that a run would lack.
  private(set) var warnings: [TextError] = []

  init(_ source: [UInt8], _ sourceMap: TextMap, _ placeholders: Placeholders) {
    let (dollar, open) = (UInt8(ascii: "$"), UInt8(ascii: "{"))
    var index = 0
    while index < source.count {
      let rest = source[index...]
      if rest.starts(with: [dollar, dollar, open]) {
        text += [dollar, open]
        map.append(index + 1..<index + 3, of: sourceMap)
        index += 3
      } else if rest.starts(with: [dollar, open]) {
        let end = Placeholder.end(rest)
        let value = replacement(source[index..<(end ?? source.count)], isClosed: end != nil, placeholders)
        insertions.append(text.count..<text.count + value.utf8.count)
        text += value.utf8
        map.append(value.utf8.count, from: sourceMap.file(of: index..<(end ?? source.count)))
        index = end ?? source.count
      } else {
        let end = rest.dropFirst().firstIndex(of: dollar) ?? source.count
        text += source[index..<end]
        map.append(index..<end, of: sourceMap)
        index = end
      }
    }
  }

  private mutating func replacement(
    _ bytes: ArraySlice<UInt8>, isClosed: Bool, _ placeholders: Placeholders
  ) -> String {
    let written = String(decoding: bytes, as: UTF8.self)
    func refuse(_ message: String, at range: Range<Int>? = nil, hint: String?) {
      flaws.append(TextError(message, at: range ?? bytes.indices, hint: hint))
    }
    guard isClosed else {
      refuse(
        "“${” is not closed", at: bytes.startIndex..<bytes.startIndex + 2, hint: Placeholder.usage)
      return ""
    }
    guard let placeholder = Placeholder(written.dropFirst(2).dropLast()) else {
      refuse(
        "\(quoted(written)) is not a valid placeholder", hint: Placeholder.usage)
      return ""
    }
    variables.append(placeholder.kind == .variable ? placeholder.subject : written)
    do throws(Sentence) {
      if let value = try value(of: placeholder, placeholders) { return value }
      if let fallback = placeholder.fallback { return fallback }
      let missing = Self.missing(placeholder)
      if placeholder.kind == .variable, !placeholders.isForRun {
        isUnknown = true
        warnings.append(TextError(missing.reason, at: bytes.indices, hint: missing.hint))
        return Placeholders.unknown
      }
      refuse(missing.reason, hint: missing.hint)
    } catch {
      refuse("\(quoted(written)): \(error)", hint: error.hint)
    }
    return ""
  }

  /// The value; nil where there is none, or the default applies.
  private mutating func value(
    of placeholder: Placeholder, _ placeholders: Placeholders
  ) throws(Sentence) -> String? {
    let bytes: [UInt8]?
    switch placeholder.kind {
    case .variable:
      guard let value = placeholders.environment(placeholder.subject) else { return nil }
      if value.isEmpty, placeholder.fallback != nil { return nil }
      secrets += Secrets.secretParts(of: value, named: placeholder.subject)
      return value
    case .file: bytes = try placeholders.readFile(placeholder.subject)
    case .credential: bytes = try placeholders.credential(placeholder.subject)
    case .exec: bytes = try placeholders.output(placeholder.subject)
    }
    guard let bytes else {
      guard !placeholders.isForRun, placeholder.kind != .file else { return nil }
      isUnknown = true
      return placeholder.fallback ?? Placeholders.unknown
    }
    guard bytes.count <= Placeholders.limit else {
      throw Sentence("it has more than \(Placeholders.limit) bytes, which is no secret but data")
    }
    // As in a shell, the ends of lines behind the last one are not part of the value.
    let text = bytes.prefix(bytes.count - bytes.reversed().prefix { $0 == 0x0a || $0 == 0x0d }.count)
    guard let value = String(validating: text, as: UTF8.self) else {
      throw Sentence("it is not UTF-8 text")
    }
    if value.isEmpty, placeholder.fallback != nil { return nil }
    secrets.append(value)
    return value
  }

  private static func missing(_ placeholder: Placeholder) -> (reason: String, hint: String) {
    let name = placeholder.subject
    switch placeholder.kind {
    case .variable:
      return (
        "the variable \(name) is not set in the environment", "set it, or give a default: ${\(name):-…}"
      )
    case .file:
      return ("there is no file \(quoted(name))", "create it, or give a default: ${file:\(name):-…}")
    case .credential:
      return (
        "there is no credential \(quoted(name))",
        "a service has it with LoadCredential=\(name):PATH in its unit; or give a default: ${credential:\(name):-…}"
      )
    case .exec: return ("the command \(quoted(name)) has no output", "try it in a shell")
    }
  }
}
