// The faults of the sky as users name them: --faults 429=0.1,5xx.

/// The faults of a sky and their rates.
///
///     try SkyFaults("429=0.1,5xx,html=0.02")   // a bare name has its default rate
///     try SkyFaults("all")                     // each with its default rate
public struct SkyFaults: Sendable, Equatable {
  /// A kind of fault, with the name that users give.
  public enum Kind: String, CaseIterable, Sendable {
    /// Status 429, below the limit too.
    case tooMany = "429"
    /// Server errors for a while of the sky's time.
    case outage = "5xx"
    /// An HTML page instead of JSON.
    case html
    /// A body that is cut short.
    case truncate
    /// A slow answer.
    case drip
    /// A lost connection.
    case reset
    /// JSON with a wrong content type.
    case type
    /// Rows that move to another page while pages are read.
    case shift
    /// One day a month on which the APOD service fails, and with it each range that contains the day.
    case apod

    /// The rate if none is given.
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

    /// A short description.
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

  /// Why a list of faults is invalid: a sentence without a full stop.
  public struct Wrong: Error, Equatable {
    public let message: String
    /// The unknown name, if that is the reason.
    public var unknown: String?
  }

  public private(set) var rates: [Kind: Double] = [:]

  /// No faults.
  public static let none = SkyFaults()

  private init() {}

  /// Names separated by commas, each with or without `=` and a share from 0 to 1; `all`, `none`.
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

  /// Whether a fault can occur.
  public func has(_ kind: Kind) -> Bool { rate(kind) > 0 }

  func rate(_ kind: Kind) -> Double { rates[kind] ?? 0 }
}
