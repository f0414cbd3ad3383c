import JSON
import Engine
import Language
import Reactive
import Store

// The stored form of the state that machines keep per key.

extension Pending: Storable, JSONConvertible, StorableValue where Element == Event {
  @usableFromInline package init?(jsonValue value: Value) {
    guard let since = value.time("since"), let latest = value.time("latest"),
      let element = Event(member: value.member("event"))
    else { return nil }
    self.init(element: element, since: since, latest: latest)
  }

  @usableFromInline package var jsonValue: Value {
    .record([
      ("since", since.jsonValue), ("latest", latest.jsonValue), ("event", element.jsonValue),
    ])
  }
}

extension Waiting: Storable, JSONConvertible, StorableValue where Element == Event {
  @usableFromInline package init?(jsonValue value: Value) {
    guard let event = Event(jsonValue: value) else { return nil }
    // Lines that need no time were once stored without.
    self.init(element: event, since: value.time("since") ?? Instant())
  }

  @usableFromInline package var jsonValue: Value {
    var value = element.jsonValue
    value.setMember("since", since.jsonValue)
    return value
  }
}

extension OpenPeriod: Storable, JSONConvertible, StorableValue where Element == Event {
  @usableFromInline package init?(jsonValue value: Value) {
    guard let end = value.time("end") else { return nil }
    self.init(end: end, held: Event(member: value.member("held")))
  }

  @usableFromInline package var jsonValue: Value {
    .record([("end", end.jsonValue)] + (held.map { [("held", $0.jsonValue)] } ?? []))
  }
}

extension Silence: Storable, StorableValue {
  @usableFromInline package init?(jsonValue value: Value) {
    guard let isSilent = value.member("silent")?.isTruthy else { return nil }
    let age = value.member("age")?.double.map { Duration.seconds($0) }
    self.init(since: isSilent || age != nil ? value.time("last") : nil, age: age)
  }

  @usableFromInline package var jsonValue: Value {
    .record(
      [("silent", .bool(since != nil && age == nil)), ("last", since.jsonValue)]
        + (age.map { [("age", .number($0.inSeconds))] } ?? []))
  }
}

extension Latest: Storable, JSONConvertible, StorableValue, JSONRecord where Element == Value {
  static var form: RecordForm<Self> { latestForm }
}
private let latestForm = RecordForm<Latest<Value>>(
  Latest.init(element:at:), Field("value", \.element), Field("at", \.at))

extension Reminder: Storable, JSONConvertible, StorableValue, JSONRecord where Element == Event {
  static var form: RecordForm<Self> { reminderForm }
}
private let reminderForm = RecordForm<Reminder<Event>>(
  Reminder.init(at:element:next:told:), Field("at", \.at), Field("event", \.element), Field("next", \.next),
  Field("told", \.told))

extension WindowBuffer: Storable, JSONConvertible, StorableValue where Element == Event {
  init?(jsonValue value: Value) {
    guard let end = value.time("end"),
      let first = Int(member: value.member("first")),
      let items = value.member("events")?.items
    else { return nil }
    let entries = items.compactMap { item in
      item.time("time").flatMap { at in Event(jsonValue: item).map { (time: at, element: $0) } }
    }
    guard entries.count == items.count else { return nil }
    self.init(entries: entries[...], end: end, first: first)
  }

  var jsonValue: Value {
    let events = entries.map { entry in
      var event = entry.element.jsonValue
      event.setMember("time", entry.time.jsonValue)
      return event
    }
    return .record([("end", end.jsonValue), ("first", .number(first)), ("events", .array(events))])
  }
}

extension Value {
  func time(_ member: Key) -> Instant? { Instant(member: self.member(member)) }
}

extension AlarmRow.Phase: JSONConvertible {}

extension AlarmRow: StorableValue, JSONRecord {
  static let form = RecordForm<Self>(
    {
      AlarmRow(
        phase: $0, since: $1, due: $2, polls: $3, downtime: $4, nextRepeat: $5, heard: $6, missingAt: $7,
        isMissing: $8, latest: $9)
    },
    Field("phase", \.phase), Field("since", \.since), Field("due", \.due),
    Field("polls", \.polls, unless: 0), Field("downtime", \.downtime, unless: 0),
    Field("repeat", \.nextRepeat),
    Field("heard", \.heard), Field("missing_at", \.missingAt), Field("missing", \.isMissing, unless: false),
    Field("event", \.latest))
}
