// Exceptions of the evaluator, and the wording of jq's messages.

import Synchronization

/// An exception inside the evaluator: an error, or a jump out of a generator.
///
/// It is a class because a construct that stops another recognizes its own exception by identity.
final class Exception: Error, Sendable {
  enum Reason: Sendable {
    /// `error(value)`, or the error of a builtin: what `try` catches.
    case error(Value)
    /// A jump to the label with this number, by `break` or by a form that needs no more outputs.
    case breakOut(Int)
    case halt(status: Int32, output: Value?)
    /// An exceeded budget, or access that the environment does not give: `try` does not catch it.
    case refused(String)
    /// An error of the receiver of the outputs.
    case receiver(any Error)
  }

  let reason: Reason
  /// Where it was raised: set by the innermost expression that it passes, without changing its identity.
  private let site = Mutex<Site?>(nil)

  init(_ reason: Reason) { self.reason = reason }

  /// An error with a text.
  init(_ message: String) { reason = .error(.string(message)) }

  var location: Location? { site.withLock { $0 }?.location }

  /// The same exception, with its site unless it has one.
  func noting(_ site: Site) -> Exception {
    if isError { self.site.withLock { $0 = $0 ?? site } }
    return self
  }

  var isError: Bool {
    if case .error = reason { return true }
    return false
  }

  /// The error of a path continued from a value without a path.
  static func noPath(_ key: Value, of value: Value) -> Exception {
    Exception("Invalid path expression near attempt to access element \(key.excerpt) of \(value.excerpt)")
  }
}

/// The error that ended a program's run.
public enum EvaluationError: Error, Sendable, CustomStringConvertible {
  /// `error(value)` or the error of a builtin, and where in the program it was raised.
  case error(Value, at: Location?)
  /// `halt` and `halt_error`: the exit status, and what to write before it.
  case halt(status: Int32, output: Value?)
  /// An exceeded limit, or access to something that the environment does not give.
  case refused(String)

  init(_ stop: Exception) throws {
    switch stop.reason {
    case .error(let value): self = .error(value, at: stop.location)
    case .breakOut: self = .error(.string("break"), at: nil)
    case .halt(let status, let output): self = .halt(status: status, output: output)
    case .refused(let message): self = .refused(message)
    case .receiver(let error): throw error
    }
  }

  /// The text of the error, or the error's value as JSON.
  public var description: String {
    switch self {
    case .error(let value, _): value.string ?? "(not a string): \(value.description)"
    case .halt(let status, _): "halted with status \(status)"
    case .refused(let message): message
    }
  }
}

extension Value {
  /// The value's JSON cut to what fits into a message, as jq cuts it.
  var excerpt: String {
    let room = 29
    var shown = self
    if let bytes = textBytes, bytes.count > room + 1 {
      var end = room + 1
      while end > 0, bytes[end] & 0xc0 == 0x80 { end -= 1 }
      shown = .string(Array(bytes[..<end]) + Array(repeating: 0x20, count: 4))
    }
    let text = shown.json
    guard text.count > room else { return String(decoding: text, as: UTF8.self) }
    let close: UInt8? =
      switch text[0] {
      case UInt8(ascii: "\""): UInt8(ascii: "\"")
      case UInt8(ascii: "["): UInt8(ascii: "]")
      case UInt8(ascii: "{"): UInt8(ascii: "}")
      default: nil
      }
    var end = close == nil ? room - 3 : room - 4
    while end > 0, text[end] & 0xc0 == 0x80 { end -= 1 }
    var cut = Array(text[..<end]) + Array("...".utf8)
    if let close { cut.append(close) }
    return String(decoding: cut, as: UTF8.self)
  }

  /// `string ("abc")`: how messages name a value.
  var described: String { "\(typeName) (\(excerpt))" }
}

// `number (1) cannot be …`
func typeError(_ value: Value, _ complaint: String) -> Exception {
  Exception("\(value.described) \(complaint)")
}

// `number (1) and string ("a") cannot be …`
func typeError(_ a: Value, _ b: Value, _ complaint: String) -> Exception {
  Exception("\(a.described) and \(b.described) \(complaint)")
}
