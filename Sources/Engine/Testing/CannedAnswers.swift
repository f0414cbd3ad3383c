import Language
import System
import JSON

/// What a rehearsal has in the place of the network: answers by address, null where there is nothing.
public struct CannedAnswers: Sendable {
  public var answers: [String: Value]

  public init(_ answers: [String: Value] = [:]) { self.answers = answers }
}
