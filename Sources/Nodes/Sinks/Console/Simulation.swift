import JSON
import Engine
import Language
import Reactive

/// Tells people once, before anything else on the console, that what they see there is simulated: handed in with the
/// world where it is.
public final class Simulation: Sendable {
  private let line: String
  private let isSaid = Locked(false)

  /// `line` is what is told, without its line break.
  public init(_ line: String) { self.line = line }

  func say(on screen: Screen) throws {
    let isFirst = isSaid.withLock { isSaid in
      defer { isSaid = true }
      return !isSaid
    }
    if isFirst { try screen.write(Array((line + "\n").utf8)) }
  }
}
