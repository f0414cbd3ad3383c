/// A number literal, exact until it is calculated with: its text, and the double it rounds to.
public final class NumberLiteral: Sendable {
  /// The text in canonical decimal form, as a writer prints it.
  let text: [UInt8]
  let double: Double

  init(text: [UInt8], double: Double) {
    self.text = text
    self.double = double
  }
}

extension Value {
  /// The number as a double, nil for everything that is not a number.
  @inline(__always)
  public var double: Double? {
    switch self {
    case .number(let double): return double
    case .literal(let literal): return literal.double
    case .view(let document, let index):
      let word = Value.word(document, index)
      let kind = Tape.kind(word)
      return kind == Tape.integer || kind == Tape.decimal ? document.double(word) : nil
    default: return nil
    }
  }

  @inline(__always)
  public static func number(_ integer: Int) -> Value { .number(Double(integer)) }

  /// A number from its text, exact until something calculates with it; nil where the text is no number.
  ///
  ///     Value.literal("100000000000000000000000000001")
  public static func literal(_ text: String) -> Value? {
    var copy = text
    return copy.withUTF8 { literal($0) }
  }

  /// The same from bytes.
  ///
  /// Takes what jq takes: `.5`, `5.`, `+1`, `nan` and `infinity` too.
  public static func literal(_ text: ByteView) -> Value? {
    guard let decimal = Decimal(text) else { return nil }
    switch decimal.form {
    case .notANumber: return .number(.nan)
    case .infinite: return .number(decimal.isNegative ? -.infinity : .infinity)
    case .finite: break
    }
    let double = parseDouble(text)
    let canonical = decimal.canonicalText()
    // A long literal stays one even where the double prints the same: it differs from its neighbours.
    if decimal.digits.count <= 15, canonical == NumberFormat.bytes(double) { return .number(double) }
    return .literal(NumberLiteral(text: canonical, double: double))
  }

  /// The text of a number literal; nil for everything else.
  func withLiteralText<R>(_ body: (ByteView) throws -> R) rethrows -> R? {
    switch self {
    case .literal(let literal): return try literal.text.withUnsafeBufferPointer { try body($0) }
    case .view(let document, let index):
      let word = Value.word(document, index)
      guard Tape.kind(word) == Tape.integer || Tape.kind(word) == Tape.decimal else { return nil }
      let text = document.numberText(word)
      return try body(text)
    default: return nil
    }
  }

  /// The number with its sign turned, exact for a literal; nil for everything that is not a number.
  public var negated: Value? {
    if let turned = withTurnedLiteral({ _ in true }) { return turned }
    return double.map { .number(-$0) }
  }

  /// The number without its sign, exact for a literal; nil for everything that is not a number.
  public var magnitude: Value? {
    guard let double else { return nil }
    // Zero of either sign, and not a number, as they come out of a comparison with 0.
    if double < 0 { return negated }
    return double == 0 ? .number(0) : self
  }

  private func withTurnedLiteral(_ when: (Decimal) -> Bool) -> Value? {
    let turned = withLiteralText { text -> Value? in
      guard var decimal = Decimal(text), decimal.form == .finite, !decimal.isZero, when(decimal) else {
        return nil
      }
      decimal.isNegative.toggle()
      return decimal.canonicalText().withUnsafeBufferPointer { Value.literal($0) }
    }
    return turned ?? nil
  }
}
