import Engine
import Language

/// A rate limit as text, such as `3 in 10m`: no more than three within any ten minutes.
package struct AtMost: Equatable, Sendable {
  package var number: Int
  package var period: Duration

  init(_ number: Int, in period: Duration) {
    self.number = number
    self.period = period
  }

  init(_ text: String) throws(TextError) {
    let hint = "write it as in 3 in 10m"
    let words = text.split(separator: " ")
    guard words.count == 3, words[1] == "in" else {
      throw TextError("\(quoted(text)) is not a rate limit", in: text, hint: hint)
    }
    func range(_ word: Substring) -> Range<Int> {
      let start = text.utf8.distance(from: text.startIndex, to: word.startIndex)
      return start..<start + word.utf8.count
    }
    guard let number = Int(words[0]), (1...100_000).contains(number) else {
      throw TextError(
        "\(quoted(String(words[0]))) is not a number from 1 to 100000", at: range(words[0]), hint: hint)
    }
    self.number = number
    do throws(TextError) {
      period = try DurationText.parse(String(words[2]))
    } catch {
      let start = range(words[2]).lowerBound
      throw TextError(
        error.message, at: error.range.lowerBound + start..<error.range.upperBound + start, hint: error.hint)
    }
    if period == .zero { throw TextError("the duration must not be zero", at: range(words[2]), hint: hint) }
  }

  package static let type = OptionType<AtMost>(
    "N in DURATION", sample: "3 in 10m", schema: .record([("type", "string")])
  ) { node, checker in
    let node = checker.resolved(node)
    guard let scalar = node.scalar else {
      checker.report(
        "expected a rate limit, not \(node.kind)", at: node.place, hint: "write it as in 3 in 10m")
      return nil
    }
    do throws(TextError) { return try AtMost(scalar.text) } catch { checker.report(error, in: scalar) }
    return nil
  }
}
