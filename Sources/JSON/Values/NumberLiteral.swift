/// A number that nothing has calculated with yet: its text as it was written, and the double it rounds to.
public final class NumberLiteral: Sendable {
  /// The text in canonical decimal form, as a writer prints it.
  let text: [UInt8]
  let double: Double

  init(text: [UInt8], double: Double) {
    self.text = text
    self.double = double
  }
}
