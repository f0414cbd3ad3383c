/// Invariants of a state that each transaction checks, at the price of a look-up: they stay on in release.
///
/// One that does not hold is a fault of flow, of the disk or of memory, and what comes behind it cannot be trusted. The
/// transaction is undone, and the flaw is noted in the file: nothing else is written until `flow state reset` was used.
extension Epoch {
  /// Fails the transaction where an invariant does not hold.
  func demand(_ holds: Bool, _ flaw: @autoclosure () -> String) throws(StoreError) {
    if !holds { throw StoreError(database.path, .inconsistent, flaw()) }
  }

  /// An epoch follows its predecessor, and an update belongs to the last one.
  func checkNumber(endsEpoch: Bool) throws(StoreError) {
    let stored = try database.fact(owner: "", name: "epoch")?.integer ?? 0
    try demand(
      number == (endsEpoch ? stored + 1 : stored),
      "the epoch \(number) was to be written \(endsEpoch ? "behind" : "beside") the epoch \(stored)")
  }

  /// No output lies beyond the epoch that makes it.
  func checkPlace(_ place: OutputPlace, of sink: String) throws(StoreError) {
    try demand(
      place.epoch <= number && place.index >= 0,
      "an output of \(sink) was to be at \(place.index) of the epoch \(place.epoch), and the epoch is \(number)"
    )
  }

  /// Forgets the flaw that was noted; for a user who has decided how to go on.
  public func forgetFlaw() throws(StoreError) {
    try database.statement("DELETE FROM facts WHERE owner = '' AND name = '\(StateFile.flawFact)'").run()
  }
}

extension StateFile {
  static let flawFact = "flaw"

  /// The invariant that did not hold in a run before; nil where all did.
  public func flaw() throws(StoreError) -> String? {
    try database.fact(owner: "", name: Self.flawFact)?.text
  }

  /// Notes a flaw as well as possible; a disk that takes nothing keeps it from being known.
  func note(flaw: String) {
    try? database.transaction { () throws(StoreError) in
      try Epoch(number: epoch, database: database).store(.text(flaw), owner: "", name: Self.flawFact)
    }
  }
}
