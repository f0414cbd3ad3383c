import Glibc
import System

/// A log that is read from its end, and followed.
///
/// A file is followed by its name, through rotation and truncation, by `FileFollower`. Pipes, devices and gzip files
/// are read to their end.
final class TailFile {
  /// Where to begin.
  enum Amount: Equatable {
    case last(Int)
    /// Everything from this line on, the first being 1.
    case from(Int)
  }

  /// The path as given.
  let path: String
  /// The path by which it is opened: a file on standard input also has a name.
  private let name: String
  private let follows: Bool
  private var follower: FileFollower?
  private var stream: Stream?
  private var splitter = LineSplitter()
  /// Lines still to be skipped.
  private var skipped = 0
  private var lastChange: FileChange?
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)

  /// A file that is read once, from its beginning to its end.
  private struct Stream {
    let descriptor: OpenDescriptor
    /// Opened by the first read: it examines the first bytes, which may not exist yet.
    var input: InputFile?
  }

  init(_ path: String, follows: Bool) {
    self.path = path
    self.follows = follows
    name = path == "-" && OpenDescriptor(owning: dup(0)).status?.isRegular == true ? "/dev/stdin" : path
  }

  deinit { buffer.deallocate() }

  /// Shows the content of the log; a last line without a line break only if the log is not followed.
  func begin(_ amount: Amount, _ view: TailView) throws(FileFailure) {
    var status = stat()
    let exists = name != "-" && stat(name, &status) == 0
    if follows, !exists, name != "-", errno == ENOENT || errno == ENOTDIR {
      follow(from: .beginning, view)
    } else if exists, status.isRegular, try !isCompressed() {
      try beginFile(amount, view)
    } else {
      try beginStream(amount, view)
    }
  }

  private func isCompressed() throws(FileFailure) -> Bool {
    try FileFailure.of(name, trying: "open") { () throws(DiskError) in
      try SystemDisk().head(of: name, count: 2) == [0x1f, 0x8b]
    }
  }

  private func beginFile(_ amount: Amount, _ view: TailView) throws(FileFailure) {
    switch amount {
    case .last(let count):
      let file = try FileFailure.of(name, trying: "open") { () throws(DiskError) in
        try SystemDisk().open(toRead: name, followsLinks: true)
      }
      guard let status = file.status else { throw FileFailure(name, trying: "read") }
      var lines = try LinesBackwards(
        file, of: name, size: status.size, includesUnfinished: !follows)
      var entries: [TailEntry] = []
      while entries.count < count, let line = try lines.next() {
        if let entry = view.entry(line) { entries.append(entry) }
      }
      for entry in entries.reversed() { view.show(entry, of: path) }
      if follows { follow(from: .offset(lines.endOfLines, of: status.identity), view) }
    case .from(let first) where follows:
      skipped = first - 1
      follow(from: .beginning, view)
    case .from: try beginStream(amount, view)
    }
  }

  private func beginStream(_ amount: Amount, _ view: TailView) throws(FileFailure) {
    let descriptor =
      name == "-" ? OpenDescriptor(owning: dup(0)) : try OpenDescriptor(opening: name, O_RDONLY, to: "open")
    if descriptor.status?.isFolder == true {
      throw FileFailure(path, "is a folder, not a file", code: EISDIR)
    }
    var stream = Stream(descriptor: descriptor)
    let isFile = descriptor.status?.isRegular == true
    switch amount {
    case .from(let first):
      skipped = first - 1
      if !follows || isFile {
        try readAll(&stream) {
          view.take($0, of: path)
        } while: {
          view.isOpen
        }
      }
    case .last(let count):
      // Everything that arrives through a followed pipe is new.
      if follows, !isFile { break }
      var kept = Latest<TailEntry>(count)
      try readAll(&stream) { line in
        if let entry = view.entry(line) { kept.add(entry) }
      }
      for entry in kept.inOrder { view.show(entry, of: path) }
    }
    if follows, !isFile { self.stream = stream }
  }

  /// Reads to the end; the last line may lack its line break.
  private func readAll(
    _ stream: inout Stream, _ body: (LogLine) -> Void, while goesOn: () -> Bool = { true }
  ) throws(FileFailure) {
    while goesOn(), try read(&stream, body) > 0 {}
    if let line = splitter.finish() { unlessSkipped(line, body) }
  }

  private func read(_ stream: inout Stream, _ body: (LogLine) -> Void) throws(FileFailure) -> Int {
    let input =
      if let opened = stream.input { opened } else { try InputFile(name, opened: stream.descriptor) }
    stream.input = input
    let count = try input.read(into: buffer)
    split(count, body)
    return count
  }

  private func split(_ count: Int, _ body: (LogLine) -> Void) {
    splitter.add(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { unlessSkipped($0, body) }
  }

  private func unlessSkipped(_ line: LogLine, _ body: (LogLine) -> Void) {
    if skipped > 0 { skipped -= 1 } else { body(line) }
  }

  // MARK: - Following

  /// Whether more data may arrive.
  var isFollowed: Bool { follower != nil || stream != nil }

  /// The descriptor to wait for, and how long at most.
  var waiting: (descriptor: Int32, pause: Duration?) {
    follower?.waiting ?? (stream?.descriptor.number ?? -1, nil)
  }

  private func follow(from start: FileFollower.Start, _ view: TailView) {
    follower = FileFollower(name, from: start) { [unowned self, unowned view] change in
      if let text = text(of: change) { view.complain("\(path) \(text)") }
      lastChange = change
    }
  }

  private func text(of change: FileChange) -> String? {
    switch change {
    case .missing: "does not exist yet; waiting for it"
    case .begun where lastChange == .missing: "exists now; following it"
    case .begun: "was replaced; following the new file"
    // The file that now has the name is reported next.
    case .replaced: nil
    case .gone: "was removed; waiting for a new one"
    case .unreadable(let reason): "cannot be followed now (\(reason)); trying again"
    case .truncated: "was truncated; reading it from its beginning"
    case .copied(let name): "was copied to \(name) before it was truncated; reading only what that has beyond"
    }
  }

  /// Shows new data without waiting.
  func readAvailable(_ view: TailView) throws(FileFailure) {
    if let follower {
      follower.drain()
      follower.arm()
      while view.isOpen, try take(from: follower, view) {}
    } else if var stream {
      while view.isOpen, isReadable(stream.descriptor) {
        var count = buffer.count
        // Data that is already decompressed is not visible to `poll`.
        while count == buffer.count { count = try read(&stream) { view.take($0, of: path) } }
        if count == 0 {
          if let line = splitter.finish() { unlessSkipped(line) { view.take($0, of: path) } }
          self.stream = nil
          return
        }
      }
      self.stream = stream
    }
  }

  /// False if there is no more data for now.
  private func take(from follower: FileFollower, _ view: TailView) throws(FileFailure) -> Bool {
    switch try follower.next(into: buffer) {
    case .bytes(let count): split(count) { view.take($0, of: path) }
    case .began: splitter = LineSplitter()
    case .ended:
      if let line = splitter.finish() { unlessSkipped(line) { view.take($0, of: path) } }
    case .closed: break
    case .nothing: return false
    }
    return true
  }

  private func isReadable(_ descriptor: OpenDescriptor) -> Bool {
    awaitDescriptors([.input(descriptor.number)], for: .zero)[0]
  }
}

/// The last elements of a sequence of any length.
private struct Latest<Element> {
  private let count: Int
  private var elements: [Element] = []
  /// The index of the oldest element, once the buffer is full.
  private var oldest = 0

  init(_ count: Int) { self.count = count }

  mutating func add(_ element: Element) {
    if elements.count < count {
      elements.append(element)
    } else if count > 0 {
      elements[oldest] = element
      oldest = (oldest + 1) % count
    }
  }

  var inOrder: [Element] { Array(elements[oldest...] + elements[..<oldest]) }
}
