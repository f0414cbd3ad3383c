import Delivery
import System
import Fetch
import Engine
import Language
import Reactive
import Store

/// The receiver of one download: writes its body to the part file.
final class DownloadReceiver: BodyReceiver {
  private struct State: Sendable {
    var file: (any DiskFile)?
    /// The size of the part.
    var size = 0
    /// The size of the whole file, if the server names it.
    var length: Int?
    var hasBegun = false
    /// Whether the server says that the part is the whole file.
    var isComplete = false
    var failure: DeliveryFailure?
    /// The number of its progress.
    var number: Int?
  }

  private let url: String
  private let part: PartFile
  private let start: PartFile.Start?
  private let limit: Int
  private let progress: DownloadProgress
  private let state = Locked(State())

  init(_ url: String, _ part: PartFile, from start: PartFile.Start?, limit: Int, _ progress: DownloadProgress)
  {
    (self.url, self.part, self.start, self.limit) = (url, part, start, limit)
    self.progress = progress
  }

  deinit {
    if let number = state.withLock({ $0.number }) { progress.end(number) }
  }

  /// Why it stopped, where the reason is not the network's: a full disk, a file too large.
  var failure: DeliveryFailure? { state.withLock { $0.failure } }

  /// The failure of a file that lacks its end: the server sent less than it was asked for.
  var shortage: DeliveryFailure? {
    let (size, length) = state.withLock { ($0.size, $0.length ?? $0.size) }
    if size == length { return nil }
    return DeliveryFailure("the server sent \(size) of \(length) bytes", mayPass: true)
  }

  var hasBegun: Bool { state.withLock { $0.hasBegun } }

  /// Whether the part was the whole file before.
  var isComplete: Bool { state.withLock { $0.isComplete } }

  func begin(_ status: Int, _ headers: Headers) -> Bool {
    switch status {
    case 200: return open(nil, headers)
    case 206: return open(start, headers)
    case 416:
      if let start, Self.length(headers) == start.size, start.matches(status, headers, start.size) {
        return keepWhole(start)
      }
      part.remove()
      return false
    default: return false
    }
  }

  /// The length of the whole file, which follows a range.
  private static func length(_ headers: Headers) -> Int? {
    headers["content-range"]?.split(separator: "/").last.flatMap { Int($0) }
  }

  /// Resumes the part file, or begins a new one.
  private func open(_ start: PartFile.Start?, _ headers: Headers) -> Bool {
    let size = start?.size ?? 0
    let isPacked = headers["content-encoding"].map { $0 != "identity" } ?? false
    let isRightRange = !isPacked && headers["content-range"]?.hasPrefix("bytes \(size)-") ?? false
    let length =
      start == nil ? (isPacked ? nil : headers["content-length"].flatMap { Int($0) }) : Self.length(headers)
    do {
      if length ?? 0 > limit { throw tooLarge() }
      if let start, !isRightRange || length.map({ start.matches(206, headers, $0) }) != true {
        part.remove()
        throw DeliveryFailure(
          isRightRange && length != nil
            ? "the file has changed while it was downloaded"
            : "the server sent a different range than requested",
          mayPass: true)
      }
      let file =
        try start == nil
        ? part.begin(from: url, PartFile.validator(headers), of: length) : part.resume()
      let number = progress.begin(part.path, at: size, of: length)
      state.withLock { state in
        (state.file, state.size, state.length, state.hasBegun, state.number) = (
          file, size, length, true, number
        )
      }
    } catch {
      fail(error)
    }
    return true
  }

  private func keepWhole(_ start: PartFile.Start) -> Bool {
    do {
      let file = try part.resume()
      state.withLock { state in
        (state.file, state.size, state.hasBegun, state.isComplete) = (file, start.size, true, true)
      }
    } catch {
      fail(error)
    }
    return false
  }

  private func tooLarge() -> DeliveryFailure {
    part.remove()
    return DeliveryFailure("\(part.path) would exceed max_size (\(limit) bytes)", mayPass: false)
  }

  func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let (file, size, hasFailed) = state.withLock { ($0.file, $0.size, $0.failure != nil) }
    guard let file, !hasFailed else { return false }
    do {
      if size + bytes.count > limit { throw tooLarge() }
      try PartFile.append(bytes, to: file, part.part)
      crashPoint("download.piece written")
    } catch {
      fail(error)
      return false
    }
    let count = bytes.count
    let number = state.withLock { state in
      state.size += count
      return state.number
    }
    if let number { progress.note(number, count) }
    return true
  }

  func take(_ bytes: [UInt8]) { bytes.withUnsafeBytes { _ = take($0) } }

  private func fail(_ error: any Error) {
    let failure: DeliveryFailure
    switch error {
    case let error as DeliveryFailure: failure = error
    case let error as FileFailure: failure = DeliveryFailure("\(error)", mayPass: error.isPassing)
    default: failure = DeliveryFailure("\(error)", mayPass: false)
    }
    state.withLock { state in if state.failure == nil { state.failure = failure } }
  }

  /// Gives the complete file its name.
  func finish(syncs: Bool) throws(FileFailure) {
    let (file, size) = state.withLock { ($0.file, $0.size) }
    guard let file else { throw FileFailure(part.part, "was never opened") }
    try part.finish(file, size: size, syncs: syncs)
  }
}
