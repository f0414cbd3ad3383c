/// Which faults a request meets: it follows from the seed, from what is asked for and how often it was before, and, for
/// an outage, from the time.
struct FaultDraw {
  /// How long an outage lasts, in milliseconds of the sky's time.
  static let outage: Int64 = 20 * 60 * 1000

  let seed: UInt64
  let faults: SkyFaults

  /// The faults of the nth request for a thing.
  func kinds(_ request: SkyRequest, _ number: Int, at now: SkyTime) -> Set<SkyFaults.Kind> {
    var random = SkyRandom(seed, "fault " + Self.key(request), number)
    var found: Set<SkyFaults.Kind> = []
    for kind in SkyFaults.Kind.allCases {
      // Each is drawn, so that one fault more or less does not change the others.
      let share = Double.random(in: 0..<1, using: &random)
      switch kind {
      case .outage: if isOut(SkyPart(path: request.path), at: now) { found.insert(kind) }
      case .apod: break
      default: if share < faults.rate(kind) { found.insert(kind) }
      }
    }
    return found
  }

  /// By how many rows a list shifts where it does: one comes twice, or one is missed.
  func shift(_ request: SkyRequest, _ number: Int) -> Int {
    var random = SkyRandom(seed, "shift " + Self.key(request), number)
    return random.happens(0.5) ? 1 : -1
  }

  /// What requests have in common that ask for the same.
  static func key(_ request: SkyRequest) -> String {
    request.method + " " + request.path + request.query.map { "&\($0.name)=\($0.value)" }.joined()
  }

  private func isOut(_ part: SkyPart, at now: SkyTime) -> Bool {
    var random = SkyRandom(seed, "outage \(part)", Int(now.milliseconds / Self.outage))
    return random.happens(faults.rate(.outage))
  }
}

/// Whose path it is: the services refuse in different words.
enum SkyPart: Sendable {
  case launchLibrary, spaceX, apod

  init(path: String) {
    self =
      path.hasPrefix("/planetary")
      ? .apod
      : path.hasPrefix("/v4") || path.hasPrefix("/v5") || path.hasPrefix("/latest") ? .spaceX : .launchLibrary
  }
}
