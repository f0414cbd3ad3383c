import JSON

/// `epoch`: how much of a source that never rests is kept at a time.
enum EpochOptions {
  static let events = Option.optional(
    "events", OptionType<Int>.integer(1...10_000_000),
    "how many events are kept at a time, at most: 10000, or 200000 of a file", example: "1000")
  static let time = Option.optional(
    "time", OptionType<Duration>.duration,
    "how long after an event it is kept, at most: 200ms, or 2s of a file",
    example: "1s")

  static let all = AnyOption.list(events, time)
}

extension PlanBuilder {
  func epochs(_ mapping: YAMLNode.Mapping) -> EpochPlan {
    var plan = EpochPlan()
    if let entry = mapping["epoch"],
      let epoch = checker.mapping(
        entry.value, "a mapping", hint: "for example epoch: { events: 1000, time: 1s }"),
      let options = Options(reading: epoch, as: EpochOptions.all, in: checker, what: "epoch")
    {
      plan.events = options[EpochOptions.events]
      plan.time = options[EpochOptions.time]
    }
    if let entry = mapping["fsync"], let scalar = checker.scalar(entry.value, "epoch or never") {
      do throws(TextError) {
        plan.syncs = try choice(scalar.text, among: ["epoch": true, "never": false])
      } catch {
        checker.report(error, in: scalar)
      }
    }
    return plan
  }
}
