import Engine
import JSON
import Language

/// The tolerance of a field: how much its value may differ from the last emitted one without being news.
enum Tolerance: Sendable, Equatable {
  /// Seconds between times: a text in RFC 3339, or a number of seconds since 1970.
  case seconds(Double)
  /// A part of the former value of a number.
  case share(Double)
  /// An amount of a number.
  case amount(Double)

  /// A duration, a percentage or a number; nil for any other text.
  init?(_ text: String) {
    if text.hasSuffix("%") {
      guard let percent = Double(text.dropLast()), percent > 0, percent.isFinite else { return nil }
      self = .share(percent / 100)
    } else if let amount = Double(text) {
      guard amount > 0, amount.isFinite else { return nil }
      self = .amount(amount)
    } else {
      guard let duration = try? DurationText.parse(text), duration > .zero else { return nil }
      self = .seconds(duration / .seconds(1))
    }
  }

  /// Whether the difference is smaller than the tolerance; not where a side has nothing, or something else.
  func covers(_ before: Value?, _ after: Value?) -> Bool {
    switch self {
    case .seconds(let limit):
      guard let before = before.flatMap(Self.time), let after = after.flatMap(Self.time) else { return false }
      return Self.isSmaller(after, before, limit)
    case .share(let limit):
      guard let before = before?.double, let after = after?.double else { return false }
      return Self.isSmaller(after, before, limit * abs(before))
    case .amount(let limit):
      guard let before = before?.double, let after = after?.double else { return false }
      return Self.isSmaller(after, before, limit)
    }
  }

  /// Whether two numbers differ by less than the limit, as their decimals say.
  ///
  /// 4.5 and 4.4 differ by 0.1, although the nearest binary fractions differ by less. The slack is a few times what
  /// rounding can lose.
  private static func isSmaller(_ after: Double, _ before: Double, _ limit: Double) -> Bool {
    let slack = max(abs(after), abs(before), limit) * 0x1p-50
    return abs(after - before) < limit - slack
  }

  private static func time(_ value: Value) -> Double? {
    value.double ?? value.withText(parseTimestamp) ?? nil
  }
}

/// The tolerances of a step, each with the places in a row that it is for.
struct Tolerances {
  private let fields: [(places: Places, tolerance: Tolerance)]

  init(_ fields: [(places: Places, tolerance: Tolerance)]) { self.fields = fields }

  var isEmpty: Bool { fields.isEmpty }

  /// Whether there are differences, and all of them are smaller than their field's tolerance.
  func cover(_ differences: [Difference], from before: Value, to after: Event) throws -> Bool {
    if differences.isEmpty { return false }
    let found = try fields.map { field in
      (paths: try field.places.pointers(in: before, after), tolerance: field.tolerance)
    }
    return differences.allSatisfy { difference in
      found.contains { field in
        field.paths.contains { difference.path.isWithin($0) }
          && field.tolerance.covers(difference.before, difference.after)
      }
    }
  }
}
