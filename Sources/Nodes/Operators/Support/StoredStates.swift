import JSON
import Engine
import Language
import Reactive
import Store

// The stored form of the state that machines keep per key.

extension Pending: Storable, StorableValue where Element == Event {
  @usableFromInline package init?(storedValue value: Value) {
    guard let since = value.time("since"), let latest = value.time("latest"),
      let element = value.member("event").flatMap({ Event(storedValue: $0) })
    else { return nil }
    self.init(element: element, since: since, latest: latest)
  }

  @usableFromInline package var storedValue: Value {
    .record([
      ("since", since.storedValue), ("latest", latest.storedValue), ("event", element.storedValue),
    ])
  }
}

extension Waiting: Storable, StorableValue where Element == Event {
  @usableFromInline package init?(storedValue value: Value) {
    guard let event = Event(storedValue: value) else { return nil }
    // Lines that need no time were once stored without.
    self.init(element: event, since: value.time("since") ?? Instant())
  }

  @usableFromInline package var storedValue: Value {
    var value = element.storedValue
    value.setMember("since", since.storedValue)
    return value
  }
}

extension OpenPeriod: Storable, StorableValue where Element == Event {
  @usableFromInline package init?(storedValue value: Value) {
    guard let end = value.time("end") else { return nil }
    self.init(end: end, held: value.member("held").flatMap { Event(storedValue: $0) })
  }

  @usableFromInline package var storedValue: Value {
    .record([("end", end.storedValue)] + (held.map { [("held", $0.storedValue)] } ?? []))
  }
}

extension Silence: Storable, StorableValue {
  @usableFromInline package init?(storedValue value: Value) {
    guard let isSilent = value.member("silent")?.isTruthy else { return nil }
    self.init(since: isSilent ? value.time("last") : nil)
  }

  @usableFromInline package var storedValue: Value {
    .record([("silent", .bool(since != nil)), ("last", since?.storedValue ?? .null)])
  }
}

extension Latest: Storable, StorableValue where Element == Value {
  init?(storedValue value: Value) {
    guard let at = value.time("at"), let element = value.member("value") else { return nil }
    self.init(element: element, at: at)
  }

  var storedValue: Value { .record([("at", at.storedValue), ("value", element)]) }
}

extension Reminder: Storable, StorableValue where Element == Event {
  init?(storedValue value: Value) {
    guard let at = value.time("at"), let next = value.member("next")?.double.flatMap({ Int(exactly: $0) }),
      let told = value.member("told")?.items,
      let element = value.member("event").flatMap({ Event(storedValue: $0) })
    else { return nil }
    self.init(at: at, element: element, next: next, told: told.map { Instant(storedValue: $0) })
  }

  var storedValue: Value {
    .record([
      ("at", at.storedValue), ("next", .number(next)),
      ("told", .array(told.map { $0?.storedValue ?? .null })),
      ("event", element.storedValue),
    ])
  }
}

extension WindowBuffer: Storable, StorableValue where Element == Event {
  init?(storedValue value: Value) {
    guard let end = value.time("end"),
      let first = value.member("first")?.double.flatMap({ Int(exactly: $0) }),
      let items = value.member("events")?.items
    else { return nil }
    let entries = items.compactMap { item in
      item.time("time").flatMap { at in Event(storedValue: item).map { (time: at, element: $0) } }
    }
    guard entries.count == items.count else { return nil }
    self.init(entries: entries[...], end: end, first: first)
  }

  var storedValue: Value {
    let events = entries.map { entry in
      var event = entry.element.storedValue
      event.setMember("time", entry.time.storedValue)
      return event
    }
    return .record([("end", end.storedValue), ("first", .number(first)), ("events", .array(events))])
  }
}

extension Value {
  func time(_ member: Key) -> Instant? { self.member(member).flatMap { Instant(storedValue: $0) } }
}

extension AlarmRow: Storable, StorableValue where Element == Event {
  init?(storedValue value: Value) {
    guard let phase = value.member("phase")?.string.flatMap(Phase.init), let since = value.time("since"),
      let heard = value.time("heard"), let latest = value.member("event").flatMap({ Event(storedValue: $0) })
    else { return nil }
    self.init(
      phase: phase, since: since, due: value.time("due"), nextRepeat: value.time("repeat"), heard: heard,
      missingAt: value.time("missing_at"), isMissing: value.member("missing")?.isTruthy ?? false,
      latest: latest)
  }

  var storedValue: Value {
    let times = [("due", due), ("repeat", nextRepeat), ("missing_at", missingAt)]
    return .record(
      [
        ("phase", .string(phase.rawValue)), ("since", since.storedValue), ("heard", heard.storedValue),
        ("event", latest.storedValue),
      ] + times.compactMap { name, time in time.map { (name, $0.storedValue) } }
        + (isMissing ? [("missing", .bool(true))] : []))
  }
}
