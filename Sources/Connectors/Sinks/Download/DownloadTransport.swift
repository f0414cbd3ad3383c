import Delivery
import System
import Fetch
import JSON
import Engine
import Language
import Reactive

/// A file to fetch for an event, as it is stored in the outbox.
struct DownloadItem: EventItem, JSONRecord {
  let url: String
  let path: String
  var event: Event?

  /// Two downloads at once must not write to one file.
  var key: String? { path }

  static let form = RecordForm<Self>(
    Self.init(url:path:event:), Field("url", \.url), Field("path", \.path), Field("event", \.event))
}

/// Downloads files, resuming each where an earlier attempt was interrupted.
struct DownloadTransport: SingleTransport {
  let delivers = Deliverable.file
  var retriesInRealTime: Bool { client.isBesideSimulation }
  /// Whether a file that exists is fetched again if it has changed.
  var replaces = false
  var limit = 100 << 20
  var timeout = Duration.seconds(600)
  private let disk: any Disk
  private let syncs: Bool
  private let client: DeliveryClient
  private let progress: DownloadProgress

  init(_ context: SinkContext) throws {
    disk = context.lane.world.disk
    syncs = context.syncs
    progress = DownloadProgress(context.progress)
    client = try DeliveryClient(context, for: .file)
  }

  func begin(_ item: DownloadItem, id: String, _ end: @escaping DeliveryEnd) -> Subscription {
    client.start(end) {
      var request = Request(try Address(item.url))
      request.limits.whole = timeout
      request.limits.bodyBytes = limit
      // A compressed body could not be resumed at a byte of the file.
      request.headers = [Header("Accept-Encoding", "identity")]
      let part = PartFile(path: item.path, disk: disk)
      part.removeLeftovers()
      let start = part.progress(from: item.url)
      if disk.exists(item.path) {
        // A pipe, a device or a folder: it cannot be replaced by the file, and is not the file either.
        if disk.status(of: item.path)?.isRegular == false {
          throw DeliveryFailure("\(item.path) is no file that could be written anew", mayPass: false)
        }
        if !replaces { return nil }
        if start == nil, let time = disk.beginning(of: item.path) {
          request.headers.append(Header("If-Modified-Since", httpDate(time)))
        }
      }
      if let start {
        request.headers.append(Header("Range", "bytes=\(start.size)-"))
        request.headers.append(Header("If-Range", start.validator))
      }
      let receiver = DownloadReceiver(item.url, part, from: start, limit: limit, progress)
      request.receiver = receiver
      return (request, { [syncs] in Self.outcome($0, receiver, part, syncs: syncs) })
    }
  }

  /// Why the attempt failed; nil if the file is complete.
  private static func outcome(
    _ result: Result<Response, FetchError>, _ receiver: DownloadReceiver, _ part: PartFile, syncs: Bool
  ) -> DeliveryFailure? {
    if let failure = receiver.failure { return failure }
    switch result {
    case .failure(let error):
      // It has not changed.
      if error.status == 304 { return nil }
      var failure = DeliveryFailure(error)
      if error.kind == .tooLarge { part.remove() }
      if error.status == 416, !receiver.isComplete {
        // The part is longer than the file, which must have changed.
        part.remove()
        failure.mayPass = true
      }
      if !receiver.isComplete { return failure }
    case .success(let answer):
      if !receiver.hasBegun {
        guard receiver.begin(answer.status, answer.headers) else {
          return DeliveryFailure(
            "the server responded \(answer.status), which contains no file", mayPass: false)
        }
        receiver.take(answer.bytes)
        if let failure = receiver.failure { return failure }
      }
    }
    if let failure = receiver.shortage { return failure }
    do throws(FileFailure) {
      try receiver.finish(syncs: syncs)
      return nil
    } catch {
      return DeliveryFailure("\(error)", mayPass: error.isPassing || error.code == 0)
    }
  }
}
