/// A pipeline that is killed over and over, something that feeds it, and what must be left of it at the end.
protocol Scenario: AnyObject {
  var place: Place { get }
  /// The last poll, where the pipeline has a var of that name, once the end is prepared.
  var last: Int? { get }
  /// The command-line arguments besides the file `p.yaml`.
  var options: [String] { get }
  /// The files that are followed.
  var logs: [String] { get }
  /// Feeds it, every millisecond or so of a life, and, without one, now and then between two.
  func tend(_ life: Life?) throws
  /// After a life, which may have ended by itself.
  func mourn(_ end: Life.End, wasStopped: Bool)
  /// Whether there is nothing more for another life to do.
  var isOver: Bool { get }
  /// Whether each life ends when its input ends, as with `--once`.
  var endsByItself: Bool { get }
  /// Whether a life may fail with these last words, and the next does what is left.
  func mayFail(_ lastWords: String) -> Bool
  /// Says how far the last life is to go, which is let come to its end.
  func prepareEnd() throws
  /// Whether the last life has nothing more to do.
  var isSettled: Bool { get }
  /// Compares what was written with the truth.
  func verdict() throws -> Verdict
}

extension Scenario {
  var last: Int? { nil }
  var options: [String] { last.map { ["--set", "last=\($0)"] } ?? [] }
  func tend(_ life: Life?) throws {}
  func mourn(_ end: Life.End, wasStopped: Bool) {}
  var isOver: Bool { false }
  var endsByItself: Bool { false }
  func mayFail(_ lastWords: String) -> Bool { false }
  func prepareEnd() throws {}
}

/// All scenarios, by name.
enum ScenarioKind: String, CaseIterable, Sendable {
  case polls, glitches, rotated, packed, spread, bulk, bulkRotated, bulkSpread, divided, formats, limits
  case faultyPolls, mergedSources, chainedPipelines, scheduledRuns, followedFile, replacedFile, standardInput
  case webhooks, eventStreams, timers, windows, joins, alarms, delayedEvents
  case commands, requests, storedRetries, downloads, calendar, feeds, csvFile, gitCommits, fifo
  case sqliteTable, postgresqlTable, mqttRelay, redisStream

  /// - Parameter isLong: Whether there is time for the whole of it.
  func make(_ place: Place, isLong: Bool) throws -> any Scenario {
    switch self {
    case .polls: try Polls(place)
    case .glitches: try Glitches(place)
    case .rotated: try Polls(place, rotating: "size: 6KiB, keep: 10000")
    case .packed: try Polls(place, rotating: "size: 6KiB, keep: 10000, gzip: true")
    case .spread: try Polls(place, isSpread: true)
    case .commands: try Commands(place)
    case .timers: try Timers(place)
    case .bulk: try FileRun.bulk(place, lines: isLong ? 100_000 : 5000)
    case .bulkRotated: try FileRun.bulk(place, lines: isLong ? 30_000 : 3000, rotates: true)
    case .bulkSpread: try FileRun.bulk(place, lines: isLong ? 30_000 : 3000, isSpread: true)
    case .followedFile: try FollowedFile(place)
    case .standardInput: try StandardInput(place)
    case .requests: try PostedRequests(place)
    case .calendar: try Calendars(place)
    case .downloads: try Downloads(place)
    case .windows: try WindowSteps(place)
    case .limits: try FileRun.limits(place, lines: isLong ? 1500 : 400)
    case .formats: try FileRun.formats(place, lines: isLong ? 12_000 : 1000)
    case .faultyPolls: try FaultyPolls(place)
    case .joins: try JoinSteps(place)
    case .chainedPipelines: try ChainedPipelines(place)
    case .mergedSources: try MergedSources(place)
    case .scheduledRuns: try ScheduledRuns(place)
    case .delayedEvents: try DelayedEvents(place)
    case .replacedFile: try ReplacedFile(place)
    case .fifo: try Fifo(place)
    case .webhooks: try Webhooks(place)
    case .csvFile: try CSVFile(place)
    case .feeds: try Feeds(place)
    case .gitCommits: try GitCommits(place)
    case .storedRetries: try StoredRetries(place)
    case .alarms: try AlarmSteps(place)
    case .sqliteTable: try SQLiteTable(place)
    case .postgresqlTable: try PostgreSQLTable(place)
    case .mqttRelay: try MQTTRelay(place)
    case .redisStream: try RedisStream(place)
    case .eventStreams: try EventStreams(place)
    case .divided: try FileRun.divided(place, lines: isLong ? 60_000 : 5000)
    }
  }
}
