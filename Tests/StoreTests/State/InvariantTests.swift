import Expectations
import Testing

@testable import Store

/// Invariants of a state that does not hold what it should: nothing more is written, and the flaw stays known.
@Suite struct InvariantTests {
  let folder: Folder
  init() throws { folder = try Folder() }

  private func fill(_ state: StateFile) throws {
    try state.commit { epoch throws(StoreError) in try epoch.set(.integer(1), owner: "o", name: "n") }
  }

  @Test("an epoch that does not follow its predecessor is not written, and neither is what comes behind it")
  func epochs() throws {
    do {
      let state = try folder.open()
      try fill(state)
      // A fault of the disk, or of another program.
      try state.database.transaction { () throws(StoreError) in
        try Epoch(number: 1, database: state.database).store(.integer(7), owner: "", name: "epoch")
      }
      let failed = failure { try fill(state) }
      expect(failed?.kind, equals: .inconsistent)
      expect(
        failed?.description,
        equals: "\(folder.file): the state is inconsistent: the epoch 2 was to be written behind the epoch 7")
      #expect(failure { try state.update { _ in } }?.kind == .inconsistent)
    }
    let state = try folder.open()
    // The flaw that was found last.
    expect(try state.flaw(), equals: "the epoch 1 was to be written beside the epoch 7")
    expect(try state.fact(owner: "o", name: "n")?.integer, equals: 1)
    try state.update { epoch throws(StoreError) in try epoch.forgetFlaw() }
    expect(try state.flaw(), equals: nil)
    try fill(state)
  }

  @Test(
    "an output, and a mark, beyond the epoch that makes it are refused, and the rest of the epoch with them")
  func places() throws {
    let state = try folder.open()
    try fill(state)
    let beyond = OutputPlace(epoch: 9, index: 0)
    let reason = "an output of s was to be at 0 of the epoch 9, and the epoch is 2"
    let put = failure {
      try state.commit { epoch throws(StoreError) in
        try epoch.set(.integer(2), owner: "o", name: "n")
        try epoch.put(OutboxEntry(sink: "s", place: beyond, bytes: []))
      }
    }
    expect(put?.reason, equals: reason)
    let marked = failure {
      try state.commit { epoch throws(StoreError) in
        try epoch.set(.integer(2), owner: "o", name: "n")
        try epoch.markWritten(sink: "s", through: beyond)
      }
    }
    expect(marked?.reason, equals: reason)
    expect(try state.fact(owner: "o", name: "n")?.integer, equals: 1)
    #expect(try state.flaw() != nil)
  }
}
