import Decode
import Glibc
import JSON
import System

/// The inputs of `flow eval`: the files concatenated into one text, as values, lines or events.
///
/// Gzip files, detected by their first bytes, are decompressed.
final class EvalInput {
  private var paths: ArraySlice<String>
  private var file: InputFile?
  /// Whether nothing of the file has been read.
  private var isAtStart = false
  private let options: EvalOptions
  /// Called before each read, with whether it may have to wait.
  var beforeReading: (_ mayWait: Bool) -> Void = { _ in }
  private var next: () throws -> Value? = { nil }
  private var currentLine: () -> Int = { 0 }

  /// Whether a file could not be read, which has been reported and sets the exit status.
  private(set) var hasFailed = false
  /// The path of the current file; nil for standard input.
  private(set) var fileName: String?

  init(_ options: EvalOptions) {
    self.options = options
    paths = options.files.isEmpty ? ["-"] : options.files[...]
    if let format = options.format {
      next = decoded(format)
    } else if options.rawInput {
      let lines = LineReader(source: source)
      next = options.slurp ? lines.rest : lines.next
      currentLine = { [unowned lines] in lines.line }
    } else if options.stream {
      let events = EventReader(
        isSequence: options.sequence, reportsErrors: options.streamErrors, source: source)
      next = events.next
      currentLine = { [unowned events] in events.line }
    } else if options.sequence {
      next = SequenceReader(source: source).next
    } else {
      let values = Reader(source: source)
      next = values.next
      currentLine = { [unowned values] in values.line }
    }
    if options.slurp, !options.rawInput { next = slurped(next) }
  }

  /// The next input; nil after the last.
  func nextValue() throws -> Value? { try next() }

  /// Line breaks read.
  var line: Int { currentLine() }

  private func slurped(_ each: @escaping () throws -> Value?) -> () throws -> Value? {
    var isDone = false
    return { [self] in
      guard !isDone else { return nil }
      isDone = true
      var items: [Value] = []
      while true {
        do {
          guard let value = try each() else { break }
          items.append(value)
        } catch let error as ParseError where options.sequence {
          EvalCommand.ignore(error)
        }
      }
      return .array(items)
    }
  }

  /// The values of the files, each in a format of its own from its beginning.
  private func decoded(_ format: DecodedFile.Format) -> () throws -> Value? {
    var file: DecodedFile?
    var batch: ArraySlice<Value> = []
    currentLine = { file?.line ?? 0 }
    return { [unowned self] in
      while true {
        if let value = batch.popFirst() { return value }
        do throws(FileFailure) {
          if let file {
            beforeReading(file.mayWait)
            batch = try file.nextBatch()[...]
            if !batch.isEmpty { continue }
          }
          file = nil
          guard let path = paths.popFirst() else { return nil }
          beforeReading(true)
          file = try DecodedFile(
            path, format, note: { Terminal.complain("flow: warning: \($0)\n") },
            report: { [unowned self] flaw in
              hasFailed = true
              Terminal.complain("flow: error: \(flaw)\n")
            })
          fileName = path == "-" ? "<stdin>" : path
        } catch {
          file = nil
          fail(error)
        }
      }
    }
  }

  private func source(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      if let file {
        beforeReading(file.mayWait)
        do throws(FileFailure) {
          let count = try isAtStart ? readStart(of: file, into: buffer) : file.read(into: buffer)
          if count > 0 { return count }
        } catch {
          fail(error)
        }
        self.file = nil
      }
      guard let path = paths.popFirst() else { return 0 }
      // Opening reads the first bytes, for which a pipe has to wait.
      beforeReading(true)
      do throws(FileFailure) {
        file = try InputFile(path)
        isAtStart = !options.rawInput
        fileName = path == "-" ? "<stdin>" : path
      } catch {
        fail(error)
      }
    }
  }

  /// Reads the first bytes of a file that has values, without a byte order mark.
  private func readStart(
    of file: InputFile, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileFailure) -> Int {
    isAtStart = false
    let mark = EvalInput.byteOrderMark
    var count = 0
    // As long as what was read may be the beginning of a mark.
    while count < mark.count, buffer.count > count, buffer[..<count].elementsEqual(mark.prefix(count)) {
      let more = try file.read(into: .init(rebasing: buffer[count...]))
      if more == 0 { return count }
      count += more
    }
    guard buffer[..<count].starts(with: mark) else { return count }
    let rest = UnsafeRawBufferPointer(rebasing: buffer[mark.count..<count])
    buffer.copyMemory(from: rest)
    return rest.isEmpty ? try file.read(into: buffer) : rest.count
  }

  static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  private func fail(_ error: FileFailure) {
    hasFailed = true
    Terminal.complain("flow: error: \(error.inWordsOfJQ)\n")
  }
}

extension FileFailure {
  /// The error in jq's words, as `flow eval` prints it.
  var inWordsOfJQ: String {
    guard code != 0 else { return description }
    return "Could not open \(path == "-" ? "<stdin>" : path): "
      + (code == EISDIR ? "It's a directory" : systemReason(code))
  }
}

/// Reads lines as strings: `-R`.
final class LineReader {
  private let source: Reader.Source
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private var position = 0
  private var end = 0
  private(set) var line = 0

  init(source: @escaping Reader.Source) { self.source = source }

  private func fill() throws -> Bool {
    position = 0
    end = try buffer.withUnsafeMutableBytes { try source($0) }
    return end > 0
  }

  /// The next line without its line break; nil after the last.
  func next() throws -> Value? {
    var text: [UInt8] = []
    var isEmpty = true
    while true {
      if position == end, try !fill() { return isEmpty ? nil : LineReader.text(text) }
      isEmpty = false
      if let stop = buffer[position..<end].firstIndex(of: 0x0a) {
        text.append(contentsOf: buffer[position..<stop])
        position = stop + 1
        line += 1
        return LineReader.text(text)
      }
      text.append(contentsOf: buffer[position..<end])
      position = end
    }
  }

  private var isDone = false

  /// All input as one string, once.
  func rest() throws -> Value? {
    guard !isDone else { return nil }
    isDone = true
    var text: [UInt8] = []
    while try fill() { text.append(contentsOf: buffer[..<end]) }
    return LineReader.text(text)
  }

  private static func text(_ bytes: [UInt8]) -> Value {
    bytes.withUnsafeBufferPointer { Value.string(repairing: $0) }
  }
}
