import JSON

/// A compiled filter.
///
/// Until the expression language is here, the only one is `.`.
struct EvalProgram {
  struct Mistake: Error { let message: String }

  init(_ text: String) throws(Mistake) {
    guard text.allSatisfy({ $0 == "." || $0.isWhitespace }) else {
      throw Mistake(message: "only the filter '.' is there yet")
    }
  }

  @inline(__always)
  func run(_ input: Value, _ emit: (Value) throws -> Void) throws { try emit(input) }
}
