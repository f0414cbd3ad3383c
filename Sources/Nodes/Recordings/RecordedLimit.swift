import Decode
import JSON
import Language
import System

/// The limit of a recorded list, as far as a recording without coverage shows it.
///
/// Recordings made before polls had a coverage do not say where the service or the source cut the list. If nearly all of
/// their polls have the same number of rows, and none has more, that number is the limit: a complete list that changes
/// has another length now and then.
enum RecordedLimit {
  /// Fewer polls show nothing.
  private static let fewest = 5
  /// The number of polls in a hundred that must be as long as the longest.
  private static let share = 80

  /// Nil for a recording with coverage, and for one that shows no limit.
  static func of(_ path: String) throws -> Int? {
    let file = ValueReader(
      try InputFile(path), path: path, limits: ReadLimits(value: 1 << 30)
    ) { _ in }
    var lengths: [Int: Int] = [:]
    while true {
      let values = try file.nextBatch()
      if values.isEmpty { break }
      for value in values {
        if value.member("coverage") != nil { return nil }
        if let count = value.member("rows")?.items?.count { lengths[count, default: 0] += 1 }
      }
    }
    return limit(lengths)
  }

  /// - Parameter lengths: How many polls there are of each length.
  static func limit(_ lengths: [Int: Int]) -> Int? {
    let count = lengths.values.reduce(0, +)
    guard let longest = lengths.max(by: { $0.key < $1.key }), count >= fewest, longest.key > 0 else {
      return nil
    }
    return longest.value * 100 >= count * share ? longest.key : nil
  }
}
