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

extension BudgetRules {
  /// How many requests the budget can pay now; nil without limits.
  func left(at now: Double) -> Int? {
    if block(at: now) == nil, windows(at: now).isEmpty { return nil }
    var count = 0
    while let time = time(for: count + 1, at: now), time <= now { count += 1 }
    return count
  }
}

extension Client {
  /// How many requests like this the budget can pay now.
  func left(of request: Request) throws(StoreError) -> Int? {
    let (key, budget, now) = (request.budgetKey, budget(of: request.address.site), wallClock())
    return try file.withLock { file throws(StoreError) in
      BudgetRules(budget, try file.site(key)).left(at: now)
    }
  }
}
