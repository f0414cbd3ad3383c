import JSON

/// `epoch`: how much of a source that never rests is kept at a time.
enum EpochOptions {
  static let events = Option(
    "events", .integer(1...10_000_000), default: "10000", "how many events are kept at a time, at most")
  static let time = Option("time", .duration, default: "200ms", "how long after an event it is kept, at most")

  static let all = AnyOption.list(events, time)
}

extension PlanBuilder {
  func epochs(_ mapping: Node.Mapping) -> EpochPlan {
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
      do throws(Flaw) {
        plan.syncs = try choice(scalar.text, among: ["epoch": true, "never": false])
      } catch {
        checker.report(error, in: scalar)
      }
    }
    return plan
  }
}
