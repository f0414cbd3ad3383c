import JSON
import Engine
import Language
import Reactive
import Store

// How the state that machines keep per key is stored for the next run.

extension Pending: Storable, Remembered where Element == Event {
  @usableFromInline package init?(remembered value: Value) {
    guard let since = value.time("since"), let latest = value.time("latest"),
      let element = value.member("event").flatMap({ Event(remembered: $0) })
    else { return nil }
    self.init(element: element, since: since, latest: latest)
  }

  @usableFromInline package var remembered: Value {
    .record([
      ("since", since.remembered), ("latest", latest.remembered), ("event", element.remembered),
    ])
  }
}

extension Waiting: Storable, Remembered where Element == Event {
  @usableFromInline package init?(remembered value: Value) {
    guard let event = Event(remembered: value) else { return nil }
    // Lines that need no time were once stored without.
    self.init(element: event, since: value.time("since") ?? Instant())
  }

  @usableFromInline package var remembered: Value {
    var value = element.remembered
    value.setMember("since", since.remembered)
    return value
  }
}

extension OpenPeriod: Storable, Remembered where Element == Event {
  @usableFromInline package init?(remembered value: Value) {
    guard let end = value.time("end") else { return nil }
    self.init(end: end, held: value.member("held").flatMap { Event(remembered: $0) })
  }

  @usableFromInline package var remembered: Value {
    .record([("end", end.remembered)] + (held.map { [("held", $0.remembered)] } ?? []))
  }
}

extension Silence: Storable, Remembered {
  @usableFromInline package init?(remembered value: Value) {
    guard let isSilent = value.member("silent")?.isTruthy else { return nil }
    self.init(since: isSilent ? value.time("last") : nil)
  }

  @usableFromInline package var remembered: Value {
    .record([("silent", .bool(since != nil)), ("last", since?.remembered ?? .null)])
  }
}

extension Latest: Storable, Remembered where Element == Value {
  init?(remembered value: Value) {
    guard let at = value.time("at"), let element = value.member("value") else { return nil }
    self.init(element: element, at: at)
  }

  var remembered: Value { .record([("at", at.remembered), ("value", element)]) }
}

extension Reminder: Storable, Remembered where Element == Event {
  init?(remembered value: Value) {
    guard let at = value.time("at"), let next = value.member("next")?.double.flatMap({ Int(exactly: $0) }),
      let told = value.member("told")?.items,
      let element = value.member("event").flatMap({ Event(remembered: $0) })
    else { return nil }
    self.init(at: at, element: element, next: next, told: told.map { Instant(remembered: $0) })
  }

  var remembered: Value {
    .record([
      ("at", at.remembered), ("next", .number(next)), ("told", .array(told.map { $0?.remembered ?? .null })),
      ("event", element.remembered),
    ])
  }
}

extension WindowBuffer: Storable, Remembered where Element == Event {
  init?(remembered value: Value) {
    guard let end = value.time("end"),
      let first = value.member("first")?.double.flatMap({ Int(exactly: $0) }),
      let items = value.member("events")?.items
    else { return nil }
    let entries = items.compactMap { item in
      item.time("time").flatMap { at in Event(remembered: item).map { (time: at, element: $0) } }
    }
    guard entries.count == items.count else { return nil }
    self.init(entries: entries[...], end: end, first: first)
  }

  var remembered: Value {
    let events = entries.map { entry in
      var event = entry.element.remembered
      event.setMember("time", entry.time.remembered)
      return event
    }
    return .record([("end", end.remembered), ("first", .number(first)), ("events", .array(events))])
  }
}

extension Value {
  func time(_ member: Key) -> Instant? { self.member(member).flatMap { Instant(remembered: $0) } }
}

extension AlarmRow: Storable, Remembered where Element == Event {
  init?(remembered value: Value) {
    guard let phase = value.member("phase")?.string.flatMap(Phase.init), let since = value.time("since"),
      let heard = value.time("heard"), let latest = value.member("event").flatMap({ Event(remembered: $0) })
    else { return nil }
    self.init(
      phase: phase, since: since, due: value.time("due"), nextRepeat: value.time("repeat"), heard: heard,
      missingAt: value.time("missing_at"), isMissing: value.member("missing")?.isTruthy ?? false,
      latest: latest)
  }

  var remembered: Value {
    let times = [("due", due), ("repeat", nextRepeat), ("missing_at", missingAt)]
    return .record(
      [
        ("phase", .string(phase.rawValue)), ("since", since.remembered), ("heard", heard.remembered),
        ("event", latest.remembered),
      ] + times.compactMap { name, time in time.map { (name, $0.remembered) } }
        + (isMissing ? [("missing", .bool(true))] : []))
  }
}
