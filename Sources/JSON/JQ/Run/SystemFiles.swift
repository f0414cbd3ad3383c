import Glibc

// The only code of the language that opens files.

/// Access to the files that programs need beside their input: modules and the rules of time zones.
///
/// An environment, a module loader and a `SystemZone` take one, so that a test can hand in files of its own.
public struct FileReading: Sendable {
  /// The contents of a whole file; nil where it cannot be read.
  public let read: @Sendable (_ path: String) -> [UInt8]?

  public init(_ read: @escaping @Sendable (_ path: String) -> [UInt8]?) { self.read = read }

  /// The machine's files.
  public static let system = FileReading { readSystemFile($0) }
}

/// The contents of a file; nil also where it is larger than any module or zone has a reason to be.
private func readSystemFile(_ path: String) -> [UInt8]? {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return nil }
  defer { close(file) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while bytes.count < 1 << 30 {
    let count = read(file, &buffer, buffer.count)
    if count < 0 { return nil }
    if count == 0 { return bytes }
    bytes.append(contentsOf: buffer[..<count])
  }
  return nil
}

/// The process's resident memory in bytes.
func residentBytes() -> Int {
  let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return .max }
  defer { close(file) }
  return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 128) { buffer in
    let count = read(file, buffer.baseAddress, 128)
    var field = 0
    var pages = 0
    for byte in buffer.prefix(max(count, 0)) {
      if byte == 0x20 { field += 1 } else if field == 1 { pages = pages * 10 + Int(byte &- 0x30) }
    }
    return pages * 4096
  }
}
