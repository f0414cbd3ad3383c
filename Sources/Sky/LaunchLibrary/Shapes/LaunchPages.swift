import JSON
import Synchronization

/// Launches as they were written last: between two changes of a launch it is written alike each time.
final class LaunchPages: Sendable {
  private struct Name: Hashable {
    let id: String
    let version: LaunchShape.Version
    let mode: LaunchShape.Mode
    let origin: String
    let linkSuffix: String
  }

  private struct Page {
    let lastUpdated: SkyTime
    let value: Value
  }

  /// A page takes up to a hundred, and few shapes are asked for at a time.
  private static let most = 2000

  private let pages = Mutex<[Name: Page]>([:])

  func write(_ launch: LaunchState, as shape: LaunchShape) -> Value {
    let name = Name(
      id: launch.id, version: shape.version, mode: shape.mode, origin: shape.origin,
      linkSuffix: shape.linkSuffix)
    if let page = pages.withLock({ $0[name] }), page.lastUpdated == launch.lastUpdated { return page.value }
    let value = shape.write(launch)
    pages.withLock { pages in
      if pages.count >= Self.most { pages.removeAll() }
      pages[name] = Page(lastUpdated: launch.lastUpdated, value: value)
    }
    return value
  }
}
