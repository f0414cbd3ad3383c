/// Decompresses gzip data as it is read, one member after the other.
package final class GzipStream {
  /// Returns the next compressed bytes; 0 at the end.
  package typealias Source = (UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int

  private let path: String
  private let source: Source
  private let inflater: Inflater
  private let packed = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var flaw: FileFailure?
  /// Bytes returned so far.
  private var good = 0

  package init(path: String, source: @escaping Source) throws(FileFailure) {
    self.path = path
    self.source = source
    do throws(Sentence) { inflater = try Inflater() } catch { throw FileFailure(path, error.description) }
  }

  deinit { packed.deallocate() }

  /// Fills the buffer with some decompressed bytes; 0 at the end.
  ///
  /// Throws only after everything that could be decompressed has been returned.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int {
    if let flaw { throw flaw }
    while true {
      if inflater.isHungry {
        let count = try source(packed)
        if count == 0 {
          if inflater.isWhole { return 0 }
          try fail("is cut off", 0)
        }
        inflater.feed(UnsafeRawBufferPointer(rebasing: packed[..<count]))
      }
      let (count, flaw) = inflater.next(into: buffer)
      if let flaw { try fail(flaw, count) }
      good += count
      if count > 0 { return count }
    }
  }

  /// Throws, or keeps the failure until the bytes before it have been returned.
  private func fail(_ what: String, _ count: Int) throws(FileFailure) {
    let failure = FileFailure(path, "the gzip data \(what) after \(good + count) good bytes")
    flaw = failure
    if count == 0 { throw failure }
  }
}
