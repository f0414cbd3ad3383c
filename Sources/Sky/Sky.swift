import JSON
import Synchronization

/// The three services as one simulated sky, which lives by the time it is told.
///
///     let sky = Sky(seed: 1)
///     sky.answer(SkyRequest(path: "/2.3.0/launches/upcoming/"), at: LaunchWorld.start)
///
/// No server is needed for it; `SkyServer` puts one in front of it.
public final class Sky: Sendable {
  public let seed: UInt64
  public let faults: SkyFaults
  private let services: [SkyEntry]
  private let counts = Mutex<[String: Int]>([:])
  /// So many different requests are counted by themselves.
  private static let countLimit = 10_000

  /// Launch Library 2, SpaceX (flying on, since the real one has nothing to tell any more), the picture of the day, and
  /// pictures for all of them.
  ///
  /// - Parameters:
  ///   - upcoming: how many launches are to come at any time, more or less
  ///   - perWeek: how many fly in a week
  public convenience init(
    seed: UInt64 = 1, faults: SkyFaults = .none, upcoming: Int = 350, perWeek: Double = 5
  ) {
    self.init(
      seed: seed, faults: faults,
      services: [
        .launchLibrary(LaunchWorld(seed: seed, upcoming: upcoming, perWeek: perWeek)),
        SkyEntry("spacex", SpaceXService(seed: seed, isAlive: true), paths: ["/v4/launches/latest"]),
        SkyEntry(
          "apod", APODService(seed: seed, badDay: faults.has(.apod)),
          paths: ["/planetary/apod?api_key=DEMO_KEY"]),
        SkyEntry("pictures", PicturesService(seed: seed), paths: []),
      ])
  }

  /// A sky of other services; the first that knows a path answers.
  public init(seed: UInt64, faults: SkyFaults = .none, services: [SkyEntry]) {
    (self.seed, self.faults, self.services) = (seed, faults, services)
  }

  /// What the sky says at a moment; 404 where none of its services knows the path.
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
    if kinds.contains(.shift) { asked.shift = draw.shift(request, number) }
    var answer = plain(asked, at: now)
    FaultyAnswer.change(&answer, kinds)
    return answer
  }

  private func plain(_ request: SkyRequest, at now: SkyTime) -> SkyAnswer {
    for entry in services {
      if let answer = entry.service.answer(request, at: now) { return answer }
    }
    return SkyAnswer(
      status: 404, headers: [("Content-Type", "text/plain; charset=utf-8")],
      body: Array("There is nothing at this path of the simulated sky; what there is stands at /.\n".utf8))
  }

  /// What there is, for somebody who looks in.
  private func index(_ request: SkyRequest, at now: SkyTime) -> SkyAnswer {
    let body = Value.record([
      "simulated": .bool(true), "about": .string("Nothing here is real: this is flow sky."),
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
