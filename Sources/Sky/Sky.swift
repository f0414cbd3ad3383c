import JSON
import Reactive

/// The three services, simulated or recorded, and the files to which their answers link; time is passed in.
///
///     let sky = Sky(seed: 1)
///     sky.answer(SkyRequest(path: "/2.3.0/launches/upcoming/"), at: LaunchWorld.start)
///
/// It needs no server; `SkyServer` puts it behind one.
public final class Sky: Sendable {
  public let seed: UInt64
  public let faults: SkyFaults
  private let services: [SkyEntry]
  private let isRecorded: Bool
  private let counts = Locked<[String: Int]>([:])
  /// The last glitch of each client, and when it ends.
  private let glitches = Locked<[String: (period: Int, end: SkyTime)]>([:])
  /// At this many different requests or clients, the counts begin anew.
  private static let countLimit = 10_000

  /// Launch Library 2, whose version 2.3.0 is alive, SpaceX, which stands still as the real one does, and the picture of
  /// the day.
  ///
  /// - Parameters:
  ///   - upcoming: about how many launches are upcoming at any time
  ///   - perWeek: how many fly in a week
  public convenience init(
    seed: UInt64 = 1, faults: SkyFaults = .usual, upcoming: Int = 350, perWeek: Double = 5
  ) {
    let world = LaunchWorld(
      seed: seed, upcoming: upcoming, perWeek: perWeek, withdrawn: faults.rate(.withdrawn),
      absent: faults.rate(.absent))
    self.init(
      seed: seed, faults: faults,
      services: [
        .launchLibrary(world),
        SkyEntry("spacex", SpaceXService(), paths: ["/v4/launches/latest", "/v4/rockets"]),
        SkyEntry(
          "apod", APODService(seed: seed, badDay: faults.has(.apod)),
          paths: ["/planetary/apod?api_key=DEMO_KEY&count=3"]),
        SkyEntry("pictures", PicturesService(seed: seed), paths: []),
      ])
  }

  /// A sky of the given services; the first that knows a path answers.
  public init(seed: UInt64, faults: SkyFaults = .usual, services: [SkyEntry], isRecorded: Bool = false) {
    (self.seed, self.faults, self.services, self.isRecorded) = (seed, faults, services, isRecorded)
  }

  /// The answer at a moment; 404 if none of the services knows the path.
  public func answer(_ request: SkyRequest, at now: SkyTime) -> SkyAnswer {
    var answer = request.path == "/" ? index(request, at: now) : faulty(request, at: now)
    answer.headers.append(("X-Simulated", "flow sky, seed \(seed)"))
    return answer
  }

  private func faulty(_ request: SkyRequest, at now: SkyTime) -> SkyAnswer {
    if faults.rates.isEmpty { return plain(request, at: now) }
    let key = FaultDraw.key(request)
    let number = counts.withLock { counts in
      if counts.count >= Self.countLimit { counts.removeAll() }
      counts[key, default: 0] += 1
      return counts[key] ?? 1
    }
    let draw = FaultDraw(seed: seed, faults: faults)
    let kinds = draw.kinds(request, number, at: now)
    if let answer = FaultyAnswer.instead(kinds, request, at: now) { return answer }
    var asked = request
    if SkyPart.isLaunchList(request.path) {
      if kinds.contains(.shift) { asked.listFaults.shift = draw.shift(request, number) }
      asked.listFaults.isTwice = kinds.contains(.twice)
      if kinds.contains(.ties) { asked.listFaults.ties = draw.ties(request, number) }
      asked.listFaults.glitch = glitch(of: request.client, draw, at: now)
    }
    var answer = plain(asked, at: now)
    FaultyAnswer.change(&answer, kinds)
    return answer
  }

  /// The glitch that a client meets, from its first request after the onset for the length of one poll.
  private func glitch(of client: String, _ draw: FaultDraw, at now: SkyTime) -> SkyFaults.Kind? {
    guard let glitch = draw.glitch(at: now), now >= glitch.onset else { return nil }
    let end = glitches.withLock { glitches in
      if let last = glitches[client], last.period == glitch.period { return last.end }
      if glitches.count >= Self.countLimit { glitches.removeAll() }
      glitches[client] = (glitch.period, now + FaultDraw.glitch)
      return now + FaultDraw.glitch
    }
    return now < end ? glitch.kind : nil
  }

  private func plain(_ request: SkyRequest, at now: SkyTime) -> SkyAnswer {
    for entry in services {
      if let answer = entry.service.answer(request, at: now) { return answer }
    }
    return SkyAnswer(
      status: 404, headers: [("Content-Type", "text/plain; charset=utf-8")],
      body: Array(
        "There is nothing at this path of \(isRecorded ? "this recording" : "the simulated sky"); / lists its services.\n"
          .utf8))
  }

  /// The list of the services.
  private func index(_ request: SkyRequest, at now: SkyTime) -> SkyAnswer {
    let body = Value.record([
      "simulated": true,
      "about": .string(
        isRecorded ? "This was recorded: this is flow sky." : "Nothing here is real: this is flow sky."),
      "seed": .literal("\(seed)") ?? .null, "now": .moment(now),
      "services": .array(
        services.map { entry in
          .record([
            "name": .string(entry.name), "url": .string(request.origin),
            "try": .array(entry.paths.map { .string(request.origin + $0) }),
          ])
        }), "faults": .array(SkyFaults.Kind.allCases.filter(faults.has).map { .string($0.rawValue) }),
    ])
    return SkyAnswer(
      headers: [("Content-Type", "application/json")],
      body: Writer(.pretty).bytes(body) + [UInt8(ascii: "\n")])
  }
}

/// A service of a sky, and its row in the list at `/`.
public struct SkyEntry: Sendable {
  /// The name of the source that reads it.
  public let name: String
  public let service: any SkyService
  /// Some paths to try.
  public let paths: [String]

  public init(_ name: String, _ service: any SkyService, paths: [String]) {
    (self.name, self.service, self.paths) = (name, service, paths)
  }

  /// Launch Library 2 over a world of launches.
  public static func launchLibrary(_ world: LaunchWorld) -> SkyEntry {
    SkyEntry(
      "launch_library", LaunchLibraryService(world),
      paths: LaunchLibraryService.folders.sorted { $0.key > $1.key }.map {
        "/\($0.key)/\($0.value)/upcoming/?limit=10"
      }
    )
  }
}
