import Language
import Markup
import Reactive
import System

/// The limits of decoding one text that is read as a whole: its time, and the stop of the source.
package struct DecodeBudget: Sendable {
  /// As long as an expression may take.
  package var time = Duration.seconds(30)
  package var stop: StopSign?

  var isStopped: Bool { stop?.isSet == true }

  /// A check that begins now: why decoding has to end, nil to go on.
  func begin() -> @Sendable () -> String? {
    let end = MonotonicClock.now + time
    return {
      if isStopped { return "the run was stopped" }
      return MonotonicClock.now < end ? nil : "decoding took longer than \(DurationText.format(time))"
    }
  }

  /// The limits of a document that is read now.
  func beginMarkup() -> MarkupLimits {
    var limits = MarkupLimits()
    limits.refusal = begin()
    return limits
  }
}
