import System
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

let divisor = ProcessInfo.processInfo.environment["FLOW_TEST_DIVISOR"].flatMap { Int($0) } ?? 1
