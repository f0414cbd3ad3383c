import Reactive

/// How one life of the command ends.
enum Fate {
  /// By SIGKILL after so many seconds.
  case killed(after: Double)
  /// By its own hand, at the so-and-so-manieth passing of a named point.
  case killedAt(point: String, number: Int)
  /// Gracefully, by SIGTERM after a number of seconds, with SIGKILL a while later.
  case stopped(after: Double, killedAfter: Double?)

  /// - Parameters:
  ///   - point: The point whose turn it is, in a build that has them.
  ///   - isAgain: Whether the life before was a short one, and this one is to be so too.
  static func drawn(_ dice: inout SplitMix64, point: String?, isAgain: Bool) -> Fate {
    func seconds(_ milliseconds: ClosedRange<Double>) -> Double {
      Double.random(in: milliseconds, using: &dice) / 1000
    }
    if isAgain { return .killed(after: seconds(0...40)) }
    if let point, dice.below(10) < 7 {
      // Mostly early, while what was left before is dealt with.
      return .killedAt(point: point, number: dice.below(2) == 0 ? 1 : 1 + dice.below(8))
    }
    switch dice.below(20) {
    case 0..<2: return .stopped(after: seconds(0...300), killedAfter: nil)
    case 2: return .stopped(after: seconds(50...300), killedAfter: seconds(0...20))
    case 3..<7: return .killed(after: seconds(0...60))
    case 7..<14: return .killed(after: seconds(30...200))
    default: return .killed(after: seconds(100...700))
    }
  }
}

extension Fate: CustomStringConvertible {
  var description: String {
    func text(_ seconds: Double) -> String { "\(Int(seconds * 1e6)) µs" }
    switch self {
    case .killed(let after): return "killed after \(text(after))"
    case .killedAt(let point, let number): return "killed at \(point):\(number)"
    case .stopped(let after, nil): return "stopped after \(text(after))"
    case .stopped(let after, let more?): return "stopped after \(text(after)), killed \(text(more)) later"
    }
  }
}
