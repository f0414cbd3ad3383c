import Glibc

/// The files of the repository, found from where this one lies.
enum Repository {
  /// A text file, line by line; `path` is relative to the repository's root.
  struct File: Sendable {
    let path: String
    let text: String
    let lines: [Substring]

    var name: String { String(path.split(separator: "/").last ?? "") }
    var folders: [Substring] { path.split(separator: "/").dropLast() }
    /// The module for a file below Sources.
    var module: String { folders.count > 1 ? String(folders[1]) : "" }
  }

  static let root: String = {
    var parts = #filePath.split(separator: "/")
    parts.removeLast(3)
    return "/" + parts.joined(separator: "/")
  }()

  static let sources = swift(below: "Sources")
  static let tests = swift(below: "Tests")
  static let swiftFiles = sources + tests
  /// What is written for people: at the top, in docs, and beside code.
  static let documents = ([""] + ["docs", "bench", "Sources", "Tests"]).flatMap { folder in
    paths(below: folder, isDeep: !folder.isEmpty).filter { $0.hasSuffix(".md") }.compactMap(file)
  }

  static func file(_ path: String) -> File? {
    guard let text = text(path) else { return nil }
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return File(path: path, text: text, lines: lines.map { Substring($0) })
  }

  static func exists(_ path: String) -> Bool { access("\(root)/\(path)", F_OK) == 0 }

  static func text(_ path: String) -> String? {
    guard let file = fopen("\(root)/\(path)", "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&block, 1, block.count, file), count > 0 { bytes += block[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func swift(below folder: String) -> [File] {
    paths(below: folder).filter { $0.hasSuffix(".swift") && !$0.hasSuffix("/Package.swift") }.compactMap(file)
  }

  static func paths(below folder: String, isDeep: Bool = true) -> [String] {
    guard let directory = opendir("\(root)/\(folder)") else { return [] }
    defer { closedir(directory) }
    var found: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasPrefix(".") { continue }
      let path = folder.isEmpty ? name : "\(folder)/\(name)"
      if entry.pointee.d_type == UInt8(DT_DIR) {
        if isDeep { found += paths(below: path) }
      } else {
        found.append(path)
      }
    }
    return found.sorted()
  }
}

extension Substring {
  /// Runs of ASCII letters, digits and underscores; by bytes, since characters take ten times as long.
  var words: [Substring] {
    utf8.split { byte in
      !(97...122 ~= byte || 65...90 ~= byte || 48...57 ~= byte || byte == UInt8(ascii: "_"))
    }.map { Substring($0) }
  }

  var withoutIndentation: Substring { Substring(utf8.drop { $0 == UInt8(ascii: " ") }) }
}

extension StringProtocol {
  func after(_ prefix: String) -> SubSequence? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }
}
