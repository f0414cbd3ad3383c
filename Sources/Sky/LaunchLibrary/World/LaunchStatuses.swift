// The statuses of a launch along its dates.

/// The statuses of a launch from “to be determined” to its end, along its dates.
struct LaunchStatuses {
  struct Step {
    let at: Int
    let status: LaunchStatus
  }

  private(set) var steps: [Step] = []
  /// The time of its first status Go.
  private(set) var firstGo = 0

  init(_ dates: LaunchDates, flight: Int, _ random: inout SkyRandom) {
    let days =
      random.pick([(50, 4.0...8.0), (50, 8.0...20.0)]).map { Double.random(in: $0, using: &random) } ?? 8
    firstGo = Self.moment(days, before: dates.steps, latest: flight - 7200)
    if random.happens(0.4) {
      let confirmed = firstGo - Int.random(in: 2 * 86400...20 * 86400, using: &random)
      steps.append(Step(at: confirmed, status: .toBeConfirmed))
      if random.happens(0.16) {
        steps.append(Step(at: (confirmed + firstGo) / 2, status: .toBeDetermined))
      }
    }
    steps.append(Step(at: firstGo, status: .go))
    addSetbacks(dates.steps, flight, &random)
    addFlight(dates, &random)
  }

  /// `days` before the date that is current then.
  private static func moment(_ days: Double, before dates: [LaunchDates.Step], latest: Int) -> Int {
    for (number, step) in dates.enumerated() where step.precision.rawValue < NetPrecision.day.rawValue {
      let end = number + 1 < dates.count ? dates[number + 1].at - 60 : latest
      let at = max(step.at + 60, step.net - Int(days * 86400))
      if at < end { return min(at, latest) }
    }
    return latest
  }

  /// Adds the statuses of a launch that slips after its status was Go.
  private mutating func addSetbacks(_ dates: [LaunchDates.Step], _ flight: Int, _ random: inout SkyRandom) {
    var isGoFrom = firstGo
    for (number, step) in dates.enumerated().dropFirst() where step.at > isGoFrom + 3600 {
      let old = dates[number - 1]
      let end = number + 1 < dates.count ? min(dates[number + 1].at, flight - 7200) : flight - 7200
      if step.net - old.net >= 20 * 3600, end - step.at > 3 * 3600, random.happens(0.55) {
        let isConfirmed = random.happens(0.4)
        steps.append(Step(at: step.at, status: isConfirmed ? .toBeConfirmed : .toBeDetermined))
        isGoFrom = step.at + Int(Double(end - step.at) * Double.random(in: 0.3...0.9, using: &random))
        if !isConfirmed, random.happens(0.5) {
          steps.append(Step(at: (step.at + isGoFrom) / 2, status: .toBeConfirmed))
        }
        steps.append(Step(at: isGoFrom, status: .go))
      } else if old.net - step.at < 4 * 3600, step.net > old.net, step.net - old.net < 86400,
        random.happens(0.25)
      {
        steps.append(Step(at: step.at - Int.random(in: 300...2400, using: &random), status: .hold))
        steps.append(Step(at: step.at, status: .go))
        isGoFrom = step.at
      }
    }
  }

  private mutating func addFlight(_ dates: LaunchDates, _ random: inout SkyRandom) {
    let outcome =
      random.pick([(95, .success), (3.5, .failure), (1.5, .partialFailure)] as [(Double, LaunchStatus)])
      ?? .success
    let minutes = random.pick([(50, 59.0...81), (45, 81.0...200), (5, 200.0...419)]).map {
      Double.random(in: $0, using: &random)
    }
    let isSeen = dates.liftoff + Int(60 * Self.delay(&random))
    let end = isSeen + Int(60 * (minutes ?? 81))
    // Rarely the status In Flight is missing.
    if outcome == .success, random.happens(0.015) {
      steps.append(Step(at: end, status: outcome))
      return
    }
    steps.append(Step(at: isSeen, status: .inFlight))
    if outcome == .success, random.happens(0.15) {
      steps.append(Step(at: (isSeen + end) / 2, status: .payloadDeployed))
    }
    steps.append(Step(at: end, status: outcome))
  }

  /// Minutes from lift-off to the status In Flight.
  private static func delay(_ random: inout SkyRandom) -> Double {
    Double.random(in: random.pick([(50, 2...9), (45, 9...18), (5, 18...33)]) ?? 9...9, using: &random)
  }
}
