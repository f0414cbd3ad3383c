import Engine
import JSON
import Language

/// The options of `changes`, with the types that no other node has.
enum ChangesOptions {
  enum Change: String, CaseIterable, Sendable { case added, changed, removed }
  enum Form: String, CaseIterable, Sendable { case values, patch }
  enum First: String, CaseIterable, Sendable { case baseline, emit }
  enum Duplicates: String, CaseIterable, Sendable { case error, first, last }

  static let all = AnyOption.list(
    key, watch, ignore, tolerance, text, arraysBy, first, types, removedAfter, suddenLoss, duplicates,
    remember, bound, form)

  static let key = Option.required("key", .expression, "the value that identifies a row", example: ".id")
  static let watch = Option.optional(
    "watch", .list(of: .places(ofEvent: true)), "report only changes of these fields",
    example: "[.net, .status]")
  static let ignore = Option.optional(
    "ignore", .list(of: .places(ofEvent: true)), "report no changes of these fields",
    example: "[.last_updated]")
  static let tolerance = Option(
    "tolerance", .tolerances, default: "{}",
    "smaller differences of these fields are no change: a duration for times, a percentage or an amount for numbers",
    example: "{ .net: 10m, .price: 1% }")
  static let text = Option.optional(
    "text", OptionType<Options>.group("text", TextNoise.options).map("ignore and collapse") { $0 },
    "what is no change of a text: what a regular expression matches (ignore), and white space (collapse: true)",
    example: "{ ignore: '[0-9]+ views', collapse: true }")
  static let arraysBy = Option.optional(
    "arrays_by", .text, "the member by which objects in lists are compared, instead of their position")
  static let first = Option(
    "first", OptionType<First>.choice(), default: "baseline",
    "how the first poll is handled: as a baseline that emits nothing, or as rows that are all added")
  static let types = Option(
    "types", .list(of: OptionType<Change>.choice()), default: "[added, changed, removed]",
    "which changes are emitted")
  static let form = Option(
    "as", OptionType<Form>.choice(), default: "values",
    "the form of a change: with values before and after, or with a JSON Patch in their place")
  static let removedAfter = Option(
    "removed_after", .pollsOrTime(), default: "1",
    "how many polls in a row, or for how long, a row must be missing before it is removed", example: "2")
  static let suddenLoss = Option(
    "sudden_loss", .lossGuard, default: "{ share: 50%, rows: 10 }",
    "hold back a poll in which more than this share of at least so many rows is missing, until the next one confirms it; or off"
  )
  static let duplicates = Option(
    "duplicates", OptionType<Duplicates>.choice(), default: "error",
    "which of several different rows of a poll counts that have the same key: none, with an error, or the first or last"
  )
  static let remember = Option(
    "remember", .duration, default: "365d", "how long a row out of sight is remembered")
  static let bound = Option(
    "bound", .integer(1...), default: "1000000",
    "how many keys a source may have, and how many are remembered")

  static func relevance(_ options: Options, _ evaluation: (Expression) -> Evaluation) -> Relevance {
    Relevance(watch: options[watch], ignore: options[ignore], text: options[text], evaluation: evaluation)
  }

  static func tolerances(_ options: Options, _ evaluation: (Expression) -> Evaluation) -> Tolerances {
    Tolerances(options[tolerance].map { (Places([$0.places], evaluation), $0.tolerance) })
  }
}

private enum LossOptions {
  static let share = Option("share", .share, default: "50%", "the share of rows; more than this is a loss")
  static let rows = Option("rows", .integer(1...), default: "10", "with fewer rows nothing is a loss")
}

extension OptionType where Value == Double {
  /// A part of a whole: `50%`.
  fileprivate static var share: OptionType {
    OptionType("percentage", sample: "50%", schema: .record([("type", "string")])) { node, checker in
      let node = checker.resolved(node)
      if let text = node.scalar?.text, text.hasSuffix("%"), let percent = Double(text.dropLast()),
        (0..<100).contains(percent)
      {
        return percent / 100
      }
      checker.report(
        "a percentage below 100% is expected here, not \(node.kind)", at: node.place, hint: "as in 50%")
      return nil
    }
  }
}

extension OptionType where Value == LossGuard? {
  fileprivate static var lossGuard: OptionType {
    let group = OptionType<Options>.group("sudden_loss", AnyOption.list(LossOptions.share, LossOptions.rows))
    let schema = JSON.Value.record([("anyOf", .array([group.schema, .record([("const", "off")])]))])
    return OptionType("mapping or off", sample: "off", schema: schema) { node, checker in
      if let scalar = checker.resolved(node).scalar, scalar.text == "off" { return .some(nil) }
      return group.decode(node, checker).map { options in
        LossGuard(share: options[LossOptions.share], rows: options[LossOptions.rows])
      }
    }
  }
}

extension OptionType where Value == [ToleratedField] {
  fileprivate static var tolerances: OptionType {
    OptionType(
      "mapping of path expressions to durations, percentages or numbers", sample: "{ .net: 10m }",
      schema: .record([
        ("type", "object"),
        ("additionalProperties", .record([("type", .array(["string", "number"]))])),
      ])
    ) { node, checker in
      let node = checker.resolved(node)
      guard case .mapping(let mapping) = node else {
        checker.report(
          "a mapping is expected here, not \(node.kind)", at: node.place, hint: "as in { .net: 10m }")
        return nil
      }
      let fields = mapping.entries.map { entry -> ToleratedField? in
        let places = OptionType<Expression>.places(ofEvent: true).decode(.scalar(entry.key), checker)
        let amount = checker.resolved(entry.value)
        guard let tolerance = amount.scalar.flatMap({ Tolerance($0.text) }) else {
          checker.report(
            "a duration, a percentage or a number above zero is expected here, not \(amount.kind)",
            at: entry.value.place, hint: "as in 10m, 1% or 5")
          return nil
        }
        return places.map { ToleratedField(places: $0, tolerance: tolerance) }
      }
      let right = fields.compactMap(\.self)
      return right.count == fields.count ? right : nil
    }
  }
}

/// A field that has a tolerance.
struct ToleratedField: Sendable {
  let places: Expression
  let tolerance: Tolerance
}

extension StepPlan {
  /// Whether it is a `changes` that reports changes of all kinds, with the rows.
  package var reportsEachChange: Bool {
    spec.kind == changes.kind && options[ChangesOptions.form] == .values
      && options[ChangesOptions.types].count == ChangesOptions.Change.allCases.count
  }

  /// Whether it is a `changes` that sends JSON Patches.
  package var sendsPatches: Bool { spec.kind == changes.kind && options[ChangesOptions.form] == .patch }

  /// Whether it reports each row of its first poll as added.
  package var reportsFirstRows: Bool { reportsEachChange && options[ChangesOptions.first] == .emit }

  /// Whether a difference is one of texts that do not count, in the time of a world; nil where all of them do.
  package func textNoise(in world: World) -> ((Difference) -> Bool)? {
    guard reportsEachChange, let text = options[ChangesOptions.text] else { return nil }
    let noise = TextNoise(text) { Evaluation($0, in: world) }
    let event = Event(.null, Poll(source: name, at: 0))
    return { difference in (try? noise.covers(difference, of: event)) ?? false }
  }

  /// Whether it reports each difference of a row besides, so that its changes add up to the rows.
  package var reportsWholeRows: Bool {
    reportsEachChange && !options.isGiven(ChangesOptions.watch) && !options.isGiven(ChangesOptions.ignore)
      && !options.isGiven(ChangesOptions.tolerance) && !options.isGiven(ChangesOptions.text)
  }
}
