import Glibc

import System

/// A folder for one test, gone with it.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    var template = Array("/tmp/flow-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw FileFailure("/tmp", trying: "make a folder") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { TemporaryFolder.remove(path) }

  package subscript(_ name: String) -> String { "\(path)/\(name)" }

  static func remove(_ path: String) {
    if let folder = opendir(path) {
      while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { remove("\(path)/\(name)") }
      }
      closedir(folder)
    }
    Glibc.remove(path)
  }

  package var names: [String] { (try? Glob.expand("\(path)/*"))?.map { splitPath($0).name } ?? [] }

  package func write(_ name: String, _ text: String, _ flags: Int32 = O_TRUNC) throws {
    try write(name, Array(text.utf8), flags)
  }

  package func write(_ name: String, _ bytes: [UInt8], _ flags: Int32 = O_TRUNC) throws {
    let file = try OpenDescriptor(opening: self[name], O_WRONLY | O_CREAT | flags, mode: 0o644, to: "open")
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
      guard count > 0 else { throw FileFailure(self[name], trying: "write") }
      rest = rest.dropFirst(count)
    }
  }

  package func append(_ name: String, _ text: String) throws { try write(name, text, O_APPEND) }

  /// The whole text of a file, unpacked where it is gzip.
  package func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

  package func bytes(_ name: String) throws -> [UInt8] { try allBytes(InputFile(self[name])) }
}

/// Everything that a source has.
package func allBytes(_ source: any ByteSource, atOnce: Int = 4096) throws -> [UInt8] {
  var bytes: [UInt8] = []
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: atOnce, alignment: 1)
  defer { buffer.deallocate() }
  while case let count = try source.read(into: buffer), count > 0 {
    bytes.append(contentsOf: buffer[..<count])
  }
  return bytes
}
