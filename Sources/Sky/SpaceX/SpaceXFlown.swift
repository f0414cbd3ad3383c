// What has been flown: cores, launch pads and landing places with their counts.

import JSON

/// Counts what the flights so far have done.
struct SpaceXFlown {
  let news: [SpaceXNews]
  let history: SpaceXHistory
  let writer: SpaceXLaunch

  /// For each rocket, how many flights went well, of how many.
  var successes: [(good: Int, all: Int)] {
    SpaceXFlight.Rocket.allCases.map { rocket in
      let told = news.filter { $0.flight.rocket == rocket && $0.isTold }
      return (told.count { $0.flight.success == true }, told.count { $0.flight.success != nil })
    }
  }

  var cores: [Value] {
    history.boosters.indices.compactMap { index in
      let booster = history.boosters[index]
      let uses = booster.flights.filter { news[$0].knowsCores }.flatMap { number in
        news[number].flight.cores.filter { $0.core == index }.map { (news[number], $0) }
      }
      guard !uses.isEmpty else { return nil }
      let flights = uses.filter { $0.0.isPast }
      func count(_ kind: SpaceXFlight.Landing, landed: Bool = false) -> Value {
        .number(flights.count { $0.1.landing == kind && (!landed || $0.1.hasLanded == true) })
      }
      var random = SkyRandom(writer.seed, "core", index)
      let update = random.happens(0.7) ? flights.last.map { Self.update($0.1, in: $0.0.flight) } : nil
      return .record([
        "block": .count(booster.block), "reuse_count": .number(max(0, flights.count - 1)),
        "rtls_attempts": count(.land), "rtls_landings": count(.land, landed: true),
        "asds_attempts": count(.ship),
        "asds_landings": count(.ship, landed: true), "last_update": .text(update),
        "launches": .array(uses.map { .string(writer.launchID($0.0.flight)) }),
        "serial": .string(booster.serial),
        "status": .string(status(flights.last)), "id": writer.id("core", index),
      ])
    }
  }

  private func status(_ last: (SpaceXNews, SpaceXFlight.Core)?) -> String {
    guard let (news, core) = last else { return "active" }
    guard news.isTold else { return "unknown" }
    if core.landing == nil { return news.flight.success == false ? "lost" : "expended" }
    if core.hasLanded == nil { return "unknown" }
    if core.hasLanded == false || core.landing == .ocean { return "lost" }
    return news.flight.date < news.now + -500 * 86400 ? "inactive" : "active"
  }

  private static func update(_ core: SpaceXFlight.Core, in flight: SpaceXFlight) -> String {
    switch (core.landing, core.hasLanded) {
    case (.ship, true): "Landed on a ship after \(flight.name)"
    case (.land, true): "Landed at the launch site after \(flight.name)"
    case (.ocean, _): "Made for the water after \(flight.name)"
    case (nil, _): "Expended on \(flight.name)"
    case (_, false): "Lost when it was to land after \(flight.name)"
    default: "Flew \(flight.name)"
    }
  }

  var launchpads: [Value] {
    SpaceXPads.launchpads.enumerated().map { number, pad in
      let here = news.filter { $0.flight.launchpad == number && $0.isPast }
      let rockets = Set(here.map(\.flight.rocket.rawValue)).sorted()
      return .record([
        "images": .record([
          "large": .array([.string("\(writer.origin)/pictures/photos/launchpad-\(number).png")])
        ]),
        "name": .string(pad.name), "full_name": .string(pad.full), "locality": .string(pad.locality),
        "region": .string(pad.region), "latitude": .number(pad.latitude), "longitude": .number(pad.longitude),
        "launch_attempts": .number(here.count),
        "launch_successes": .number(here.count { $0.isTold && $0.flight.success == true }),
        "rockets": .array(rockets.map { writer.id("rocket", $0) }), "timezone": .string(pad.zone),
        "launches": .array(here.map { .string(writer.launchID($0.flight)) }), "status": .string(pad.status),
        "details": .string("\(pad.full), near \(pad.locality), \(pad.region)."),
        "id": writer.id("launchpad", number),
      ])
    }
  }

  var landpads: [Value] {
    SpaceXPads.landpads.enumerated().map { number, pad in
      let here = news.filter { $0.isPast }.flatMap { news in
        news.flight.cores.filter { $0.landpad == number }.map { (news, $0) }
      }
      return .record([
        "images": .record([
          "large": .array([.string("\(writer.origin)/pictures/photos/landpad-\(number).png")])
        ]),
        "name": .string(pad.name), "full_name": .string(pad.full), "status": .string(pad.status),
        "type": .text(pad.type), "locality": .string(pad.locality), "region": .string(pad.region),
        "latitude": .number(pad.latitude), "longitude": .number(pad.longitude),
        "landing_attempts": .number(here.count),
        "landing_successes": .number(here.count { $0.1.hasLanded == true }),
        "wikipedia": .null, "details": .string("\(pad.full), where first stages come down."),
        "launches": .array(here.map { .string(writer.launchID($0.0.flight)) }),
        "id": writer.id("landpad", number),
      ])
    }
  }
}
