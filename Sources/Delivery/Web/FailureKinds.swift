import Engine
import Fetch

// The kinds of the reasons why requests fail, for the outages of sources.

extension FetchError: ClassifiedFailure {
  public var failureKind: FailureKind {
    if isWait { return .waiting }
    switch kind {
    case .unreachable, .encryption, .interrupted: return .unreachable
    case .timeout: return .timeout
    // The server asks for a wait.
    case .status(429), .status(503): return retryAt == nil ? .status : .waiting
    case .status: return .status
    case .notJSON, .truncated, .tooLarge: return isAboutLoginPage(message) ? .loginPage : .format
    case .redirect, .request, .budget, .cancelled, .store, .failed: return .other
    }
  }
}

extension WrongAnswer: ClassifiedFailure {
  package var failureKind: FailureKind { isAboutLoginPage(description) ? .loginPage : .format }
}
