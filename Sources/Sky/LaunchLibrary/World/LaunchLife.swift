/// All that ever happens to one launch, in order of time.
struct LaunchLife: Sendable {
  let plan: LaunchPlan
  let changes: [LaunchChange]
  private let first: LaunchState
  /// The first change after its announcement.
  private let firstNews: Int

  init(_ number: Int, of world: LaunchWorld.Setting) {
    let plan = LaunchPlan(number, of: world)
    self.plan = plan
    var random = SkyRandom(world.seed, "life", number)
    let dates = LaunchDates(plan, &random)
    let statuses = LaunchStatuses(dates, flight: plan.flight, &random)
    var found: [(at: Int, edit: LaunchEdit)] = []
    // Of the dates before anybody knew of it, the last is the one it is announced with.
    let firstDate = dates.steps.lastIndex { $0.at <= plan.announced } ?? 0
    for step in dates.steps[firstDate...] {
      found.append((step.at, .net(SkyTime(seconds: step.net), step.precision)))
    }
    for step in statuses.steps {
      if step.status == .hold, let reason = statuses.holdReason {
        found.append((step.at, .holdReason(reason)))
      }
      found.append((step.at, .status(step.status)))
    }
    if dates.isTweaked, let seen = statuses.steps.first(where: { $0.at > dates.liftoff }) {
      found.append((seen.at, .net(SkyTime(seconds: dates.liftoff), .second)))
    }
    found += LaunchNews.of(plan, dates, statuses, &random)
    let announced = (plan.announced, LaunchEdit.announced)
    let known = found.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map { (max($0.element.at, plan.announced), $0.element.edit) }
    let changes = ([announced] + known).map { LaunchChange(at: SkyTime(seconds: $0.0), edit: $0.1) }
    self.changes = changes
    // What was before is how it is announced.
    firstNews = changes.firstIndex { $0.at.seconds > plan.announced } ?? changes.endIndex
    var state = LaunchState(plan)
    for change in changes[..<firstNews] { state.apply(change) }
    first = state
  }

  /// How it stands at a moment; nil before it is announced.
  func state(at now: SkyTime) -> LaunchState? {
    guard first.lastUpdated <= now else { return nil }
    var state = first
    let end = changes[firstNews...].firstIndex { $0.at > now } ?? changes.endIndex
    for change in changes[firstNews..<end] { state.apply(change) }
    state.history = [changes[0]] + changes[firstNews..<end]
    return state
  }
}

extension LaunchState {
  /// A launch of which nothing is known but what it is.
  init(_ plan: LaunchPlan) {
    let net = SkyTime(seconds: plan.flight)
    let name = "\(plan.rocket.fullName) | \(plan.mission.name)"
    self.init(
      number: plan.number, id: plan.id, slug: Self.slug(name), name: name, provider: plan.provider,
      rocket: plan.rocket, mission: plan.mission,
      pad: plan.isPadKnown ? plan.pad : LaunchPlaces.unknownPad(at: plan.pad.location), net: net,
      precision: .year,
      windowStart: net, windowEnd: net, windowLength: plan.windowLength,
      lastUpdated: SkyTime(seconds: plan.announced))
  }

  /// Small letters, digits and single dashes, fifty of them at most.
  private static func slug(_ name: String) -> String {
    let words = name.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    return String(words.joined(separator: "-").prefix(50))
  }
}
