import Delivery
import Engine
import Reactive
import System

/// The progress of a sink's downloads, for the line on the terminal.
///
///     out/2026-11-23.jpg: 12 MB of 40 MB, 3.1 MB/s, 9 s left
///     2 downloads: 12 MB of 80 MB, 3.1 MB/s, 22 s left
final class DownloadProgress: Sendable {
  /// One file that is being received.
  private struct Transfer: Sendable {
    let path: String
    /// The bytes that were there when it began, and those of the whole file, if the server says so.
    let offset: Int
    let size: Int?
    let begun: ContinuousClock.Instant
    var read: Int
    var pace = ProgressPace()
  }

  private struct State: Sendable {
    var transfers: [Int: Transfer] = [:]
    var last = 0
    var isShown = false
  }

  private let show: @Sendable (PollProgress?) -> Void
  private let state = Locked(State())

  init(_ show: @escaping @Sendable (PollProgress?) -> Void) { self.show = show }

  /// Begins with a file of which `offset` bytes are there already; the number to note its progress by.
  func begin(_ path: String, at offset: Int, of size: Int?) -> Int {
    state.withLock { state in
      state.last += 1
      state.transfers[state.last] = Transfer(
        path: path, offset: offset, size: size, begun: .now, read: offset)
      return state.last
    }
  }

  /// Notes that more of the file has been received.
  func note(_ number: Int, _ bytes: Int) {
    let text: String? = state.withLock { state in
      state.transfers[number]?.read += bytes
      guard state.transfers[number]?.pace.isDue() == true else { return nil }
      state.isShown = true
      return Self.text(state.transfers.sorted { $0.key < $1.key }.map(\.value))
    }
    if let text { show(PollProgress(text)) }
  }

  /// Ends with a file, complete or not.
  func end(_ number: Int) {
    let isOver = state.withLock { state in
      state.transfers[number] = nil
      guard state.isShown, state.transfers.isEmpty else { return false }
      state.isShown = false
      return true
    }
    if isOver { show(nil) }
  }

  private static func text(_ transfers: [Transfer]) -> String {
    let label = transfers.count == 1 ? transfers[0].path : "\(transfers.count) downloads"
    let sizes = transfers.compactMap(\.size)
    let (read, offset) = transfers.reduce((0, 0)) { ($0.0 + $1.read, $0.1 + $1.offset) }
    let begun = transfers.map(\.begun).min() ?? .now
    return "\(label): "
      + ReadingProgress.text(
        read, of: sizes.count == transfers.count ? sizes.reduce(0, +) : nil, read - offset, in: .now - begun)
  }
}
