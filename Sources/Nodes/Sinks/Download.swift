import Fetch
import JSON
import Engine
import Language
import Engine
import Language
import Reactive
import Store

/// `download`: fetches what an event names into a file.
let download = NodeSpec(
  "download", "fetch the file that each event names into a folder",
  details: """
    What `url` gives is fetched into the file that `path` names; where it gives null nothing is. A path may have \
    expressions in it, as in out/\\(.date).jpg. What they give cannot lead out of its folder: slashes and leading dots \
    are replaced, and links are not followed. A file that is there already is left alone, unless `overwrite` says \
    otherwise.

    It is written to PATH.part as it comes, and gets its name when it is whole. What was interrupted is gone on with \
    where the server can, by the next attempt or the next run, but for a restart of the machine in between: \
    PATH.part.from says what it is a part of.

    An answer in the 4xx but 408, 425 and 429 is not tried again, nor is more than `max_size`; all else is, after \
    `backoff` or when the server's Retry-After says. After the last attempt the event is dealt with as `on_error` says. \
    When `queue` events wait, the pipeline waits for room. With more than one at once, files are not fetched in order, \
    but never two at a time to one path.

    A download that was begun is in the state of the pipeline until the file is there. What has failed for good is kept \
    there too: see flow state dead. A replay fetches nothing without --live-sinks; under --sky the files are the simulated service's.
    """,
  options: AnyOption.list(
    DownloadOptions.url, DownloadOptions.path, DownloadOptions.overwrite, DownloadOptions.maxSize,
    DownloadOptions.timeout, DownloadOptions.concurrency, DeliveryOptions.attempts, DeliveryOptions.backoff,
    DeliveryOptions.queue),
  isKept: true,
  examples: [
    .init("a picture a day", #"download: { url: .hdurl, path: 'out/\(.date).jpg' }"#),
    .init(
      "large files, each tried for hours",
      """
      download: { url: '.files[0].url', path: 'out/\\(.id).iso', max_size: 4GiB, timeout: 6h, concurrency: 1, \
      attempts: 50, backoff: 10s, queue: 1000 }
      """),
    .init(
      "a file that is fetched again when it has changed",
      "download: { url: '\"https://example.org/tle.txt\"', path: out/tle.txt, overwrite: changed }"),
  ],
  .sink { options, context in try Download(options, context) })

private enum DownloadOptions {
  enum Overwrite: String, CaseIterable, Sendable { case never, changed }

  static let url = Option.required(
    "url", .expression, "the address, of http or https; null for nothing", example: ".hdurl")
  static let path = Option.required(
    "path", OptionType<PathTemplate>.outputPath, "the file; missing folders are made",
    example: #"'out/\(.date).jpg'"#)
  static let overwrite = Option(
    "overwrite", .choice(of: Overwrite.self), default: "never",
    "whether a file that is there is fetched again, if it has changed since it was made")
  static let maxSize = Option("max_size", .size, default: "100MiB", "how large a file may be")
  static let timeout = Option("timeout", .duration, default: "10m", "how long one attempt may take")
  static let concurrency = Option(
    "concurrency", .integer(1...64), default: "2", "how many may be fetched at once")
}

private final class Download: DeliverySink {
  private let context: SinkContext
  private let url: Evaluation
  private let path: OutputPath
  let queue: DeliveryQueue<DownloadWorker>

  init(_ options: Options, _ context: SinkContext) throws {
    self.context = context
    url = context.evaluation(options[DownloadOptions.url])
    let fetches = WebAccess.forDelivery(of: .file, in: context) != nil
    path = try OutputPath(options[DownloadOptions.path], context, isWritten: fetches)
    var worker = try DownloadWorker(context)
    worker.replaces = options[DownloadOptions.overwrite] == .changed
    worker.limit = options[DownloadOptions.maxSize]
    worker.timeout = options[DownloadOptions.timeout]
    let settings = DeliveryOptions.settings(options, concurrency: DownloadOptions.concurrency)
    queue = DeliveryQueue(settings, context, worker)
  }

  func take(_ event: Event) throws {
    guard let url = try url.first(event), url.kind != .null else { return }
    guard let text = url.string else { throw StepError("this is no address: \(url.description.prefix(60))") }
    let address = try Address(text)
    let path = try path.path(for: event)
    if context.isDryRun { return queue.dryRun.add(["curl", "-L", "-o", path, "\(address)"]) }
    try queue.add(DownloadTask(url: text, path: path, event: event))
  }
}
