import System
import Fetch
import Engine
import Language
import Reactive

/// Fetches what was kept, from where it broke off if it did.
struct DownloadFetching {
  /// Whether what is there is fetched again if it has changed.
  var replaces = false
  var limit = 100 << 20
  var timeout = Duration.seconds(600)
  private let disk: any Disk
  private let syncs: Bool
  private let client: Client?
  private let log: NodeLog

  init(_ context: SinkContext) throws {
    disk = context.lane.world.disk
    syncs = context.syncs
    log = context.log
    client = try WebAccess.client(for: context)
  }

  /// Begins it; tells its end as that of an errand.
  func fetch(_ kept: KeptDownload, _ end: @escaping @Sendable (ErrandFailure?) -> Void) -> Subscription {
    do {
      guard let client else { throw NoNetwork() }
      var request = Request(try Address(kept.url))
      request.isTriedOnce = true
      request.expectation = .anything
      request.whenUnpaid = .fail
      request.limits.whole = timeout
      request.limits.bodyBytes = limit
      // Packed, no place in it could be gone on from.
      request.headers = [Header("Accept-Encoding", "identity")]
      let part = PartFile(path: kept.path, disk: disk)
      part.tidy()
      let start = part.progress(from: kept.url).map {
        DownloadReceiver.Start(size: $0.size, validator: $0.validator)
      }
      if disk.exists(kept.path) {
        guard replaces else {
          end(nil)
          return Subscription()
        }
        if start == nil, let time = disk.beginning(of: kept.path) {
          request.headers.append(Header("If-Modified-Since", httpDate(time)))
        }
      }
      if let start {
        request.headers.append(Header("Range", "bytes=\(start.size)-"))
        request.headers.append(Header("If-Range", start.validator))
      }
      let receiver = DownloadReceiver(kept.url, part, from: start, limit: limit)
      request.receiver = receiver
      return client.start(request) { [log] notice in
        if case .notStored = notice { log.warning("\(notice)") }
      } completion: { [syncs] result in
        end(Self.end(result, receiver, part, syncs: syncs))
      }
    } catch {
      end(ErrandFailure("\(error)", mayPass: false))
      return Subscription()
    }
  }

  /// What has come of it; nil when the file is there.
  private static func end(
    _ result: Result<Response, FetchError>, _ receiver: DownloadReceiver, _ part: PartFile, syncs: Bool
  ) -> ErrandFailure? {
    if let failure = receiver.failure { return failure }
    switch result {
    case .failure(let error):
      // It has not changed.
      if error.status == 304 { return nil }
      var failure = ErrandFailure(error)
      if error.kind == .tooLarge { part.remove() }
      if error.status == 416, !receiver.isComplete {
        // What was there is of no use any more.
        part.remove()
        failure.mayPass = true
      }
      if !receiver.isComplete { return failure }
    case .success(let answer):
      if !receiver.hasBegun {
        guard receiver.begin(answer.status, answer.headers) else {
          return ErrandFailure(
            "the server answered \(answer.status), which has no file with it", mayPass: false)
        }
        receiver.take(answer.bytes)
        if let failure = receiver.failure { return failure }
      }
    }
    do throws(FileFailure) {
      try receiver.finish(syncs: syncs)
      return nil
    } catch {
      return ErrandFailure("\(error)", mayPass: error.isPassing || error.code == 0)
    }
  }
}
