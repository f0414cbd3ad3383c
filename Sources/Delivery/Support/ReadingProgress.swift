import Engine
import Fetch
import Language
import Reactive
import System

/// The progress of reading files, for the line on the terminal: bytes, rate, and the time left.
///
///     1.2 GB of 3.4 GB, 350 MB/s, 7 s left
package final class ReadingProgress {
  private let show: (PollProgress?) -> Void
  private var pace = ProgressPace()
  private var label = ""
  /// When the present file was begun, and at which of its bytes; nil before the first look at it.
  private var begun: (time: ContinuousClock.Instant, offset: Int)?
  private var isShown = false
  private var isOver = false

  package init(_ context: SourceContext) { show = context.progress }

  /// Begins with a file, the `number`th of `count`.
  package func begin(_ path: String, _ number: Int = 1, of count: Int = 1) {
    label = count > 1 ? "\(path) (\(number) of \(count)): " : ""
    begun = nil
  }

  /// Notes how far a file of known size has been read; `extent` is called when there is something to show.
  package func note(_ extent: () -> (read: Int, size: Int)?) {
    if isOver { return }
    guard begun != nil else {
      begun = (ContinuousClock.now, extent()?.read ?? 0)
      return
    }
    guard pace.isDue(), let begun, let (read, size) = extent() else { return }
    isShown = true
    let text = Self.text(read, of: size, read - begun.offset, in: ContinuousClock.now - begun.time)
    show(PollProgress(label + text))
  }

  /// Ends the display for good.
  package func end() {
    isOver = true
    if isShown { show(nil) }
    isShown = false
  }

  /// The text for `read` of `size` bytes, if that is known, `fresh` of which were read in `time`.
  package static func text(_ read: Int, of size: Int?, _ fresh: Int, in time: Duration) -> String {
    let whole = roughSize(read) + (size.map { " of \(roughSize($0))" } ?? "")
    let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    // A rate of less than half a second would jump.
    guard seconds >= 0.5, fresh > 0 else { return whole }
    let rate = Double(fresh) / seconds
    guard let size else { return "\(whole), \(roughSize(Int(rate)))/s" }
    let left = Duration.seconds(Int(min(1e9, Double(max(0, size - read)) / rate)) + 1)
    return "\(whole), \(roughSize(Int(rate)))/s, \(spoken(left)) left"
  }
}
