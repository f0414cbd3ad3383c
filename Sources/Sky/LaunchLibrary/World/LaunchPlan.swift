/// What is settled about a launch before anybody knows of it: who flies what, when it is announced and when it flies.
struct LaunchPlan: Sendable {
  let number: Int
  let id: String
  let provider: LaunchProvider
  let rocket: LaunchRocket
  let pad: LaunchPad
  /// Whether its pad is told with its announcement.
  let isPadKnown: Bool
  let mission: LaunchMission
  /// In seconds since 1970, as all times here.
  let announced: Int
  /// The last time that was set before it flew.
  let flight: Int
  let windowLength: Int

  init(_ number: Int, of world: LaunchWorld.Setting) {
    var random = SkyRandom(world.seed, "launch", number)
    self.number = number
    id = Self.uuid(&random)
    let providers = LaunchCatalog.providers
    let provider = random.pick(providers.map { ($0.share, $0) }) ?? providers[0]
    self.provider = provider
    let rockets = provider.rockets.enumerated().map {
      (1 / Double(1 + $0.offset * $0.offset * 6), $0.element)
    }
    rocket = random.pick(rockets) ?? provider.rockets[0]
    let pads = provider.pads.enumerated().map { (1 / Double(1 + $0.offset), $0.element) }
    pad = random.pick(pads) ?? provider.pads[0]
    isPadKnown = !random.happens(0.08)
    mission = Self.mission(of: provider, number, &random)
    let spacing = world.spacing
    let place = (Double(number) + Double.random(in: -1..<1, using: &random)) * spacing
    flight = world.start + Int(place) / 60 * 60
    announced = flight - Int(Self.lead(&random) * world.meanLead)
    windowLength = random.pick([(3, 0), (2, 3600), (2, 7200), (3, 14400), (1, 1500)]) ?? 0
  }

  /// How long before its flight a launch is announced: 1 is the mean, 2.9 the longest.
  static let longestLead = 2.9
  private static func lead(_ random: inout SkyRandom) -> Double {
    let ranges: [(weight: Double, thing: ClosedRange<Double>)] = [
      (25, 0.05...0.4), (49, 0.4...1.2), (26, 1.2...longestLead),
    ]
    return Double.random(in: random.pick(ranges) ?? 1...1, using: &random)
  }

  private static func mission(of provider: LaunchProvider, _ number: Int, _ random: inout SkyRandom)
    -> LaunchMission
  {
    let series = random.pick(provider.series.map { ($0.weight, $0) }) ?? provider.series[0]
    let name =
      series.program?.id == LaunchCatalog.lattice.id
      ? "\(series.name) \(Int.random(in: 11...29, using: &random))-\(number + 1000)"
      : "\(series.name) \(number + 1000)"
    return LaunchMission(
      name: name, kind: series.kind,
      description: random.happens(0.2) ? "Details TBD." : series.description,
      orbit: random.happens(0.04) ? nil : series.orbit, isCrewed: series.isCrewed, program: series.program,
      isKnown: !random.happens(0.02))
  }

  /// Of version 4.
  private static func uuid(_ random: inout SkyRandom) -> String {
    let high = random.next() & 0xffff_ffff_ffff_0fff | 0x4000
    let low = random.next() & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000
    let digits = Array((hexadecimal(high) + hexadecimal(low)).utf8)
    let ends = [0, 8, 12, 16, 20, 32]
    return zip(ends, ends.dropFirst()).map { String(decoding: digits[$0..<$1], as: UTF8.self) }
      .joined(separator: "-")
  }

  private static func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
