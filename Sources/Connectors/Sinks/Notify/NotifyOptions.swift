import Delivery
import Engine
import JSON
import Language
import System

/// The options of `notify`, and what of them cannot go together.
enum NotifyOptions {
  static let title = Option.required("title", .template, "the title", example: #"'\(.name)'"#)
  static let body = Option("body", .template, default: "''", "the text below the title")
  static let to = Option.optional(
    "to", Destination.type, "the service to send it to, as an address", example: "ntfy://ntfy.sh/my-launches")
  static let priority = Option(
    "priority", .template, default: "normal", "with to: min, low, normal, high or urgent, or 1 to 5",
    example: "high")
  static let link = Option(
    "link", .template, default: "''", "with to: the page that it opens", example: #"'\(.url)'"#)
  static let picture = Option(
    "picture", .template, default: "''", "with to: the address of a picture, or `\\($meta.screenshot)`",
    example: #"'\(.image)'"#)
  static let tags = Option(
    "tags", .list(of: .template), default: "[]", "with to: short words; empty ones are left out",
    example: "[rocket]")
  static let attempts = Option.optional(
    "attempts", .integer(1...100), "the number of attempts (default: 20 with to, otherwise 1)", example: "5")
  static let timeout = Option("timeout", .duration, default: "30s", "with to: the time limit of an attempt")
  static let through = Option(
    "through", .choice(of: NotifyChannel.Choice.self), default: "auto", "how to show it")
  static let command = Option(
    "command", .list(of: .text).referredCommand, default: "[]",
    "the command that shows it; the title and the body are its last two arguments",
    example: "[./tell.sh]")
  static let urgency = Option(
    "urgency", .choice(of: NotifyUrgency.self), default: "normal", "the urgency for notify-send")
  static let atMost = Option.optional(
    "at_most", AtMost.type, "how many may be shown in a period; further ones are combined into one",
    example: "1 in 5m")

  static let quiet = Option.optional(
    "quiet", QuietHours.type, "the hours in which nothing is sent", example: "22:00-07:00")
  static let digest = Option.optional(
    "digest", DigestTimes.type, "when to send what was collected, as one", example: "daily at 8")
  static let digestTitle = Option.optional(
    "digest_title", .template(ofEvent: false), "the title of a digest, from {count, notes}",
    example: #"'\(.count) launches'"#
  )
  static let digestBody = Option.optional(
    "digest_body", .template(ofEvent: false), "the text of a digest, from {count, notes}",
    example: #"'\(.notes | map(.title) | join(", "))'"#)

  enum Until: String, CaseIterable, Sendable { case acknowledged }

  static let until = Option.optional(
    "until", .choice(of: Until.self), "repeat each notification until flow ack KEY", example: "acknowledged")
  static let interval = Option(
    "repeat", .duration, default: "15m", "with until: the time after which it is sent again", example: "30m")
  static let key = Option.optional(
    "key", .template, "with until: what flow ack calls it (default: the title)", example: #"'\(.id)'"#)

  static func checkRepetition(_ options: Options, _ checker: Checker) {
    if options[until] == nil {
      for (name, isGiven, place) in [
        ("repeat", options.isGiven(interval), options.place(of: interval)),
        ("key", options.isGiven(key), options.place(of: key)),
      ] where isGiven {
        checker.report(
          "\(name) has no effect without until", at: place, hint: "add until: acknowledged, or leave it out")
      }
    } else if options.isGiven(digest) {
      checker.report(
        "a digest is sent once, and cannot be repeated until it is acknowledged",
        at: options.place(of: until),
        hint: "leave out digest or until")
    }
  }

  /// When notifications are held back; nil where they never are.
  static func schedule(_ options: Options) -> NotifySchedule? {
    let (quiet, digest) = (options[quiet], options[digest])
    guard quiet != nil || digest != nil else { return nil }
    let zone: (any ZoneRules)? = SystemZone(options[title].expression.scope.timeZone)
    return NotifySchedule(quiet: quiet, digest: digest, zone: zone ?? UniversalTime())
  }

  static func checkDigest(_ options: Options, _ checker: Checker) {
    if options.isGiven(quiet) || options.isGiven(digest) { return }
    for option in [digestTitle, digestBody] where options.isGiven(option) {
      checker.report("\(option.name) has no effect without digest or quiet", at: options.place(of: option))
    }
  }

  /// Reports options that need a service and have none, or the reverse.
  static func checkService(_ options: Options, _ checker: Checker) {
    func report(_ name: String, _ place: SourceRange, _ reason: String, hint: String? = nil) {
      checker.report("\(name) has no effect \(reason)", at: place, hint: hint)
    }
    let hasService = options.isGiven(to)
    let services = [
      ("priority", options.isGiven(priority), options.place(of: priority)),
      ("link", options.isGiven(link), options.place(of: link)),
      ("picture", options.isGiven(picture), options.place(of: picture)),
      ("tags", options.isGiven(tags), options.place(of: tags)),
      ("timeout", options.isGiven(timeout), options.place(of: timeout)),
    ]
    let local = [
      ("through", options.isGiven(through), options.place(of: through)),
      ("command", options.isGiven(command), options.place(of: command)),
      ("urgency", options.isGiven(urgency), options.place(of: urgency)),
    ]
    for (name, isGiven, place) in hasService ? local : services where isGiven {
      report(
        name, place, hasService ? "with to" : "without to",
        hint: hasService && name == "urgency" ? "use priority" : nil)
    }
  }

  /// How messages for a service are delivered; commands are tried as often as `attempts` says, by default once.
  static func settings(_ options: Options) -> DeliverySettings {
    DeliverySettings(
      attempts: options[attempts] ?? (options[to] == nil ? 1 : 20), backoff: options[DeliveryOptions.backoff])
  }
}

private struct UniversalTime: ZoneRules {
  func offset(at moment: Int) -> Int { 0 }
}
