// The faults of the sky as users name them: --faults 429=0.1,5xx.

/// The faults of a sky and their rates; `ties` is on by default, since the real service is like that.
///
///     try SkyFaults("429=0.1,5xx,html=0.02")   // a bare name has its default rate
///     try SkyFaults("ties=0")                  // not even that
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
    /// Launches with the same date in random order, different for each request, unless `ordering` breaks the tie.
    case ties
    /// For one poll, ten launches of 1957 and 1958 instead of the list.
    case past
    /// For one poll, an empty list.
    case empty
    /// For one poll, only a part of the list, under the count of the whole.
    case partial
    /// Launches that are withdrawn for good; the rate is their share of all launches.
    case withdrawn
    /// Launches that disappear for hours or days and return; the rate is their share of all launches.
    case absent
    /// A page of status 404 instead of the answer.
    case notFound = "404"
    /// The JSON `null` instead of the answer.
    case null
    /// Lost connections for a while of the sky's time.
    case down
    /// Status 429 with a Retry-After of minutes, from a proxy before any service.
    case wait
    /// Status 200 without a body.
    case blank
    /// A page of launches that has one of them again, and another one again with another date.
    case twice

    /// The kinds that need launches or pictures to be simulated: what is recorded stays as it was.
    public static let ofSimulation: [Kind] = [
      .shift, .apod, .ties, .past, .empty, .partial, .withdrawn, .absent, .twice,
    ]

    /// The kinds that replace the list of launches for one poll.
    static let glitches: [Kind] = [.past, .empty, .partial]

    /// The rate if none is given.
    public var usualRate: Double { usual.rate }
    /// A short description.
    public var summary: String { usual.summary }

    private var usual: (rate: Double, summary: String) {
      switch self {
      case .tooMany: (0.05, "too many requests")
      case .outage: (0.05, "bursts of server errors")
      case .html: (0.02, "an HTML page instead of JSON")
      case .truncate: (0.02, "a body cut short")
      case .drip: (0.05, "a slow answer")
      case .reset: (0.02, "a lost connection")
      case .type: (0.02, "a wrong content type")
      case .shift: (0.2, "rows that move between pages")
      case .apod: (1, "a day of pictures that fails")
      case .ties: (1, "launches of the same date in random order")
      case .past: (0.2, "one poll with launches of 1957")
      case .empty: (0.2, "one poll with an empty list")
      case .partial: (0.2, "one poll with a part of the list")
      case .withdrawn: (0.05, "launches that are withdrawn")
      case .absent: (0.1, "launches that disappear and return")
      case .notFound: (0.02, "a page of status 404")
      case .null: (0.02, "null instead of the answer")
      case .down: (0.05, "no connection for minutes")
      case .wait: (0.02, "a request to wait for minutes")
      case .blank: (0.02, "an empty body")
      case .twice: (0.05, "a page with launches twice")
      }
    }
  }

  /// Why a list of faults is invalid: a sentence without a full stop.
  public struct InvalidFault: Error, Equatable {
    public let message: String
    /// The unknown name, if that is the reason.
    public var unknown: String?
  }

  public private(set) var rates: [Kind: Double]

  /// No faults at all.
  public static let none = SkyFaults(rates: [:])
  /// The faults that the real services always have.
  public static let usual = SkyFaults(rates: [.ties: Kind.ties.usualRate])

  private init(rates: [Kind: Double]) { self.rates = rates }

  /// Names separated by commas, each with or without `=` and a share from 0 to 1; `all`, `none`.
  ///
  /// For a recording `all` are those that need no simulation, and others are refused.
  public init(_ text: String, isRecorded: Bool = false) throws(InvalidFault) {
    self = isRecorded ? .none : .usual
    let kinds = Kind.allCases.filter { !isRecorded || !Kind.ofSimulation.contains($0) }
    for part in text.split(separator: ",") {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = halves[0].filter { $0 != " " }
      var rate: Double?
      if halves.count == 2 {
        guard let share = Double(halves[1].filter { $0 != " " }), (0...1).contains(share) else {
          throw InvalidFault(
            message: "a rate is a number from 0 to 1, which “\(halves[1])” is not, as in “429=0.1”")
        }
        rate = share
      }
      switch name {
      case "none": rates = [:]
      case "all": for kind in kinds { rates[kind] = rate ?? kind.usualRate }
      default:
        guard let kind = Kind(rawValue: name) else {
          throw InvalidFault(message: "there is no fault “\(name)”; there are \(Self.names)", unknown: name)
        }
        if !kinds.contains(kind), rate != 0 {
          let names = kinds.map(\.rawValue).joined(separator: ", ")
          throw InvalidFault(
            message: "“\(name)” is of simulated services alone; a recording can have \(names)")
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
