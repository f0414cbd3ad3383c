import Glibc

/// A list of texts as the system expects it: pointers to null-terminated bytes, with a nil after the last.
package struct CStrings: ~Copyable {
  private var pointers: [UnsafeMutablePointer<CChar>?] = []
  private var owned: [UnsafeMutablePointer<CChar>?] = []

  /// A program's arguments.
  package init(_ texts: [String]) {
    for text in texts { append(text) }
    pointers.append(nil)
  }

  /// The environment of this process, or the variables of it that `names` has, overridden by `extra`.
  package init(environmentWith extra: [String: String], inheriting names: Set<String>? = nil) {
    var entry = environ
    while let text = entry.pointee {
      entry += 1
      if extra.isEmpty, names == nil {
        pointers.append(text)
        continue
      }
      let name = Self.name(of: text)
      if extra[name] == nil, names?.contains(name) ?? true { pointers.append(text) }
    }
    for (name, value) in extra { append("\(name)=\(value)") }
    pointers.append(nil)
  }

  deinit {
    for text in owned { free(text) }
  }

  /// Lends the list for the duration of a call.
  package func withPointers<Result>(_ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
    body(pointers)
  }

  private mutating func append(_ text: String) {
    let copy = strdup(text)
    owned.append(copy)
    pointers.append(copy)
  }

  private static func name(of entry: UnsafePointer<CChar>) -> String {
    let bytes = UnsafeRawBufferPointer(start: entry, count: strlen(entry))
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
  }
}
