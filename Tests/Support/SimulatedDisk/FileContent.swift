import Glibc

/// The bytes of a file, quick to write at any place even where nothing is optimised.
struct FileContent {
  private(set) var count = 0
  /// Larger than the file, and zero behind its end.
  private var storage: [UInt8] = []

  var bytes: [UInt8] { Array(storage[..<count]) }

  /// Answers how much there is of what is asked for.
  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    guard offset < count, let to = target.baseAddress else { return 0 }
    let size = min(target.count, count - offset)
    storage.withUnsafeBytes { bytes in
      if let from = bytes.baseAddress { memcpy(to, from + offset, size) }
    }
    return size
  }

  mutating func write(_ source: UnsafeRawBufferPointer, at offset: Int) {
    guard let from = source.baseAddress, !source.isEmpty else { return }
    resize(to: max(count, offset + source.count))
    storage.withUnsafeMutableBytes { bytes in
      if let to = bytes.baseAddress { memcpy(to + offset, from, source.count) }
    }
  }

  mutating func resize(to size: Int) {
    if size > storage.count {
      let (old, room) = (storage, max(2 * size, 8192))
      storage = Array(unsafeUninitializedCapacity: room) { bytes, initialized in
        guard let start = bytes.baseAddress else { return }
        memset(start, 0, room)
        memcpy(start, old, old.count)
        initialized = room
      }
    } else if size < count {
      storage.withUnsafeMutableBytes { bytes in
        if let start = bytes.baseAddress { memset(start + size, 0, count - size) }
      }
    }
    count = size
  }
}
