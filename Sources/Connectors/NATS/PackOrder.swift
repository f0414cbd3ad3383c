import Engine
import JSON

/// The order of a task's packs as they are read: each comes once, behind the one before it.
///
/// A pack may be stored twice, or behind a later one, when its sender had to publish it again. So one that is too early
/// waits, and the position stays before it; one that was taken is skipped.
///
///     var order = PackOrder(position: nil)
///     order.add(second, at: 7)
///     order.take(through: 7)  // []
///     order.add(first, at: 8)
///     order.take(through: 8)  // first, second
struct PackOrder {
  /// A pack, with the pack that continues it if there is one, and what is stored when it has been delivered.
  struct Ready {
    let pack: Pack
    let position: [(String, Value)]
  }

  /// The chain of the sender's packs, and the ordinal of the last one that was taken.
  private var chain: String
  private var ordinal: Int64
  /// Chains from before the sender's state was removed.
  private var past: [String]
  /// Packs that are too early, by ordinal.
  private var early: [Int64: (pack: Pack, sequence: UInt64)] = [:]
  /// The pack that the next one continues, and where it began.
  private var begun: (pack: Pack, sequence: UInt64)?
  private var ready: [(pack: Pack, sequence: UInt64)] = []

  init(position: Value?) {
    chain = position?.member("chain")?.string ?? ""
    ordinal = position?.member("ordinal")?.string.flatMap { Int64($0) } ?? 0
    past = position?.member("past")?.items?.compactMap(\.string) ?? []
  }

  /// The ordinal of a pack that has not come while later ones have, or the one that it continues.
  var missing: Int64? { early.isEmpty && begun == nil ? nil : ordinal + 1 }

  mutating func add(_ pack: Pack, at sequence: UInt64) {
    if pack.chain != chain {
      if past.contains(pack.chain) { return }
      if !chain.isEmpty { past = past.suffix(7) + [chain] }
      (chain, ordinal, early, begun) = (pack.chain, 0, [:], nil)
    }
    guard pack.ordinal > ordinal, early[pack.ordinal] == nil else { return }
    early[pack.ordinal] = (pack, sequence)
    while let next = early.removeValue(forKey: ordinal + 1) {
      ordinal += 1
      // Whatever of it lies behind others is read again if it was not delivered.
      let first = min(begun?.sequence ?? .max, next.sequence)
      var whole = begun?.pack ?? next.pack
      if begun != nil { whole.add(next.pack) }
      begun = whole.isContinued ? (whole, first) : nil
      if begun == nil { ready.append((whole, first)) }
    }
  }

  /// The packs whose turn has come, of what was read up to a sequence.
  mutating func take(through last: UInt64) -> [Ready] {
    // What is not delivered must be read again after a restart: the first of it ends what is done.
    var first = early.values.map(\.sequence).min() ?? .max
    if let begun { first = min(first, begun.sequence) }
    var found: [Ready] = []
    for entry in ready.reversed() {
      var position: [(String, Value)] = [
        ("sequence", .string("\(min(last, first - 1))")), ("chain", .string(entry.pack.chain)),
        ("ordinal", .string("\(entry.pack.ordinal)")),
      ]
      // As of that pack, which may be one of the chain before.
      let past = past.prefix { $0 != entry.pack.chain }
      if !past.isEmpty { position.append(("past", .array(past.map { .string($0) }))) }
      found.append(Ready(pack: entry.pack, position: position))
      first = min(first, entry.sequence)
    }
    ready = []
    return found.reversed()
  }
}
