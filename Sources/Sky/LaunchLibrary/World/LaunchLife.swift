// The life of one launch, which follows from the seed and its number: what it is, and all changes to it.

/// The fixed facts of a launch: agency, rocket, pad and mission, when it is announced and when it flies.
struct LaunchPlan: Sendable {
  let number: Int
  let id: String
  let provider: LaunchProvider
  let rocket: LaunchRocket
  let pad: LaunchPad
  /// Whether its pad is known when it is announced.
  let isPadKnown: Bool
  let mission: LaunchMission
  /// In seconds since 1970, like all times here.
  let announced: Int
  /// The last date that was set before it flew.
  let flight, windowLength: Int

  init(_ number: Int, of world: LaunchWorld.Setting) {
    var random = SkyRandom(world.seed, "launch", number)
    self.number = number
    id = random.uuid()
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
      series.program?.id == LaunchCatalog.latticeID
      ? "\(series.name) \(Int.random(in: 11...29, using: &random))-\(number + 1000)"
      : "\(series.name) \(number + 1000)"
    return LaunchMission(
      name: name, kind: series.kind,
      description: random.happens(0.2) ? "Details TBD." : series.description,
      orbit: random.happens(0.04) ? nil : series.orbit, program: series.program,
      isKnown: !random.happens(0.02))
  }
}

/// All changes of one launch, in order of time.
struct LaunchLife: Sendable {
  let plan: LaunchPlan
  let changes: [LaunchChange]
  private let first: LaunchState
  /// The index of the first change after its announcement.
  private let firstNews: Int
  /// When it is not in any list, though announced; without an end if it was withdrawn.
  let absence: Range<SkyTime>?

  init(_ number: Int, of world: LaunchWorld.Setting) {
    let plan = LaunchPlan(number, of: world)
    self.plan = plan
    var random = SkyRandom(world.seed, "life", number)
    let dates = LaunchDates(plan, &random)
    let statuses = LaunchStatuses(dates, flight: plan.flight, &random)
    var found: [(at: Int, edit: LaunchEdit)] = []
    // It is announced with the last of the dates before its announcement.
    let firstDate = dates.steps.lastIndex { $0.at <= plan.announced } ?? 0
    for step in dates.steps[firstDate...] {
      found.append((step.at, .net(SkyTime(seconds: step.net), step.precision)))
    }
    found += statuses.steps.map { ($0.at, .status($0.status)) }
    if dates.isTweaked, let seen = statuses.steps.first(where: { $0.at > dates.liftoff }) {
      found.append((seen.at, .net(SkyTime(seconds: dates.liftoff), .second)))
    }
    found += LaunchNews.of(plan, dates, statuses, &random)
    let announced = (plan.announced, LaunchEdit.announced)
    let known = found.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map { (max($0.element.at, plan.announced), $0.element.edit) }
    let changes = ([announced] + known).map { LaunchChange(at: SkyTime(seconds: $0.0), edit: $0.1) }
    self.changes = changes
    // Earlier changes are part of its first state.
    firstNews = changes.firstIndex { $0.at.seconds > plan.announced } ?? changes.endIndex
    var state = LaunchState(plan)
    for change in changes[..<firstNews] { state.apply(change) }
    first = state
    absence = Self.absence(plan, world)
  }

  /// Half of the absences are shorter than the six hours between two polls, the others take some days; all end before the
  /// flight.
  private static func absence(_ plan: LaunchPlan, _ world: LaunchWorld.Setting) -> Range<SkyTime>? {
    var random = SkyRandom(world.seed, "absence", plan.number)
    let isWithdrawn = random.happens(world.withdrawn)
    guard random.happens(world.absent) || isWithdrawn else { return nil }
    let seconds = Int.random(in: random.happens(0.5) ? 600...18_000 : 172_800...432_000, using: &random)
    let begin = plan.announced + 3600
    let end = plan.flight - 3600 - seconds
    guard begin < end else { return nil }
    // Much happens in the last days.
    let isLate = random.happens(0.4)
    let moment = Int.random(in: isLate ? max(begin, end - 5 * 86400)...end : begin...end, using: &random)
    return SkyTime(seconds: moment)..<(isWithdrawn ? .distantFuture : SkyTime(seconds: moment + seconds))
  }

  /// The launch at a moment; nil before it is announced and during an absence.
  func state(at now: SkyTime) -> LaunchState? {
    guard first.lastUpdated <= now, absence?.contains(now) != true else { return nil }
    var state = first
    let end = changes[firstNews...].firstIndex { $0.at > now } ?? changes.endIndex
    for change in changes[firstNews..<end] { state.apply(change) }
    return state
  }
}

extension LaunchState {
  /// A launch before any change.
  init(_ plan: LaunchPlan) {
    let net = SkyTime(seconds: plan.flight)
    let name = "\(plan.rocket.fullName) | \(plan.mission.name)"
    self.init(
      number: plan.number, id: plan.id, slug: Self.slug(name), name: name, provider: plan.provider,
      rocket: plan.rocket, mission: plan.mission,
      pad: plan.isPadKnown ? plan.pad : LaunchCatalog.unknownPad(at: plan.pad.location), net: net,
      precision: .year,
      windowStart: net, windowEnd: net, windowLength: plan.windowLength,
      lastUpdated: SkyTime(seconds: plan.announced))
  }

  /// Lower-case letters, digits and single dashes, at most fifty.
  private static func slug(_ name: String) -> String {
    let words = name.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    return String(words.joined(separator: "-").prefix(50))
  }
}
