/// The problems found so far: each once, in the order of the files.
public struct Problems: Sendable, CustomStringConvertible {
  /// How many are kept; the rest are counted.
  public static let limit = 200

  private var known: Set<Problem> = []
  /// How many were found after the limit was reached.
  public private(set) var omitted = 0

  public init() {}

  public var isEmpty: Bool { known.isEmpty }
  public var count: Int { known.count + omitted }

  /// All, sorted by file and place.
  public var sorted: [Problem] { known.sorted() }

  public mutating func report(_ problem: Problem) {
    if known.contains(problem) { return }
    if known.count < Problems.limit { known.insert(problem) } else { omitted += 1 }
  }

  public mutating func report(_ message: String, at place: SourceRange, hint: String? = nil) {
    report(Problem(message, at: place, hint: hint))
  }

  public mutating func add(_ others: Problems) {
    for problem in others.known { report(problem) }
    omitted += others.omitted
  }

  public var description: String { description(masking: Secrets()) }

  public func description(masking secrets: Secrets) -> String {
    var blocks = sorted.map { $0.description(masking: secrets) }
    if omitted > 0 { blocks.append("… and \(omitted) more") }
    return blocks.joined(separator: "\n")
  }
}
