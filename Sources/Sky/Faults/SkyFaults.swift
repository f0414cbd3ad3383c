/// What goes wrong in the sky, and how often.
///
///     try SkyFaults("429=0.1,5xx,html=0.02")   // a bare name has the rate that is usual for it
///     try SkyFaults("all")                     // each by its usual rate
public struct SkyFaults: Sendable, Equatable {
  /// A kind of fault, by the name it is asked for.
  public enum Kind: String, CaseIterable, Sendable {
    /// Too many requests, though there were few.
    case tooMany = "429"
    /// The service is out of order for a while of its own time.
    case outage = "5xx"
    /// A page for people where JSON was to be.
    case html
    /// The answer ends before its end.
    case truncate
    /// The answer comes slowly.
    case drip
    /// The connection is lost.
    case reset
    /// JSON that is called something else.
    case type
    /// Rows move from one page to another while pages are read.
    case shift
    /// One day of pictures on which the service fails, and with it each range that has the day in it.
    case apod

    /// What is asked for by name alone.
    public var usualRate: Double {
      switch self {
      case .tooMany: 0.05
      case .outage: 0.05
      case .html, .truncate, .reset, .type: 0.02
      case .drip: 0.05
      case .shift: 0.2
      case .apod: 1
      }
    }

    /// What it does, in a few words.
    public var summary: String {
      switch self {
      case .tooMany: "too many requests"
      case .outage: "bursts of server errors"
      case .html: "an HTML page instead of JSON"
      case .truncate: "a body cut short"
      case .drip: "a slow answer"
      case .reset: "a lost connection"
      case .type: "a wrong content type"
      case .shift: "rows that move between pages"
      case .apod: "a day of pictures that fails"
      }
    }
  }

  /// Why a list of faults makes no sense: a sentence without a full stop.
  public struct Wrong: Error, Equatable {
    public let message: String
    /// The name that nobody knows, where that is what is wrong.
    public var unknown: String?
  }

  public private(set) var rates: [Kind: Double] = [:]

  /// A sky in which all is well.
  public static let none = SkyFaults()

  private init() {}

  /// Names with commas between them, each with `=` and a share from 0 to 1 or without; `all`, `none`.
  public init(_ text: String) throws(Wrong) {
    for part in text.split(separator: ",") {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = halves[0].filter { $0 != " " }
      var rate: Double?
      if halves.count == 2 {
        guard let share = Double(halves[1].filter { $0 != " " }), (0...1).contains(share) else {
          throw Wrong(message: "a rate is a number from 0 to 1, which “\(halves[1])” is not, as in “429=0.1”")
        }
        rate = share
      }
      switch name {
      case "none": rates = [:]
      case "all": for kind in Kind.allCases { rates[kind] = rate ?? kind.usualRate }
      default:
        guard let kind = Kind(rawValue: name) else {
          throw Wrong(message: "there is no fault “\(name)”; there are \(Self.names)", unknown: name)
        }
        rates[kind] = rate ?? kind.usualRate
      }
    }
  }

  private static var names: String {
    Kind.allCases.map(\.rawValue).joined(separator: ", ") + ", all and none"
  }

  /// Whether a fault is to be had at all.
  public func has(_ kind: Kind) -> Bool { rate(kind) > 0 }

  func rate(_ kind: Kind) -> Double { rates[kind] ?? 0 }
}
