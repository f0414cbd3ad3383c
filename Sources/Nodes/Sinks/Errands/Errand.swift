import Fetch
import Engine
import Language

/// Something that a sink does over the network for one event, as it waits in the outbox.
protocol Errand: Remembered, Sendable {
  var event: Engine.Event? { get }
  /// No two errands with the same key are run at a time; nil where that is no matter.
  var key: String? { get }
}

extension Errand {
  var key: String? { nil }
}

/// Why an errand has failed.
struct ErrandFailure: Error, CustomStringConvertible {
  var description: String
  /// Whether another try may end better.
  var mayPass: Bool
  /// When it may be tried again at the earliest, in seconds since 1970.
  var retryAt: Double?
  /// Whether it was tried at all: a budget that has nothing left costs no attempt.
  var isAttempt = true

  init(_ description: String, mayPass: Bool) {
    self.description = description
    self.mayPass = mayPass
  }

  init(_ error: FetchError) {
    description = "\(error)"
    retryAt = error.retryAt
    switch error.kind {
    case .budget:
      mayPass = error.retryAt != nil
      isAttempt = false
    // What the server says of the request is so the next time too, but for what is said of the moment.
    case .status(let status): mayPass = status >= 500 || [408, 425, 429].contains(status)
    case .store, .failed: mayPass = true
    default: mayPass = error.mayPass
    }
  }
}

/// An errand that will not be run again, as the log tells of it.
struct ErrandGivenUp: Error, CustomStringConvertible {
  let failure: ErrandFailure
  let attempts: Int

  var description: String {
    "\(failure)" + (attempts > 1 ? ", at the last of \(attempts) attempts" : "")
  }
}
