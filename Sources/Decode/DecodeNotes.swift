import Markup
import Synchronization

/// The notes of a source about texts that were decoded, although a part of them had no meaning.
///
/// The first such text is reported, and the first after one without.
package final class DecodeNotes: Sendable {
  package static let silent = DecodeNotes { _ in }

  private let report: @Sendable (String) -> Void
  private let isReported = Atomic(false)

  package init(_ report: @escaping @Sendable (String) -> Void) { self.report = report }

  func note(_ flaws: PageFlaws?) {
    let wasReported = isReported.exchange(flaws != nil, ordering: .relaxed)
    if let flaws, !wasReported { report("\(flaws)") }
  }
}
