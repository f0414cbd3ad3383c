/// The writers of a state's last transactions, each with the ordinal where it begins: the history of the state.
///
/// A writer's name is that of one takeover of one process, which writes no ordinal twice. So two states that have the
/// same writer at an ordinal are equal there, and logs that have different ones have parted before.
public struct LogWriters: Equatable, Sendable {
  /// The number of takeovers that are remembered; of older ones nothing is known.
  private static let most = 1000
  /// The name of writers that are not known.
  private static let unknown = "?"
  static let fact = "writers"

  private var begins: [(ordinal: Int64, writer: String)] = []

  public init() {}

  init(text: String) {
    begins = text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 2, let ordinal = Int64(words[0]) else { return nil }
      return (ordinal, String(words[1]))
    }
  }

  var text: String { begins.map { "\($0.ordinal) \($0.writer)\n" }.joined() }

  public static func == (left: Self, right: Self) -> Bool { left.text == right.text }

  /// The writer of an ordinal that the state has seen; nil where that is not known any more.
  public func writer(of ordinal: Int64) -> String? {
    let writer = begins.last { $0.ordinal <= ordinal }?.writer
    return writer == Self.unknown ? nil : writer
  }

  /// Has a writer write from an ordinal on.
  public mutating func begin(_ writer: String, at ordinal: Int64) {
    begins.removeAll { $0.ordinal >= ordinal }
    begins.append((ordinal, writer))
    begins = begins.suffix(Self.most)
  }

  /// Forgets what came behind the first transaction of the last writer: others may have written it, and not noted that.
  mutating func forgetEnd() {
    guard let last = begins.last, last.writer != Self.unknown else { return }
    begins.append((last.ordinal + 1, Self.unknown))
  }
}
