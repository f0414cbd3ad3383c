import Glibc

/// A sequence of bytes from any source.
package protocol ByteSource: AnyObject {
  /// Fills the buffer with the result of one read; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int
  /// Whether the end reported by `read` is that of the reader's time, not of the text.
  var isCutShort: Bool { get }
}

extension ByteSource {
  package var isCutShort: Bool { false }
}

/// A file opened for reading; gzip data, detected by its first bytes, is decompressed.
package final class InputFile: ByteSource {
  package let path: String
  package let isCompressed: Bool
  /// Bytes read so far, after decompression.
  package private(set) var offset = 0
  private let plain: PlainInput
  private let gzip: GzipStream?

  /// Opens a file, unless it is already open; `-` is standard input.
  package init(_ path: String, opened: OpenDescriptor? = nil) throws(FileFailure) {
    self.path = path
    let plain = try PlainInput(path, opened)
    self.plain = plain
    isCompressed = try plain.startsAsGzip()
    gzip =
      isCompressed
      ? try GzipStream(path: path) { into throws(FileFailure) in try plain.read(into: into) } : nil
  }

  /// Whether a read may have to wait for a writer.
  package var mayWait: Bool { !plain.isRegular }
  package var number: Int32 { plain.number }
  package var identity: FileIdentity? { plain.identity }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int {
    let count = if let gzip { try gzip.read(into: buffer) } else { try plain.read(into: buffer) }
    offset += count
    return count
  }

  /// Seeks to an offset; false if the file ends before it.
  ///
  /// Call it before anything is read.
  package func skip(to target: Int) throws(FileFailure) -> Bool {
    if !isCompressed, try plain.seek(to: target) {
      offset = target
      return true
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(1 << 16, target), alignment: 16)
    defer { buffer.deallocate() }
    while offset < target {
      let count = try read(into: .init(rebasing: buffer[..<min(buffer.count, target - offset)]))
      if count == 0 { return false }
    }
    return true
  }
}

/// The raw bytes of a file, of which the first two can be examined first.
private final class PlainInput {
  private let path: String
  private let descriptor: OpenDescriptor
  var isRegular: Bool { descriptor.status?.isRegular ?? false }
  var number: Int32 { descriptor.number }
  var identity: FileIdentity? { descriptor.status.map { FileIdentity($0) } }
  /// Bytes that were examined and not yet returned.
  private var head: [UInt8] = []

  init(_ path: String, _ opened: OpenDescriptor?) throws(FileFailure) {
    self.path = path
    if let opened {
      descriptor = opened
    } else if path == "-" {
      descriptor = OpenDescriptor(owning: dup(0))
    } else {
      descriptor = try OpenDescriptor(opening: path, O_RDONLY, to: "open")
    }
    if descriptor.status?.isFolder == true {
      throw FileFailure(path, "cannot read: it is a folder", code: EISDIR)
    }
  }

  func startsAsGzip() throws(FileFailure) -> Bool {
    var byte: UInt8 = 0
    while head.count < 2 {
      let count = retrying { Glibc.read(descriptor.number, &byte, 1) }
      if count < 0 { throw FileFailure(path, trying: "read") }
      if count == 0 { break }
      head.append(byte)
      if byte != [0x1f, 0x8b][head.count - 1] { break }
    }
    return head == [0x1f, 0x8b]
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int {
    let early = min(head.count, buffer.count)
    if early > 0 {
      buffer.copyBytes(from: head[..<early])
      head.removeFirst(early)
      // No more than that: another read could block, while there is data to return.
      return early
    }
    let count = retrying { Glibc.read(descriptor.number, buffer.baseAddress, buffer.count) }
    guard count >= 0 else { throw FileFailure(path, trying: "read") }
    return count
  }

  /// False if the file cannot be seeked in, or ends before the offset.
  func seek(to target: Int) throws(FileFailure) -> Bool {
    guard let status = descriptor.status, status.isRegular, target <= status.st_size else { return false }
    guard lseek(descriptor.number, target, SEEK_SET) == target else {
      throw FileFailure(path, trying: "seek")
    }
    head.removeAll()
    return true
  }
}
