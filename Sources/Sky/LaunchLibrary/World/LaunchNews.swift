// Changes to a launch beside its dates and statuses.

/// Changes beside dates and statuses: forecasts, videos, another name, another pad.
enum LaunchNews {
  typealias News = (at: Int, edit: LaunchEdit)

  static func of(
    _ plan: LaunchPlan, _ dates: LaunchDates, _ statuses: LaunchStatuses, _ random: inout SkyRandom
  ) -> [News] {
    forecasts(plan, &random) + shows(plan, dates, statuses, &random) + corrections(plan, &random)
      + failure(statuses)
  }

  private static func forecasts(_ plan: LaunchPlan, _ random: inout SkyRandom) -> [News] {
    guard plan.pad.location.hasForecasts, random.happens(0.6) else { return [] }
    let hours =
      random.pick([(50, 8.0...25.0), (50, 25.0...57.0)]).map { Double.random(in: $0, using: &random) } ?? 25
    var at = plan.flight - Int(hours * 3600)
    var news: [News] = []
    var last = 0
    for _ in 0...Int.random(in: 1...3, using: &random) {
      let percent = random.pick([(4, 90), (3, 95), (2, 85), (1, 99), (2, 80), (1, 60), (1, 40)]) ?? 90
      if percent != last { news.append((at, .probability(percent))) }
      if percent < 90, random.happens(0.4) { news.append((at, .weather("Cumulus clouds, strong winds."))) }
      last = percent
      at += (plan.flight - at) / 2 - 60
      if at > plan.flight - 3600 { break }
    }
    return news
  }

  private static func shows(
    _ plan: LaunchPlan, _ dates: LaunchDates, _ statuses: LaunchStatuses, _ random: inout SkyRandom
  ) -> [News] {
    var news: [News] = []
    if random.happens(0.8) { news.append((statuses.firstGo, .officialPage)) }
    let hasRestream = random.happens(0.6)
    if hasRestream {
      news.append((plan.flight - Int.random(in: 600...5400, using: &random), .video(.restream)))
    }
    if plan.provider.hasWebcasts, random.happens(0.9) {
      news.append((plan.flight - Int.random(in: 86400...3 * 86400, using: &random), .video(.official)))
    } else if !hasRestream {
      return news
    }
    news.append((plan.flight - Int.random(in: 300...1500, using: &random), .webcast(isLive: true)))
    news.append((dates.liftoff + Int.random(in: 2400...5400, using: &random), .webcast(isLive: false)))
    return news
  }

  private static func corrections(_ plan: LaunchPlan, _ random: inout SkyRandom) -> [News] {
    var news: [News] = []
    func moment(_ random: inout SkyRandom) -> Int {
      let latest = plan.flight - 2 * 86400
      return latest
        - Int(Double(max(0, latest - plan.announced)) * Double.random(in: 0..<0.9, using: &random))
    }
    if !plan.isPadKnown {
      news.append((moment(&random), .pad(plan.pad)))
    } else if random.happens(0.03), let other = plan.provider.pads.first(where: { $0.id != plan.pad.id }) {
      news.append((moment(&random), .pad(other)))
    }
    if random.happens(0.01), let other = plan.provider.rockets.first(where: { $0.id != plan.rocket.id }) {
      news.append((moment(&random), .rocket(other)))
    } else if random.happens(0.09) {
      let rocket = plan.rocket.fullName
      let number = Int.random(in: 2...6, using: &random)
      let name =
        plan.rocket.variant.isEmpty
        ? "\(rocket) C\(number) | \(plan.mission.name)"
        : "\(rocket) | \(plan.mission.name) & \(number) others"
      news.append((moment(&random), .name(name)))
    }
    if random.happens(0.13) {
      news.append((moment(&random), .picture(Int.random(in: 1...4, using: &random))))
    }
    return news
  }

  private static func failure(_ statuses: LaunchStatuses) -> [News] {
    guard let last = statuses.steps.last, last.status == .failure else { return [] }
    return [(last.at, .failReason("The second stage lost thrust."))]
  }
}
