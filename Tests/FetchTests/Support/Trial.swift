import Foundation
import Glibc
import JSON
import Reactive
import Store
import Synchronization
import Testing

@testable import Fetch

/// A folder that goes with the value.
final class Folder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/flow-fetch-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var file: String { path + "/http.db" }

  /// All that lies in the files of the folder.
  func bytes() throws -> [UInt8] {
    try FileManager.default.contentsOfDirectory(atPath: path).flatMap { name in
      try [UInt8](Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
    }
  }
}

/// A stop sign as pipelines have it.
final class Sign: StopSignal {
  private let flag = Atomic<Bool>(false)
  let descriptor: Int32
  private let other: Int32

  init() {
    var pair: [Int32] = [0, 0]
    pipe(&pair)
    (descriptor, other) = (pair[0], pair[1])
  }

  deinit {
    close(descriptor)
    close(other)
  }

  var isSet: Bool { flag.load(ordering: .acquiring) }

  func set() {
    flag.store(true, ordering: .releasing)
    _ = write(other, "x", 1)
  }
}

/// What `body` fails with.
func failure(_ body: () throws -> Void) -> FetchError? {
  do {
    try body()
    return nil
  } catch {
    return error as? FetchError
  }
}

func request(_ url: String, _ change: (inout Request) -> Void = { _ in }) throws -> Request {
  var request = Request(try Address(url))
  change(&request)
  return request
}
