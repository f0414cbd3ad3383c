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
  private let services: [any SkyService]
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
        LaunchLibraryService(LaunchWorld(seed: seed, upcoming: upcoming, perWeek: perWeek)),
        SpaceXService(seed: seed, isAlive: true), APODService(seed: seed, badDay: faults.has(.apod)),
        PicturesService(seed: seed),
      ])
  }

  /// A sky of other services; the first that knows a path answers.
  public init(seed: UInt64, faults: SkyFaults, services: [any SkyService]) {
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
    let kinds = FaultDraw(seed: seed, faults: faults).kinds(request, number, at: now)
    if let answer = FaultyAnswer.instead(kinds, request, at: now) { return answer }
    var asked = request
    if kinds.contains(.shift) { asked.shift = number % 2 == 0 ? 1 : -1 }
    var answer = plain(asked, at: now)
    FaultyAnswer.change(&answer, kinds)
    return answer
  }

  private func plain(_ request: SkyRequest, at now: SkyTime) -> SkyAnswer {
    for service in services {
      if let answer = service.answer(request, at: now) { return answer }
    }
    return SkyAnswer(
      status: 404, headers: [("Content-Type", "text/plain; charset=utf-8")],
      body: Array("There is nothing at this path of the simulated sky; what there is stands at /.\n".utf8))
  }

  /// What there is, for somebody who looks in.
  private func index(_ request: SkyRequest, at now: SkyTime) -> SkyAnswer {
    let body = Value.fields([
      "simulated": .bool(true), "about": .string("Nothing here is real: this is flow sky."),
      "seed": .literal("\(seed)") ?? .null, "now": .moment(now),
      "launch_library": .fields([
        "url": .string(request.origin),
        "try": .array(
          LaunchShape.Version.allCases.map {
            .string("\(request.origin)/\($0.rawValue)/\($0.folder)/upcoming/?limit=10")
          }),
      ]),
      "spacex": .fields([
        "url": .string(request.origin), "try": .string("\(request.origin)/v4/launches/latest"),
      ]),
      "apod": .fields([
        "url": .string(request.origin), "try": .string("\(request.origin)/planetary/apod?api_key=DEMO_KEY"),
      ]),
      "faults": .array(SkyFaults.Kind.allCases.filter(faults.has).map { .string($0.rawValue) }),
    ])
    return SkyAnswer(
      headers: [("Content-Type", "application/json")],
      body: Writer(.pretty).bytes(body) + [UInt8(ascii: "\n")])
  }
}
