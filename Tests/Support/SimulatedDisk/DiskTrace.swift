/// The last operations on a disk, to investigate a failing seed.
struct DiskTrace {
  struct Entry {
    var number: Int
    var operation: DiskOperation
    var path: String
    var offset: Int
    var count: Int
    var failure: DiskFailure?
  }

  private var entries: [Entry] = []
  private let limit = 200

  mutating func add(_ entry: Entry) {
    // Reads are many, and tell little where they succeed.
    if entry.operation == .read, entry.failure == nil { return }
    if entries.count >= 2 * limit { entries.removeFirst(limit) }
    entries.append(entry)
  }

  func lines(_ count: Int) -> [String] {
    entries.suffix(count).map { entry in
      var line = "\(entry.number) \(entry.operation.rawValue) \(entry.path)"
      switch entry.operation {
      case .read, .write: line += " at \(entry.offset), \(entry.count) bytes"
      case .truncate: line += " to \(entry.offset)"
      default: break
      }
      switch entry.failure {
      case .system(let code)?: line += ": error \(code)"
      case .stopped?: line += ": stopped"
      case nil: break
      }
      return line
    }
  }
}
