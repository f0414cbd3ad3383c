import Expectations
import Testing

@testable import Sky

@Suite struct LaunchWorldTests {
  /// Six hundred launches that are announced and fly within the life of the world.
  static let world = LaunchWorld(seed: 7)
  static let numbers = 400..<1000
  static let lives = numbers.map { world.changes(of: $0) }

  static func time(_ days: Double) -> SkyTime {
    SkyTime(milliseconds: LaunchWorld.start.milliseconds + Int64(days * 86_400_000))
  }

  /// The dates of a life, in order.
  static func dates(_ life: [LaunchChange]) -> [(at: SkyTime, net: SkyTime, precision: NetPrecision)] {
    life.compactMap { change in
      guard case .net(let net, let precision) = change.edit else { return nil }
      return (change.at, net, precision)
    }
  }

  static func statuses(_ life: [LaunchChange]) -> [(at: SkyTime, status: LaunchStatus)] {
    life.compactMap { change in
      guard case .status(let status) = change.edit else { return nil }
      return (change.at, status)
    }
  }

  static func hours(from one: SkyTime, to other: SkyTime) -> Double {
    Double(other.milliseconds - one.milliseconds) / 3_600_000
  }

  static func median(_ numbers: [Double]) -> Double {
    numbers.sorted().dropFirst(numbers.count / 2).first ?? .nan
  }

  @Test("a world is the same whenever and in whatever order it is looked at; another seed is another world")
  func determinism() {
    let other = LaunchWorld(seed: 7)
    let late = other.upcoming(at: Self.time(400))
    expect(other.upcoming(at: Self.time(3)), equals: Self.world.upcoming(at: Self.time(3)))
    expect(late, equals: Self.world.upcoming(at: Self.time(400)))
    #expect(LaunchWorld(seed: 8).upcoming(at: Self.time(3)) != other.upcoming(at: Self.time(3)))
  }

  @Test("each row of the catalog is read")
  func catalog() {
    let agencies = LaunchCatalog.providers
    #expect(agencies.count == 10 && agencies.map(\.share).reduce(0, +) == 100)
    #expect(agencies.flatMap(\.rockets).count == 14 && agencies.flatMap(\.pads).count == 16)
    expect(agencies.flatMap(\.series).count, equals: 18)
    expect(Set(agencies.flatMap(\.series).compactMap(\.program?.id)), equals: [801, 802])
  }

  @Test("about as many launches are to come as are wanted, years later too", arguments: [12, 60, 350])
  func size(_ wanted: Int) {
    let world = LaunchWorld(seed: 3, upcoming: wanted)
    let counts = [0, 100, 400, 1500].map { world.upcoming(at: Self.time($0)).count }
    #expect(
      counts.allSatisfy { Double($0) > Double(wanted) * 0.6 && Double($0) < Double(wanted) * 1.5 },
      "\(counts)")
  }

  @Test("as many fly in a week as are wanted")
  func pace() {
    let flown = Self.world.launches(at: Self.time(700)).count {
      $0.net > LaunchWorld.start && $0.net <= Self.time(700)
    }
    #expect((450...550).contains(flown))
  }

  @Test("the changes of a launch are in order, and no date is over before it is changed or flown")
  func order() {
    for life in Self.lives {
      expect(life.first?.edit, equals: .announced)
      #expect(zip(life, life.dropFirst()).allSatisfy { $0.at <= $1.at })
      let dates = Self.dates(life)
      for (date, next) in zip(dates, dates.dropFirst()) where next.precision != .second || date.at > date.net
      {
        #expect(Self.hours(from: next.at, to: date.net) > -1)
      }
    }
  }

  @Test("whatever is changed of a launch, its last update is of that moment, and until then it is as it was")
  func updates() throws {
    for (offset, life) in Self.lives.prefix(5).enumerated() {
      let number = Self.numbers.lowerBound + offset
      let end = Self.world.launches(at: Self.time(900)).first { $0.number == number }
      let id = try #require(end?.id)
      func state(_ milliseconds: Int64) -> LaunchState? {
        Self.world.launch(id, at: SkyTime(milliseconds: milliseconds))
      }
      let moments = Set(life.map(\.at)).sorted()
      for (moment, next) in zip(moments, moments.dropFirst()) {
        let now = try #require(state(moment.milliseconds))
        expect(now.lastUpdated, equals: moment)
        expect(state(next.milliseconds - 1), equals: now)
      }
      let last = try #require(state((moments.last?.milliseconds ?? 0) + 1))
      #expect(last.status.isFinal && moments.count > 2)
    }
  }

  @Test("a launch stays among those to come until a day after it flew, and not longer")
  func leaving() throws {
    for life in Self.lives.prefix(20) {
      let announced = try #require(life.first?.at)
      let net = try #require(Self.dates(life).last?.net)
      let number = Self.numbers.lowerBound + (Self.lives.firstIndex(of: life) ?? 0)
      func isListed(_ milliseconds: Int64) -> Bool {
        Self.world.upcoming(at: SkyTime(milliseconds: milliseconds)).contains { $0.number == number }
      }
      #expect(!isListed(announced.milliseconds - 1))
      for part in 0...8 {
        let last = net.milliseconds + 86_400_000 - 1
        #expect(isListed(announced.milliseconds + (last - announced.milliseconds) / 8 * Int64(part)))
      }
      #expect(!isListed(net.milliseconds + 86_400_000))
    }
  }

  @Test("a status changes only into those that were seen to follow it, and ends with the flight")
  func statusMachine() throws {
    let allowed: [LaunchStatus: Set<LaunchStatus>] = [
      .toBeDetermined: [.toBeConfirmed, .go], .toBeConfirmed: [.go, .toBeDetermined],
      .go: [.toBeDetermined, .toBeConfirmed, .hold, .inFlight, .success], .hold: [.go],
      .inFlight: [.success, .failure, .partialFailure, .payloadDeployed], .payloadDeployed: [.success],
    ]
    var seen: [LaunchStatus: Int] = [:]
    for life in Self.lives {
      var status = LaunchStatus.toBeDetermined
      for step in Self.statuses(life) {
        expect(allowed[status]?.contains(step.status), equals: true, "\(status) to \(step.status)")
        status = step.status
        seen[status, default: 0] += 1
      }
      #expect(status.isFinal)
    }
    // Everything happens to some, and most end well.
    for status in LaunchStatus.allCases { #expect(seen[status, default: 0] > 0, "\(status)") }
    #expect(Double(seen[.success, default: 0]) > 0.88 * Double(Self.lives.count))
    #expect((10...120).contains(seen[.hold, default: 0]))
  }

  @Test("dates move as often, as far and when they were measured to")
  func slips() {
    var counts: [Double] = []
    var sizes: [Double] = []
    var before: [Double] = []
    for life in Self.lives {
      let dates = Self.dates(life).filter { $0.precision.rawValue < NetPrecision.day.rawValue }
      counts.append(Double(dates.count - 1))
      for (date, next) in zip(dates, dates.dropFirst()) {
        sizes.append(Self.hours(from: date.net, to: next.net))
        before.append(Self.hours(from: next.at, to: date.net))
      }
    }
    let mean = counts.reduce(0, +) / Double(counts.count)
    #expect((2.6...4.2).contains(mean), "\(mean)")
    #expect((0.15...0.35).contains(Double(counts.count { $0 == 0 }) / Double(counts.count)))
    #expect((counts.max() ?? 0) <= 15)
    let later = sizes.filter { $0 > 0 }
    #expect((0.75...0.93).contains(Double(later.count) / Double(sizes.count)))
    #expect((0.5...6).contains(Self.median(later)), "\(Self.median(later))")
    let nearShare = Double(before.count { $0 < 48 }) / Double(before.count)
    #expect((0.4...0.7).contains(nearShare), "\(nearShare)")
  }

  @Test("a launch is go some days before, flies minutes after its time and ends an hour or so later")
  func timing() throws {
    var goDays: [Double] = []
    var flightMinutes: [Double] = []
    var endMinutes: [Double] = []
    for life in Self.lives {
      let dates = Self.dates(life)
      let statuses = Self.statuses(life)
      let liftoff = try #require(dates.last?.net)
      if let go = statuses.first(where: { $0.status == .go }), go.at > life[0].at,
        let date = dates.last(where: { $0.at <= go.at })
      {
        goDays.append(Self.hours(from: go.at, to: date.net) / 24)
      }
      guard let flight = statuses.first(where: { $0.status == .inFlight }), let end = statuses.last else {
        continue
      }
      flightMinutes.append(Self.hours(from: liftoff, to: flight.at) * 60)
      endMinutes.append(Self.hours(from: flight.at, to: end.at) * 60)
    }
    #expect((5...11).contains(Self.median(goDays)), "\(Self.median(goDays))")
    #expect(flightMinutes.allSatisfy { (2...33).contains($0.rounded()) })
    #expect((7...13).contains(Self.median(flightMinutes)))
    #expect(endMinutes.allSatisfy { (58...420).contains($0) })
    #expect((70...95).contains(Self.median(endMinutes)))
  }

  @Test(
    "a date becomes more exact with time, and a coarse one is the end of its month, quarter, half or year")
  func precision() {
    var kinds: Set<NetPrecision> = []
    for life in Self.lives {
      let dates = Self.dates(life)
      for (date, next) in zip(dates, dates.dropFirst())
      where date.precision.rawValue < NetPrecision.day.rawValue {
        #expect(next.precision.rawValue < NetPrecision.day.rawValue)
      }
      for date in dates {
        kinds.insert(date.precision)
        guard date.precision.rawValue >= NetPrecision.day.rawValue else { continue }
        let seconds = date.net.seconds
        expect(seconds % 86400, equals: 0)
        if date.precision != .day { expect((date.net.date + 1).civil.day, equals: 1) }
        if date.precision == .year { #expect(date.net.iso.hasSuffix("-12-31T00:00:00Z")) }
        if date.precision == .quarter1 { #expect(date.net.iso.hasSuffix("-03-31T00:00:00Z")) }
      }
    }
    expect(kinds, equals: Set(NetPrecision.allCases))
  }

  @Test("videos, chances, names and pads come and change for some")
  func news() {
    func share(_ isIt: (LaunchEdit) -> Bool) -> Double {
      Double(Self.lives.count { life in life.dropFirst().contains { isIt($0.edit) } })
        / Double(Self.lives.count)
    }
    #expect((0.5...0.95).contains(share { $0 == .video(.official) }))
    #expect((0.2...0.7).contains(share { if case .probability = $0 { true } else { false } }))
    #expect((0.04...0.16).contains(share { if case .name = $0 { true } else { false } }))
    #expect((0.05...0.2).contains(share { if case .pad = $0 { true } else { false } }))
    #expect((0.001...0.05).contains(share { if case .rocket = $0 { true } else { false } }))
  }
}
