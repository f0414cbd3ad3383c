import Delivery
import Fetch
import JSON
import Engine
import Language
import Reactive
import Store
import System

/// `download`: downloads the file that an event refers to.
package let download = NodeSpec(
  "download", "download the file that each event refers to",
  reference: .init(PackageResources.download_md),
  options: AnyOption.list(
    DownloadOptions.url, DownloadOptions.path, DownloadOptions.overwrite, DownloadOptions.maxSize,
    DownloadOptions.timeout, DownloadOptions.concurrency, DeliveryOptions.attempts, DeliveryOptions.backoff,
    DeliveryOptions.queue),
  hasDurableState: true,
  .sink { options, context in try Download(options, context) })

private enum DownloadOptions {
  enum Overwrite: String, CaseIterable, Sendable { case never, changed }

  static let url = Option.required(
    "url", .expression, "the http or https address; null to skip the event", example: ".hdurl")
  static let path = Option.required(
    "path", OptionType<PathTemplate>.outputPath, "the file; missing folders are created",
    example: #"'out/\(.date).jpg'"#)
  static let overwrite = Option(
    "overwrite", .choice(of: Overwrite.self), default: "never",
    "whether to replace an existing file if the server's has changed")
  static let maxSize = Option("max_size", .size, default: "100MiB", "the size limit of a file")
  static let timeout = Option("timeout", .duration, default: "10m", "the time limit of an attempt")
  static let concurrency = Option(
    "concurrency", .integer(1...64), default: "2", "how many downloads run at once")
}

private final class Download: DeliverySink {
  private let context: SinkContext
  private let url: Evaluation
  private let path: OutputPath
  let queue: DeliveryQueue

  init(_ options: Options, _ context: SinkContext) throws {
    self.context = context
    url = context.evaluation(options[DownloadOptions.url])
    let fetches = WebAccess.forDelivery(of: .file, in: context) != nil
    path = try OutputPath(options[DownloadOptions.path], context, isWritten: fetches)
    var transport = try DownloadTransport(context)
    transport.replaces = options[DownloadOptions.overwrite] == .changed
    transport.limit = options[DownloadOptions.maxSize]
    transport.timeout = options[DownloadOptions.timeout]
    let settings = DeliveryOptions.settings(options, concurrency: DownloadOptions.concurrency)
    queue = DeliveryQueue(settings, context, transport)
  }

  func take(_ event: Event) throws {
    guard let url = try url.first(event), url.kind != .null else { return }
    guard let text = url.string else { throw Sentence("not an address: \(url.description.prefix(60))") }
    let address = try Address(text)
    let path = try path.path(for: event)
    if context.isDryRun { return queue.dryRun.add(["curl", "-L", "-o", path, "\(address)"]) }
    try queue.add(DownloadItem(url: text, path: path, event: event))
  }
}
