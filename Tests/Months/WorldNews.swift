// What happens in the list of upcoming launches: the oracle with which tests compare what a pipeline reports.

@testable import Sky

/// An announcement, a slip, a change of status or a withdrawal, with the moment at which the list shows it.
struct WorldNews: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    /// It enters the list, or returns to it after a long absence.
    case announced(net: SkyTime, status: LaunchStatus)
    case slipped(from: SkyTime, to: SkyTime)
    case status(from: LaunchStatus, to: LaunchStatus)
    /// It leaves the list without having flown, for good or for a long absence.
    case withdrawn
    /// It leaves the list a day after its flight.
    case flown
  }

  let at: SkyTime
  /// The id of the launch.
  let id: String
  let kind: Kind
}

extension LaunchWorld {
  /// What happens to the list of upcoming launches after one moment and until another, in order of time.
  ///
  /// It is the complete list of what a reader has to report; all of it follows from the seed, however often it is read.
  ///
  /// - Parameter patience: seconds for which a launch may be absent; a longer absence counts as withdrawn and announced
  func news(after begin: SkyTime, until end: SkyTime, patience: Double = 0) -> [WorldNews] {
    lives(until: end).flatMap { $0.news(after: begin, until: end, patience: patience) }
      .sorted { ($0.at, $0.id) < ($1.at, $1.id) }
  }

  /// When launches are announced and in no list, by id; a withdrawal has no end.
  func absences(until end: SkyTime) -> [String: Range<SkyTime>] {
    lives(until: end).reduce(into: [:]) { absences, life in absences[life.plan.id] = life.absence }
  }
}

extension LaunchLife {
  /// The launch as the list of upcoming launches shows it, but for absences shorter than `patience` seconds: during these
  /// it stays as it was.
  func listed(at now: SkyTime, patience: Double) -> LaunchState? {
    var moment = now
    if let absence, absence.contains(now), absence.upperBound < absence.lowerBound + patience {
      moment = SkyTime(milliseconds: absence.lowerBound.milliseconds - 1)
    }
    return state(at: moment).flatMap { $0.leavesUpcoming > now ? $0 : nil }
  }

  /// The differences between the list before and after each moment at which something happens.
  func news(after begin: SkyTime, until end: SkyTime, patience: Double) -> [WorldNews] {
    guard let first = changes.first, first.at <= end, (changes.last?.at ?? begin) + 3 * 86400 > begin else {
      return []
    }
    var moments = Set(changes.map(\.at))
    for case .net(let net, _) in changes.map(\.edit) { moments.insert(net + 86400) }
    if let absence { moments.formUnion([absence.lowerBound, absence.upperBound]) }
    // A reader who begins during an absence has not seen the launch before.
    let patience = absence?.contains(begin) == true ? 0 : patience
    var old = listed(at: begin, patience: patience)
    var news: [WorldNews] = []
    for moment in moments.sorted() where moment > begin && moment <= end {
      let new = listed(at: moment, patience: patience)
      news += Self.differences(old, new, at: moment).map { WorldNews(at: moment, id: plan.id, kind: $0) }
      old = new
    }
    return news
  }

  private static func differences(_ old: LaunchState?, _ new: LaunchState?, at now: SkyTime)
    -> [WorldNews.Kind]
  {
    guard let old else { return new.map { [.announced(net: $0.net, status: $0.status)] } ?? [] }
    guard let new else { return [old.leavesUpcoming <= now ? .flown : .withdrawn] }
    var kinds: [WorldNews.Kind] = []
    if old.net != new.net { kinds.append(.slipped(from: old.net, to: new.net)) }
    if old.status != new.status { kinds.append(.status(from: old.status, to: new.status)) }
    return kinds
  }
}
