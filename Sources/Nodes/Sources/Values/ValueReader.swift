import JSON
import System

/// How values stand in a text.
enum TextFormat: String, CaseIterable, Sendable {
  /// Found out: an array where a bracket comes first, values where the first line is no whole one, else lines.
  case auto
  /// A line stands for itself.
  case lines
  /// One array, whose elements are the values.
  case array
  /// Values in a row, which may be spread over lines.
  case values
}

/// Reads the values of a text in batches, whatever of it is good; what is not is reported and passed over.
///
///     let reader = ValueReader(try InputFile("launches.jsonl"), path: "launches.jsonl") { print($0) }
///     while case let batch = try reader.nextBatch(), !batch.isEmpty { … }
final class ValueReader {
  private let source: any ByteSource
  private let path: String
  private let limits: ReadLimits
  private let report: (BadText) -> Void
  private let format: TextFormat
  private let window: TextWindow
  private var layout: Layout?

  private var batches = Batches()
  /// A last line without a line break is left for a later reader: it may still be written.
  private let leavesUnfinishedLine: Bool
  /// What is left in the window is a part of something that is not read now.
  private var isCutShort = false

  private enum Layout {
    case lines(LineValues)
    case spread(MultilineReader)
  }

  /// A reader of a source that stands at `position` already.
  init(
    _ source: any ByteSource, path: String, format: TextFormat = .auto, position: Int = 0, lines: Int = 0,
    limits: ReadLimits = ReadLimits(), leavesUnfinishedLine: Bool = false,
    report: @escaping (BadText) -> Void
  ) {
    self.source = source
    self.leavesUnfinishedLine = leavesUnfinishedLine
    self.path = path
    self.format = format
    self.limits = limits
    self.report = report
    window = TextWindow(chunk: limits.chunk, limit: limits.value, position: position, lines: lines)
    if format != .auto { layout = make(format) }
  }

  /// Where a reader would have to begin to give what this one has not given yet: a byte, and values to pass over.
  ///
  /// In an array there is no such place but its beginning.
  var position: (offset: Int, values: Int) { batches.position(end: window.position) }

  /// Line breaks read.
  var lines: Int { window.lines }

  /// How the values stand in the text, as far as that has been found out.
  var foundFormat: TextFormat {
    switch layout {
    case .lines: .lines
    case .spread(let values): values.isArray ? .array : .values
    case nil: format
    }
  }

  /// The next values, none at the end.
  func nextBatch() throws(FileFailure) -> [Value] {
    while true {
      if let batch = batches.next(limits.batch) { return batch }
      dropMark()
      if layout == nil { layout = try decide() }
      let before = window.position
      batches.begin(at: before)
      take()
      guard batches.isEmpty else { continue }
      if isCutShort { return [] }
      if window.isFinal, window.count == 0 { return [] }
      if window.position == before { try fill() }
    }
  }

  private func take() {
    switch layout {
    case .lines(let lines): lines.take(into: &batches.values)
    case .spread(let values):
      values.take(into: &batches.values)
      // Whatever comes after a mistake is looked at afresh.
      if format == .auto, values.isAfresh { layout = nil }
    case nil: break
    }
  }

  /// Leaves out a byte order mark at the very beginning.
  private func dropMark() {
    if window.position == 0, window.bytes.starts(with: [0xef, 0xbb, 0xbf]) { window.drop(3, lines: 0) }
  }

  private func fill() throws(FileFailure) {
    let count = try window.fill { room throws(FileFailure) in try source.read(into: room) }
    if count != 0 { return }
    if source.isCutShort || (leavesUnfinishedLine && isOfLines) {
      isCutShort = true
    } else {
      window.finish()
    }
  }

  /// As far as the format is known.
  private var isOfLines: Bool {
    if case .spread = layout { false } else { window.bytes.first != 0x5b }
  }
}

// MARK: - Finding out the format

extension ValueReader {
  private func make(_ format: TextFormat) -> Layout {
    switch format {
    case .lines, .auto: .lines(LineValues(path: path, window: window, limits: limits, report: report))
    case .array, .values:
      .spread(
        MultilineReader(path: path, window: window, limits: limits, isArray: format == .array, report: report)
      )
    }
  }

  /// Nil where reading ends before there is enough to know.
  private func decide() throws(FileFailure) -> Layout? {
    while !isCutShort {
      dropMark()
      window.drop(window.bytes.prefix { isSpace($0) }.count)
      let bytes = window.bytes
      guard let first = bytes.first else {
        if window.isFinal { return make(.lines) }
        try fill()
        continue
      }
      if first == 0x5b { return make(.array) }
      if let stop = lineBreak(in: bytes, from: 0) {
        return make(format(of: ByteView(rebasing: bytes[..<stop])))
      }
      if window.isFinal { return make(.lines) }
      if window.isFull { return make(.values) }
      try fill()
    }
    return nil
  }

  private func format(of line: ByteView) -> TextFormat {
    do throws(ParseError) {
      _ = try Value.parseAll([UInt8](line))
      return .lines
    } catch {
      return error.isAtEnd ? .values : .lines
    }
  }
}

/// How much is read, parsed and held at once.
struct ReadLimits: Sendable {
  /// Bytes read at once.
  var chunk = 1 << 18
  /// Bytes of the largest line or value; a larger one is passed over and reported.
  var value = 16 << 20
  /// Values handed out at once.
  var batch = 1024
  /// Bytes of lines from which on they share one document.
  var together = 1 << 14
}
