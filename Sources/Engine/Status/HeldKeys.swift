import Language
import Reactive
import Store
import System

/// A key that a node holds in the state, with its value, both as text.
package struct HeldKey: Sendable, Equatable {
  package var key: String
  package var value: String

  package init(key: String, value: String) { (self.key, self.value) = (key, value) }

  fileprivate init(_ stored: StoredKey) {
    (key, value) = (HeldKey.text(stored.key), HeldKey.text(stored.value))
  }

  /// Without secrets; of what is not text there is the size.
  private static func text(_ bytes: [UInt8]) -> String {
    String(validating: Secrets.shown(sealed: bytes), as: UTF8.self) ?? "(\(bytes.count) bytes)"
  }
}

extension PipelineRun {
  /// The first keys that a node holds, by age or by name, as the last commit stored them; from any thread but the lane's.
  ///
  /// None where the pipeline keeps no state, or the lane does not come to it in time.
  package func heldKeys(
    of node: String, limit: Int = 20, within time: Duration = .seconds(1)
  ) -> [HeldKey] {
    let answer = ConditionLock<[HeldKey]?>(nil)
    lane.scheduler.perform { [lane] in
      let keys = lane.checkpointer?.heldKeys(of: node, limit: limit) ?? []
      answer.change { $0 = keys.map(HeldKey.init) }
    }
    return answer.wait(until: MonotonicClock.now + time, for: { $0 }) ?? []
  }
}

extension Checkpointer {
  fileprivate func heldKeys(of node: String, limit: Int) -> [StoredKey] {
    let file = state.value.file
    let tables =
      (try? file.storedTables())?.filter { $0.keys > 0 }.map(\.node)
      .filter { $0 == node || $0.hasPrefix(node + "@") } ?? []
    var keys: [StoredKey] = []
    for table in tables where keys.count < limit {
      keys += (try? file.storedKeys(of: table, limit: limit - keys.count)) ?? []
    }
    return keys
  }
}
