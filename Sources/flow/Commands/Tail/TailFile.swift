import Glibc

/// A log that is read from its end, and followed under its name.
///
/// When another file takes the name, or the file is cut short, reading goes on at the beginning of what stands
/// there.
final class TailFile {
  /// What to begin with.
  enum Amount: Equatable {
    case last(Int)
    /// Everything from this line on, the first being 1.
    case from(Int)
  }

  let path: String
  private var file: OpenFile?
  private var splitter = LineSplitter()
  /// How far the file was read.
  private var offset = 0
  private var isMissing = false
  /// Lines of a stream that are not to be shown.
  private var skipped = 0
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)

  init(_ path: String) { self.path = path }

  deinit { buffer.deallocate() }

  /// What can tell when there is more, for a pipe and its like; nil for a file, which has to be looked at.
  var stream: Int32? { file.flatMap { $0.isRegular ? nil : $0.descriptor } }

  func open() throws(FileError) { file = try OpenFile(path) }

  /// There is no file yet: it is waited for.
  func wait() { isMissing = true }

  /// Shows what the log has; what has no line break at its end only if nobody goes on following.
  func begin(_ amount: Amount, follows: Bool, _ view: TailView) throws(FileError) {
    guard let file else { return }
    switch amount {
    case .last(let count) where file.isRegular:
      let size = file.state?.size ?? 0
      var lines = try LinesBackwards(file, size: size, includesUnfinished: !follows)
      var entries: [TailEntry] = []
      while entries.count < count, let line = try lines.next() {
        if let entry = view.entry(line) { entries.append(entry) }
      }
      for entry in entries.reversed() { view.show(entry, of: self) }
      offset = lines.endOfLines
      _ = lseek(file.descriptor, off_t(offset), SEEK_SET)
    case .from(let first) where follows && !file.isRegular: skipped = first - 1
    case .last where follows: break
    case .last(let count):
      var entries: [TailEntry] = []
      try read { line in
        if let entry = view.entry(line) { entries.append(entry) }
        if entries.count >= max(1024, count * 2) { entries.removeFirst(entries.count - count) }
      }
      if let entry = splitter.finish().flatMap(view.entry) { entries.append(entry) }
      for entry in entries.suffix(count) { view.show(entry, of: self) }
    case .from(let first):
      var number = 0
      try read { line in
        number += 1
        if number >= first { view.take(line, of: self) }
      }
      if !follows, number + 1 >= first, let line = splitter.finish() { view.take(line, of: self) }
    }
  }

  /// Shows what came since; false when there can never be more.
  func goOn(_ view: TailView) throws(FileError) -> Bool {
    guard let file, !file.isRegular else {
      try read { view.take($0, of: self) }
      if path != "-" { try followName(view) }
      return true
    }
    while file.isReadable {
      if try readOnce(file, showingSkipped(view)) { continue }
      if let line = splitter.finish() { showingSkipped(view)(line) }
      return false
    }
    return true
  }

  private func showingSkipped(_ view: TailView) -> ([UInt8]) -> Void {
    { [self] line in
      if skipped > 0 { skipped -= 1 } else { view.take(line, of: self) }
    }
  }

  private func followName(_ view: TailView) throws(FileError) {
    guard let now = FileState(path: path) else {
      if !isMissing { view.note("\(path) is gone; waiting for it to come back") }
      isMissing = true
      return
    }
    if let file, let mine = file.state, mine.isSameFile(as: now) {
      isMissing = false
      guard now.size < offset else { return }
      view.note("\(path) was cut short; beginning anew")
      _ = lseek(file.descriptor, 0, SEEK_SET)
    } else {
      guard let next = opened(view) else { return }
      if file != nil {
        // What was written between the last look and the renaming is still in the old file.
        try read { view.take($0, of: self) }
        if let line = splitter.finish() { view.take(line, of: self) }
        view.note("\(path) is another file now; following that one")
      }
      file = next
    }
    splitter = LineSplitter()
    offset = 0
    try read { view.take($0, of: self) }
  }

  /// The file that has the name now; nil, said once, where it cannot be opened, which may change.
  private func opened(_ view: TailView) -> OpenFile? {
    do throws(FileError) {
      let next = try OpenFile(path)
      isMissing = false
      return next
    } catch {
      if !isMissing { view.note("\(error); trying again") }
      isMissing = true
      return nil
    }
  }

  /// Reads all that is there.
  private func read(_ body: ([UInt8]) -> Void) throws(FileError) {
    guard let file else { return }
    while try readOnce(file, body) {}
  }

  /// False at the end.
  private func readOnce(_ file: OpenFile, _ body: ([UInt8]) -> Void) throws(FileError) -> Bool {
    let count = try file.read(into: buffer)
    offset += count
    splitter.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]), body)
    return count > 0
  }
}
