/// The pipeline that `alerts` of a config stands for: it reads the errors of all others, and calls an address while all
/// is well.
///
///     alerts: { notify: ntfy://ntfy.sh/my-alerts, ping: 'https://hc-ping.com/KEY', every: 5m }
///
/// Where these are wrong is reported at their places in the config.
enum AlertPipeline {
  private static let keys = ["notify", "ping", "every"]

  /// The pipeline as if it were written out.
  static func root(of alerts: YAMLNode.Mapping, _ problems: inout Problems) -> YAMLNode? {
    for entry in alerts.entries where !keys.contains(entry.key.text) {
      problems.report(
        "alerts has no \(quoted(entry.key.text))", at: entry.key.place,
        hint: suggestion(for: entry.key.text, among: keys))
    }
    let (notify, ping) = (alerts["notify"]?.value, alerts["ping"]?.value)
    if notify == nil, ping == nil {
      problems.report(
        "alerts is for notify, ping or both", at: alerts.place,
        hint: "for example alerts: { notify: ntfy://ntfy.sh/my-alerts, ping: 'https://hc-ping.com/KEY' }")
      return nil
    }
    if let every = alerts["every"], ping == nil {
      problems.report(
        "every is how often ping is called, and there is none", at: every.key.place)
    }
    let make = Maker(place: alerts.place)
    var sources: [YAMLNode.Entry] = []
    var sinks: [YAMLNode.Entry] = []
    if let notify {
      sources.append(make.entry(Plan.errors, make.text(Plan.errors)))
      var options = notify.mapping?.entries ?? [make.entry("to", notify)]
      let usual = [
        ("title", #"\(.node) \(.type)"#), ("body", #"\(.message)"#), ("at_most", "10 in 1h"),
      ]
      for (name, value) in usual where !options.contains(where: { $0.key.text == name }) {
        options.append(make.entry(name, make.text(value)))
      }
      sinks.append(
        make.entry(
          "notify",
          make.mapping([
            make.entry("from", make.text(Plan.errors)), make.entry("notify", make.mapping(options)),
          ])))
    }
    if let ping {
      let request = make.mapping([make.entry("url", ping), make.entry("decode", make.text("text"))])
      sources.append(
        make.entry(
          Plan.ping,
          make.mapping([
            make.entry("http", request), make.entry("every", alerts["every"]?.value ?? make.text("5m")),
            make.entry("at_start", make.text("false", .boolean(false))),
          ])))
      sinks.append(
        make.entry(
          "answer",
          make.mapping([make.entry("from", make.text(Plan.ping)), make.entry("null", make.mapping([]))])))
    }
    return make.mapping([
      make.entry("name", make.text(Plan.alerts)), make.entry("sources", make.mapping(sources)),
      make.entry("sinks", make.mapping(sinks)),
    ])
  }

  /// Makes nodes that stand where `alerts` does.
  private struct Maker {
    let place: SourceRange

    func scalar(_ text: String, _ meaning: Meaning) -> Scalar {
      Scalar(
        text: text, written: text, style: .plain, meaning: meaning, place: place, variables: [],
        map: TextMap())
    }

    func text(_ text: String, _ meaning: Meaning = .string) -> YAMLNode {
      .scalar(scalar(text, meaning))
    }

    func entry(_ name: String, _ value: YAMLNode) -> YAMLNode.Entry {
      YAMLNode.Entry(key: scalar(name, .string), value: value)
    }

    func mapping(_ entries: [YAMLNode.Entry]) -> YAMLNode {
      .mapping(YAMLNode.Mapping(entries: entries, place: place))
    }
  }
}

extension Plan {
  /// The name of the pipeline that sends alerts, and of its source that calls an address while all is well.
  public static let alerts = "alerts"
  public static let ping = "ping"
}

extension PipelineReader {
  /// The member of a config that stands for a pipeline; nil where there is none, or it is a text of the user's own.
  public static func alerts(in config: YAMLDocument) -> YAMLNode.Mapping? {
    config.root?.mapping?[Plan.alerts]?.value.mapping
  }

  /// Reads the pipeline that `alerts` of a config stands for, if it has it.
  public mutating func readAlerts(of config: YAMLDocument) {
    guard let alerts = Self.alerts(in: config) else { return }
    var found = Problems()
    let root = AlertPipeline.root(of: alerts, &found)
    read(root, config, found)
  }
}
