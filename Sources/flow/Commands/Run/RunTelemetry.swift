import Engine
import Fetch
import Glibc
import JSON
import Language
import Reactive
import Store
import System

/// The export of a run's metrics and polls by OpenTelemetry's protocol, as the standard environment variables ask for.
final class RunTelemetry: Sendable {
  static let about = """
    With OTEL_EXPORTER_OTLP_ENDPOINT, or OTEL_EXPORTER_OTLP_METRICS_ENDPOINT and OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, the \
    metrics, and a trace for each poll, are sent there by OpenTelemetry's protocol as JSON over HTTP. The variables \
    …_HEADERS, …_TIMEOUT, OTEL_METRICS_EXPORTER and OTEL_TRACES_EXPORTER (none), OTEL_METRIC_EXPORT_INTERVAL, \
    OTEL_BSP_SCHEDULE_DELAY, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES and OTEL_SDK_DISABLED mean what they mean \
    elsewhere. Simulated runs send nothing.
    """

  /// The settings by variables of the environment.
  struct Settings: Sendable {
    var metrics: Address?
    var traces: Address?
    var headers: [Header] = []
    var timeout = Duration.seconds(10)
    var interval = 60.0
    var delay = 5.0
    var resource: [OTLP.Attribute] = []

    /// Nil where nothing is to be sent; throws a sentence that names the variable.
    init?(_ environment: (String) -> String?) throws(WrongUse) {
      func text(_ name: String) -> String? {
        environment("OTEL_" + name).flatMap { $0.allSatisfy { $0 == " " } ? nil : $0 }
      }
      if text("SDK_DISABLED")?.lowercased() == "true" { return nil }
      func endpoint(_ signal: String, _ path: String) throws(WrongUse) -> Address? {
        if text("\(signal)_EXPORTER")?.lowercased() == "none" { return nil }
        let own = "EXPORTER_OTLP_\(signal)_ENDPOINT"
        let base = text("EXPORTER_OTLP_ENDPOINT").map { $0.last == "/" ? $0 + path : $0 + "/" + path }
        guard let address = text(own) ?? base else { return nil }
        do throws(Sentence) { return try Address(address) } catch {
          let name = text(own) == nil ? "EXPORTER_OTLP_ENDPOINT" : own
          throw WrongUse("OTEL_\(name): \(error)")
        }
      }
      metrics = try endpoint("METRICS", "v1/metrics")
      traces = try endpoint("TRACES", "v1/traces")
      if metrics == nil, traces == nil { return nil }
      if let name = text("EXPORTER_OTLP_PROTOCOL"), name != "http/json" {
        throw WrongUse(
          "OTEL_EXPORTER_OTLP_PROTOCOL is \(quoted(name)); flow sends http/json, which collectors accept too")
      }
      for (name, value) in Self.pairs(text("EXPORTER_OTLP_HEADERS") ?? "") {
        headers.append(Header(name, value, isSecret: true))
      }
      func milliseconds(_ name: String) throws(WrongUse) -> Double? {
        guard let given = text(name) else { return nil }
        guard let number = Double(given), number > 0, number < 1e12 else {
          throw WrongUse("OTEL_\(name) is \(quoted(given)), not a number of milliseconds")
        }
        return number / 1000
      }
      if let seconds = try milliseconds("EXPORTER_OTLP_TIMEOUT") {
        timeout = .nanoseconds(Int64(seconds * 1e9))
      }
      interval = try milliseconds("METRIC_EXPORT_INTERVAL") ?? interval
      delay = try milliseconds("BSP_SCHEDULE_DELAY") ?? delay
      let given = Self.pairs(text("RESOURCE_ATTRIBUTES") ?? "")
      let name = text("SERVICE_NAME") ?? given.first { $0.name == "service.name" }?.value ?? "flow"
      resource =
        [("service.name", name), ("service.version", VersionCommand.version), ("process.pid", "\(getpid())")]
        + given.filter { $0.name != "service.name" }
    }

    /// `key=value,other=value`, with percent-encoded values.
    private static func pairs(_ text: String) -> [OTLP.Attribute] {
      text.split(separator: ",").compactMap { part in
        let sides = part.split(separator: "=", maxSplits: 1).map { side in
          String(side.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        return sides.count == 2 ? (sides[0], percentDecoded(sides[1])) : nil
      }
    }
  }

  /// Polls that are kept until they are sent; more are dropped.
  private static let mostPolls = 2048
  /// How long the end of the run waits for a collector.
  private static let endTimeout = Duration.seconds(3)

  private let settings: Settings
  private let monitor: any RunMonitor
  private let client: Client
  private let log: NodeLog
  private let started = World.real.wallClock()
  private let thread = SerialScheduler(name: "flow-telemetry")
  private let end = StopSign()
  private let polls = Locked<[PollTrace]>([])
  /// The signals whose failure was reported, until they are sent again.
  private let failing = Locked<Set<String>>([])
  private let isDone = ConditionLock(false)

  /// Starts to send; nil where no variable asks for it.
  init?(_ monitor: any RunMonitor, _ log: Log) throws(WrongUse) {
    guard let settings = try Settings(Terminal.environment) else { return nil }
    self.settings = settings
    self.monitor = monitor
    self.log = NodeLog(log: log, pipeline: "", node: "telemetry")
    do {
      let transport = try CurlTransport(
        .init(
          userAgent: "flow/\(VersionCommand.version)",
          proxyEnvironment: ProxyEnvironment { Terminal.environment($0) }))
      client = Client(
        transport, file: try WebFile(), on: SerialScheduler(name: "flow-telemetry-http"),
        wallClock: World.real.wallClock)
    } catch {
      throw WrongUse("OTEL_EXPORTER_OTLP_ENDPOINT: \(error)")
    }
  }

  /// Sends from now on, until `stop`.
  func start() {
    thread.perform { [self] in
      let tick = min(settings.interval, settings.traces == nil ? .infinity : settings.delay)
      var next = settings.interval
      var passed = 0.0
      while !end.wait(seconds: tick) {
        passed += tick
        sendPolls(isLast: false)
        if passed < next { continue }
        sendMetrics(isLast: false)
        next = passed + settings.interval
      }
      sendPolls(isLast: true)
      sendMetrics(isLast: true)
      isDone.change { $0 = true }
    }
  }

  /// Sends for the last time, unless that takes too long.
  func stop() {
    end.set()
    _ = isDone.wait(until: MonotonicClock.now + Self.endTimeout) { $0 ? () : nil }
  }

  /// Notes a poll; called by the source's thread.
  func note(_ poll: PollTrace) {
    if settings.traces == nil { return }
    polls.withLock { polls in
      if polls.count < Self.mostPolls { polls.append(poll) }
    }
  }

  // MARK: - Requests

  private func sendMetrics(isLast: Bool) {
    guard let address = settings.metrics else { return }
    let metrics = monitor.status().metrics + RunMetrics.ofProcess
    let body = OTLP.metrics(
      metrics, of: settings.resource, version: VersionCommand.version, since: started,
      at: World.real.wallClock())
    send(body, to: address, "metrics", isLast)
  }

  private func sendPolls(isLast: Bool) {
    let taken = polls.withLock { polls in
      defer { polls = [] }
      return polls
    }
    guard let address = settings.traces, !taken.isEmpty else { return }
    var random = SystemRandomNumberGenerator()
    let body = OTLP.traces(
      taken, of: settings.resource, version: VersionCommand.version, random: { random.next() })
    send(body, to: address, "traces", isLast)
  }

  private func send(_ body: Value, to address: Address, _ signal: String, _ isLast: Bool) {
    var request = Request(address)
    request.method = .post
    request.headers = settings.headers + [Header("Content-Type", "application/json")]
    request.body = body.json
    request.expectation = .anything
    let time = isLast ? min(settings.timeout, Self.endTimeout) : settings.timeout
    request.limits = TransferLimits(connect: time, firstByte: time, stall: time, whole: time)
    // A collector drops what it has; a copy is better than a gap.
    request.isRepeatable = true
    request.isTriedOnce = isLast
    var failure: String?
    do throws(FetchError) { _ = try client.fetch(request, stop: isLast ? nil : end) } catch {
      if error.kind == .cancelled { return }
      failure = "\(error)"
    }
    let before = failing.withLock { failing in
      failure == nil ? failing.remove(signal) : failing.update(with: signal)
    }
    if let failure, before == nil { log.error("\(signal) are not sent: \(failure)") }
    if failure == nil, before != nil { log.notice("\(signal) are sent again") }
  }
}
