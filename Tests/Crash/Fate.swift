import Glibc
import Reactive

/// How one life of the command ends.
enum Fate {
  /// By SIGKILL after so many seconds.
  case killed(after: Double)
  /// By its own hand, at the so-and-so-manieth passing of a named point.
  case killedAt(point: String, number: Int)
  /// By SIGTERM or SIGINT after so many seconds, and perhaps by another signal so long after that.
  case stopped(by: Int32, after: Double, then: (signal: Int32, after: Double)?)
  /// Suspended by SIGSTOP after so many seconds, and then killed as it is, or resumed and killed a little later.
  case suspended(after: Double, for: Double, isResumed: Bool)

  /// - Parameters:
  ///   - point: The point whose turn it is, in a build that has them.
  ///   - isAgain: Whether the life before was a short one, and this one is to be so too.
  static func drawn(_ dice: inout SplitMix64, point: String?, isAgain: Bool) -> Fate {
    func seconds(_ milliseconds: ClosedRange<Double>) -> Double {
      Double.random(in: milliseconds, using: &dice) / 1000
    }
    if isAgain { return .killed(after: seconds(0...40)) }
    if let point, dice.below(10) < 6 {
      // Mostly early, while what was left before is dealt with.
      return .killedAt(point: point, number: dice.below(2) == 0 ? 1 : 1 + dice.below(8))
    }
    let stop = dice.below(2) == 0 ? SIGTERM : SIGINT
    switch dice.below(20) {
    case 0..<2: return .stopped(by: stop, after: seconds(0...300), then: nil)
    case 2: return .stopped(by: stop, after: seconds(50...300), then: (SIGKILL, seconds(0...20)))
    case 3:
      let second = dice.below(2) == 0 ? SIGTERM : SIGINT
      return .stopped(by: stop, after: seconds(50...300), then: (second, seconds(0...50)))
    case 4, 5:
      return .suspended(after: seconds(20...300), for: seconds(0...100), isResumed: dice.below(2) == 0)
    case 6..<9: return .killed(after: seconds(0...60))
    case 9..<15: return .killed(after: seconds(30...200))
    default: return .killed(after: seconds(100...700))
    }
  }
}

extension Fate: CustomStringConvertible {
  var description: String {
    func text(_ seconds: Double) -> String { "\(Int(seconds * 1e6)) µs" }
    return switch self {
    case .killed(let after): "killed after \(text(after))"
    case .killedAt(let point, let number): "killed at \(point):\(number)"
    case .stopped(let signal, let after, nil): "signal \(signal) after \(text(after))"
    case .stopped(let signal, let after, let more?):
      "signal \(signal) after \(text(after)), \(more.signal) \(text(more.after)) later"
    case .suspended(let after, let time, let isResumed):
      "suspended after \(text(after)) for \(text(time)), \(isResumed ? "resumed and killed" : "killed")"
    }
  }
}
