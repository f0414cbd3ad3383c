import JSON
import Language
import Reactive

/// The bottom of a terminal, where several owners draw in place while others write above.
///
/// All writing to the terminal goes through here: the drawings are erased, and drawn again below what was written.
/// May be used from any thread.
final class DrawnScreen: Sendable {
  private struct State: Sendable {
    var region = LiveRegion()
    /// The drawing of each owner, in the order of their first; below them that of the owner which is to be last.
    var drawings: [(owner: ObjectIdentifier, isLast: Bool, lines: [String])] = []

    /// All drawings below each other.
    var lines: [String] {
      (drawings.filter { !$0.isLast } + drawings.filter(\.isLast)).map(\.lines).reduce(into: []) {
        all, lines in
        if !all.isEmpty { all.append("") }
        all += lines
      }
    }

    mutating func redraw(_ size: (columns: Int, rows: Int)) -> [UInt8] {
      Array(region.redraw(lines, rows: size.rows, columns: size.columns).utf8)
    }
  }

  private let state = Locked(State())
  private let size: @Sendable () -> (columns: Int, rows: Int)
  private let isOurs: @Sendable () -> Bool
  private let put: @Sendable ([UInt8]) throws -> Void

  init(
    size: @escaping @Sendable () -> (columns: Int, rows: Int),
    isOurs: @escaping @Sendable () -> Bool = { true },
    put: @escaping @Sendable ([UInt8]) throws -> Void
  ) {
    self.size = size
    self.isOurs = isOurs
    self.put = put
  }

  /// Replaces the lines that the same owner has drawn before; without lines, removes them.
  func draw(_ lines: [String], by owner: ObjectIdentifier, isLast: Bool = false) throws {
    try state.withLock { state in
      if lines.isEmpty {
        state.drawings.removeAll { $0.owner == owner }
      } else if let index = state.drawings.firstIndex(where: { $0.owner == owner }) {
        state.drawings[index].lines = lines
      } else {
        state.drawings.append((owner, isLast, lines))
      }
      guard isOurs() else { return state.region.forget() }
      try put(state.redraw(size()))
    }
  }

  /// Writes above what is drawn.
  func write(_ bytes: [UInt8]) throws {
    try state.withLock { state in
      let bell: UInt8 = 7
      if state.region.height > 0, !isOurs() { state.region.forget() }
      if state.region.height == 0 || bytes == [bell] { return try put(bytes) }
      let size = size()
      let erased = Array(state.region.erase(rows: size.rows, columns: size.columns).utf8)
      // What is drawn begins on a line of its own.
      let end = bytes.last == UInt8(ascii: "\n") ? [] : Array("\r\n".utf8)
      try put(erased + bytes + end + state.redraw(size))
    }
  }

  /// Erases the drawings while other code writes whole lines to the same terminal.
  func aside(_ body: () -> Void) {
    state.withLock { state in
      if state.region.height > 0, !isOurs() { state.region.forget() }
      if state.region.height == 0 { return body() }
      let size = size()
      // An error of the terminal is reported by the next write of data.
      try? put(Array(state.region.erase(rows: size.rows, columns: size.columns).utf8))
      body()
      // After Ctrl-Z the shell may have put it into the background.
      if isOurs() { try? put(state.redraw(self.size())) }
    }
  }
}

/// Standard output as sinks see it.
public struct Screen: Sendable {
  public var isTerminal: Bool
  public var hasColors: Bool
  /// The size of the terminal now.
  public var size: @Sendable () -> (columns: Int, rows: Int)
  /// Writes all bytes to standard output; throws `ReaderGone` when its reader has gone.
  ///
  /// On a terminal what is drawn in place stays below it.
  public var write: @Sendable ([UInt8]) throws -> Void
  private let drawn: DrawnScreen

  /// - Parameter isOurs: Whether the process may draw on it now, rather than one that the shell has put before it.
  public init(
    isTerminal: Bool, hasColors: Bool, size: @escaping @Sendable () -> (columns: Int, rows: Int),
    isOurs: @escaping @Sendable () -> Bool = { true },
    write: @escaping @Sendable ([UInt8]) throws -> Void
  ) {
    self.isTerminal = isTerminal
    self.hasColors = hasColors
    self.size = size
    let drawn = DrawnScreen(size: size, isOurs: isOurs, put: write)
    self.drawn = drawn
    self.write = if isTerminal { { bytes in try drawn.write(bytes) } } else { write }
  }

  /// Draws printable lines at the bottom of the terminal, in place of those that the same owner has drawn before; with
  /// `isLast` below those of all others.
  public func draw(_ lines: [String], by owner: AnyObject, isLast: Bool = false) throws {
    try drawn.draw(lines, by: ObjectIdentifier(owner), isLast: isLast)
  }

  /// Erases the drawings while `body` writes whole lines to the same terminal.
  public func aside(_ body: () -> Void) { drawn.aside(body) }
}

extension Value {
  /// Compact JSON; for a terminal, with the control characters escaped that JSON leaves as they are.
  public func shown(on screen: Screen) -> [UInt8] {
    screen.isTerminal ? Array(printable(description).utf8) : json
  }
}
