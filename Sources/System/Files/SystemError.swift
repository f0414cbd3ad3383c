import Glibc

/// A failed system call.
package struct SystemError: Error, CustomStringConvertible {
  package let call: String
  package let code: Int32

  /// The error of the call that just failed, from `errno`.
  package init(_ call: String) {
    self.init(call, code: errno)
  }

  package init(_ call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  package var description: String { "\(call): \(reason)" }
  package var reason: String { systemReason(code) }

  /// Whether the same call may succeed a while later, since all it lacked was room.
  package var mayPass: Bool { [EAGAIN, EMFILE, ENFILE, ENOMEM, ENOBUFS, ETXTBSY].contains(code) }
}

/// An error that is a sentence for the user, without a full stop, and nothing that a program decides by.
public struct Sentence: Error, Equatable, CustomStringConvertible {
  public let description: String
  /// Advice, where there is any.
  public let hint: String?

  public init(_ description: String, hint: String? = nil) {
    (self.description, self.hint) = (description, hint)
  }
}
