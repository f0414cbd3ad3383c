import Glibc

/// A call to the system that failed.
struct SystemError: Error, CustomStringConvertible {
  let call: String
  let code: Int32

  /// What `errno` says of the call that has just failed.
  init(_ call: String) {
    self.init(call, code: errno)
  }

  init(_ call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  var description: String { "\(call): \(reason)" }
  var reason: String { String(cString: strerror(code)) }

  /// Whether the same call may succeed a while later, since all it lacked was room.
  var mayPass: Bool { [EAGAIN, EMFILE, ENFILE, ENOMEM, ENOBUFS, ETXTBSY].contains(code) }
}
