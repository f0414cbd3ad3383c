import Foundation
import Loopback
import Reactive
import System
import TestSupport

@testable import Browser
@testable import Fetch

/// Chromium for tests: skipped where it is not installed, but for CI, which installs it by `make setup-page`.
enum Chromium {
  static let skipped = "there is no Chromium; make setup-page installs it"

  static var isWanted: Bool {
    isCI || (try? settings(in: "/tmp").program()) != nil
  }

  static func settings(in folder: String) -> BrowserSettings {
    var settings = BrowserSettings(folder: folder)
    settings.hasSandbox = geteuid() != 0
    return settings
  }
}

/// A transport that must not be used.
struct NoTransport: Transport {
  func start(
    _ order: TransferOrder, completion: @escaping @Sendable (Result<TransferResponse, TransferError>) -> Void
  ) -> Subscription {
    completion(.failure(TransferError(.failed, "not a page")))
    return Subscription()
  }
}

/// One browser for all tests of a process, which is what it is for.
final class SharedBrowser: Sendable {
  static let shared = Result { try SharedBrowser() }

  private let folder: TemporaryFolder
  let transport: BrowserTransport

  private init() throws {
    folder = try TemporaryFolder()
    transport = BrowserTransport(over: NoTransport(), Chromium.settings(in: folder.path))
  }
}

/// The result of a page that a server on loopback has, as the transport gives it.
func visit(
  _ address: String, through own: BrowserTransport? = nil,
  limits: TransferLimits = TransferLimits(), _ change: (inout PageOrder) -> Void = { _ in }
) throws -> Result<TransferResponse, TransferError> {
  let transport = try own ?? SharedBrowser.shared.get().transport
  var page = PageOrder(source: "shop")
  // Of a busy machine.
  page.patience = .seconds(60)
  change(&page)
  let order = TransferOrder(
    method: .get, address: try Address(address), headers: [], body: [], limits: limits, page: page)
  let result = ConditionLock<Result<TransferResponse, TransferError>?>(nil)
  _ = transport.start(order) { found in result.change { $0 = found } }
  return result.wait { $0 } ?? .failure(TransferError(.failed, "no result"))
}

extension Result where Success == TransferResponse, Failure == TransferError {
  var body: String { (try? get()).map { String(decoding: $0.body, as: UTF8.self) } ?? "\(self)" }
  var failure: String? { if case .failure(let error) = self { error.message } else { nil } }
  var status: Int? { (try? get())?.status }
}

extension LoopbackServer.Step {
  static func html(_ body: String, status: String = "200 OK", _ headers: [String] = []) -> Self {
    .reply(body, status: status, ["Content-Type: text/html; charset=utf-8"] + headers)
  }
}
