import Reactive
import Store

/// The records of sites in a journal, so that all machines of a cluster stay within a budget together.
public final class JournalSites: SharedSites {
  private let journal = Locked<(any Journal)?>(nil)

  public init() {}

  /// Keeps records there; until then there is no request.
  public func use(_ journal: any Journal) { self.journal.withLock { $0 = journal } }

  private func connected() throws(StoreError) -> any Journal {
    guard let journal = journal.withLock({ $0 }) else { throw Self.unavailable("not connected") }
    return journal
  }

  private static func unavailable(_ reason: String) -> StoreError {
    StoreError("the cluster's budgets", .unavailable, reason)
  }

  public func record(of site: String) throws(StoreError) -> (bytes: [UInt8]?, version: UInt64) {
    let journal = try connected()
    do throws(JournalError) {
      let record = try journal.shared(site)
      return (record?.bytes, record?.sequence ?? 0)
    } catch { throw Self.unavailable(error.description) }
  }

  public func replace(_ site: String, with bytes: [UInt8], version: UInt64) throws(StoreError) -> Bool {
    let journal = try connected()
    do throws(JournalError) {
      _ = try journal.share(bytes, as: site, after: version)
      return true
    } catch {
      switch error {
      // Where it is not known whether it has happened, it is paid again: rather a request too few.
      case .conflict, .inDoubt: return false
      case .full, .unavailable, .refused: throw Self.unavailable(error.description)
      }
    }
  }
}
