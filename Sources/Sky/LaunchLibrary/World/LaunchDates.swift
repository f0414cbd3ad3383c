// The dates of a launch, by the distribution that was measured in a real feed.

import Glibc
import System

/// The dates of a launch from its announcement to its flight.
///
/// They are made backwards from the flight, so that launches fly at an even pace however often they slip: first the moves
/// of an exact date, as measured in a real feed, then the coarse dates before.
struct LaunchDates {
  struct Step: Equatable {
    let at: Int
    let net: Int
    let precision: NetPrecision
  }

  /// In order of time; the first may be before the announcement.
  private(set) var steps: [Step] = []
  /// The lift-off, to the second.
  let liftoff: Int
  /// Whether the date is set to the second of the lift-off after the flight.
  let isTweaked: Bool

  init(_ plan: LaunchPlan, _ random: inout SkyRandom) {
    let count = Self.moves(&random)
    isTweaked = count > 0 && random.happens(0.87)
    var slips = (0..<(isTweaked ? count - 1 : count)).map { _ in Self.slip(&random) }
    var hours = slips.map { _ in Self.hoursBefore(&random) }
    // Larger slips mostly happen earlier.
    slips.sort { abs($0) < abs($1) }
    for index in slips.indices.dropLast() where random.happens(0.3) { slips.swapAt(index, index + 1) }
    hours.sort()
    let seconds = slips.count { abs($0) < 60 }
    let flight = plan.flight + (seconds > 0 ? Int.random(in: 1...59, using: &random) : 0)
    liftoff =
      isTweaked
      ? flight
        + (random.happens(0.45)
          ? Int.random(in: 1...59, using: &random) : Int.random(in: 60...300, using: &random))
      : flight
    let first = addMoves(zip(slips, hours), to: flight, seconds, &random)
    addCoarse(before: first.at, net: first.net, announced: plan.announced, &random)
    steps.sort { $0.at < $1.at }
    // A date that is equal to the one before is no change.
    for index in steps.indices.dropFirst().reversed()
    where steps[index].net == steps[index - 1].net && steps[index].precision == steps[index - 1].precision {
      steps.remove(at: index)
    }
  }

  // MARK: - Exact times

  /// How often an exact date moves, the correction at lift-off included.
  private static func moves(_ random: inout SkyRandom) -> Int {
    Int.random(
      in: random.pick([(25, 0...0), (38, 1...3), (24, 4...7), (11, 8...15)]) ?? 0...0, using: &random)
  }

  /// A slip in seconds, mostly later; corrections at lift-off are not included.
  private static func slip(_ random: inout SkyRandom) -> Int {
    let day = 86400
    let size = random.pick(
      [
        (4, 1...59), (8, 60...599), (50, 600...3599), (114, 3600...day - 60), (15, day...day),
        (35, day + 60...7 * day), (28, 7 * day...31 * day), (10, 31 * day...60 * day),
      ] as [(Double, ClosedRange<Int>)])
    // Within a range, sizes are distributed logarithmically.
    let range = size ?? 3600...3600
    let growth = pow(
      Double(range.upperBound) / Double(range.lowerBound), Double.random(in: 0..<1, using: &random))
    var seconds = Int(Double(range.lowerBound) * growth)
    if seconds >= 60 { seconds = seconds / 60 * 60 }
    return random.happens(0.22) ? -seconds : seconds
  }

  /// Hours from a move to the date: half of the moves are within the last two days.
  private static func hoursBefore(_ random: inout SkyRandom) -> Double {
    let range = random.pick([(10, 0.3...0.8), (40, 0.8...45), (40, 45...450), (10, 450...900)]) ?? 1...1
    return Double.random(in: range, using: &random)
  }

  /// Adds the moves, from the last to the first; returns the first exact date and when it was set.
  private mutating func addMoves(
    _ moves: Zip2Sequence<[Int], [Double]>, to flight: Int, _ seconds: Int, _ random: inout SkyRandom
  ) -> (net: Int, at: Int) {
    var net = flight
    var next = flight - 300
    var secondsLeft = seconds
    for (slip, hours) in moves {
      var old = net - slip
      if abs(slip) < 60 {
        secondsLeft -= 1
        // The first date with seconds replaces one without.
        if secondsLeft == 0 { old = net / 60 * 60 } else if old % 60 == 0 { old -= 1 }
      }
      let at = min(
        old - Int(hours * 3600), net - 600, next - Int.random(in: 180...1200, using: &random))
      steps.append(Step(at: at, net: net, precision: Self.precision(net)))
      (net, next) = (old, at)
    }
    let days = Double.random(in: 6...30, using: &random)
    let at = min(next - 3600, net - Int(days * 86400))
    let precision = Self.precision(net)
    steps.append(
      Step(at: at, net: net, precision: precision == .minute && random.happens(0.2) ? .hour : precision))
    return (net, at)
  }

  private static func precision(_ net: Int) -> NetPrecision { net % 60 == 0 ? .minute : .second }

  // MARK: - Coarse dates

  private mutating func addCoarse(before end: Int, net: Int, announced: Int, _ random: inout SkyRandom) {
    var end = end
    let stages: [(grain: Grain, days: ClosedRange<Int>, slips: ClosedRange<Int>)] = [
      (.day, 10...50, 0...20), (.month, 30...120, 0...90), (.quarter, 60...200, 0...180),
    ]
    for (number, stage) in stages.enumerated() where end > announced {
      if number > 0, random.happens(0.2) { continue }
      let begin =
        end - Int.random(in: stage.days, using: &random) * 86400 - Int.random(in: 0..<86400, using: &random)
      add(stage.grain, from: begin, to: end, net: net, slips: stage.slips, &random)
      end = begin
    }
    while end > announced {
      let begin =
        end - Int.random(in: 200...500, using: &random) * 86400 - Int.random(in: 0..<86400, using: &random)
      add(random.happens(0.2) ? .half : .year, from: begin, to: end, net: net, slips: 0...400, &random)
      end = begin
    }
  }

  private enum Grain { case day, month, quarter, half, year }

  /// Adds a coarse date, which does not lie before the moment at which it is replaced.
  private mutating func add(
    _ grain: Grain, from begin: Int, to end: Int, net: Int, slips: ClosedRange<Int>, _ random: inout SkyRandom
  ) {
    let slip = random.happens(0.5) ? 0 : Int.random(in: slips, using: &random) * 86400
    let date = max(net - slip, end + 86400)
    let civil = CivilTime(seconds: date)
    let month = civil.month
    func lastDay(ofMonth month: Int) -> Int { (SkyDate(civil.year, month + 1, 1) - 1).start.seconds }
    let (shown, precision): (Int, NetPrecision) =
      switch grain {
      case .day: (date / 86400 * 86400, .day)
      case .month: (lastDay(ofMonth: month), .month)
      case .quarter:
        (
          lastDay(ofMonth: (month + 2) / 3 * 3),
          [.quarter1, .quarter2, .quarter3, .quarter4][(month - 1) / 3]
        )
      case .half: (lastDay(ofMonth: month <= 6 ? 6 : 12), month <= 6 ? .half1 : .half2)
      case .year: (lastDay(ofMonth: 12), .year)
      }
    steps.append(Step(at: begin, net: shown, precision: precision))
  }
}
