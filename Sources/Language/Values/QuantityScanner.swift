/// Reads numbers with units, one after the other, as durations and sizes are made of.
struct QuantityScanner {
  struct Quantity {
    /// The digits before the point, and those after it.
    let whole: Substring
    let fraction: Substring
    let unit: String
    let range: Range<Int>
    let unitRange: Range<Int>

    /// The number as it is written.
    var number: String { fraction.isEmpty ? String(whole) : "\(whole).\(fraction)" }

    /// That many of a unit, rounded down; nil when 64 bits do not hold it.
    func times(_ unit: Int64) -> Int64? {
      guard let whole = whole.isEmpty ? 0 : Int64(whole) else { return nil }
      let (product, overflow) = whole.multipliedReportingOverflow(by: unit)
      let (sum, carried) = product.addingReportingOverflow(part(of: unit).quotient)
      return overflow || carried ? nil : sum
    }

    /// Whether `times` does not round.
    func isWhole(times unit: Int64) -> Bool { part(of: unit).remainder == 0 }

    private func part(of unit: Int64) -> (quotient: Int64, remainder: Int64) {
      var scale: Int64 = 1
      var digits: Int64 = 0
      for digit in fraction.prefix(9) {
        scale *= 10
        digits = digits * 10 + Int64(digit.wholeNumberValue ?? 0)
      }
      let (high, low) = digits.multipliedFullWidth(by: unit)
      return scale.dividingFullWidth((high, low))
    }
  }

  private let text: String
  private var index: String.Index

  init(_ text: String) {
    self.text = text
    index = text.startIndex
  }

  var isAtEnd: Bool { index == text.endIndex }
  var rest: Range<Int> { offset(index)..<text.utf8.count }

  private func offset(_ index: String.Index) -> Int { text.utf8.distance(from: text.startIndex, to: index) }

  private mutating func take(while condition: (Character) -> Bool) -> Substring {
    let start = index
    while index < text.endIndex, condition(text[index]) { index = text.index(after: index) }
    return text[start..<index]
  }

  /// The next number and what follows it up to the next digit; `what` and `usage` are for the message.
  mutating func next(what: String, usage: String) throws(TextError) -> Quantity {
    let start = index
    let isDigit: (Character) -> Bool = { ("0"..."9").contains($0) && $0.isASCII }
    let whole = take(while: isDigit)
    var fraction: Substring = ""
    if !isAtEnd, text[index] == "." {
      index = text.index(after: index)
      fraction = take(while: isDigit)
      if fraction.isEmpty || fraction.count > 9 {
        let problem = fraction.isEmpty ? "no digit" : "more than nine digits"
        throw TextError(
          "\(quoted(text)) has \(problem) after the point", at: offset(start)..<offset(index), hint: usage)
      }
    }
    if whole.isEmpty {
      let next: Character? = isAtEnd ? nil : text[index]
      switch next {
      case nil where text.isEmpty: throw TextError("\(what) is missing here", in: text, hint: usage)
      case "-", "+":
        throw TextError("\(quoted(text)) has a sign, and \(what) has none", at: rest, hint: usage)
      case " ", "\t": throw TextError("\(quoted(text)) has a blank in it", at: rest, hint: usage)
      default: throw TextError("\(quoted(text)) is not \(what)", in: text, hint: usage)
      }
    }
    let end = index
    let unit = take { !isDigit($0) && $0 != "." && $0 != "-" && $0 != "+" && $0 != " " }
    if !isAtEnd, text[index] == " " {
      throw TextError("\(quoted(text)) has a blank in it", at: rest, hint: usage)
    }
    return Quantity(
      whole: whole, fraction: fraction, unit: String(unit), range: offset(start)..<offset(index),
      unitRange: offset(end)..<offset(index))
  }
}
