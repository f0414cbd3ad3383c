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
  details: """
    The file at `url` is saved as `path`; if `url` is null, nothing is downloaded. A path may contain expressions, as \
    in out/\\(.date).jpg. Their results cannot lead out of its folder: slashes and leading dots are replaced, and \
    links are not followed. An existing file is kept, unless `overwrite` is set.

    The download is written to PATH.part and renamed when it is complete. If the server supports it, an interrupted \
    download is resumed by the next attempt or the next run, unless the machine was restarted in between or the \
    server's file has another ETag, Last-Modified or length. PATH.part.from records what is being downloaded.

    Responses with status 4xx, except 408, 425 and 429, and files larger than `max_size` are not retried. Other \
    failures are, after `backoff` or as the server's Retry-After demands. After the last attempt the event is handled \
    as `on_error` says. When `queue` events are waiting, the pipeline waits. With `concurrency` above 1, files are not \
    downloaded in order, but never two at a time to the same path.

    With state, a download is retried across restarts until the file exists. One that failed for good is kept as a \
    dead letter: see flow state dead. A replay downloads nothing without --live-sinks; under --sky the files are those \
    of the simulated service.
    """,
  options: AnyOption.list(
    DownloadOptions.url, DownloadOptions.path, DownloadOptions.overwrite, DownloadOptions.maxSize,
    DownloadOptions.timeout, DownloadOptions.concurrency, DeliveryOptions.attempts, DeliveryOptions.backoff,
    DeliveryOptions.queue),
  hasDurableState: true,
  examples: [
    .init("a picture a day", #"download: { url: .hdurl, path: 'out/\(.date).jpg' }"#),
    .init(
      "large files, retried for hours",
      """
      download: { url: '.files[0].url', path: 'out/\\(.id).iso', max_size: 4GiB, timeout: 6h, concurrency: 1, \
      attempts: 50, backoff: 10s, queue: 1000 }
      """),
    .init(
      "a file that is updated when it changes",
      "download: { url: '\"https://example.org/tle.txt\"', path: out/tle.txt, overwrite: changed }"),
  ],
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
