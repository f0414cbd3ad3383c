import Foundation
import Store

/// The rows that a sink `sql` has given up, among the dead letters of a pipeline's state.
struct RefusedRows {
  private struct Rows: Decodable { let set: [[Int]] }

  private let path: String

  init(of pipeline: String, in place: Place) { path = place["state/flow/\(pipeline).db"] }

  private var state: StateFile? {
    get throws { FileManager.default.fileExists(atPath: path) ? try StateFile(path: path) : nil }
  }

  /// The numbers in them.
  var numbers: [Int] {
    get throws {
      try state?.deadLetters(limit: 100_000).flatMap { letter in
        try JSONDecoder().decode(Rows.self, from: Data(letter.entry.bytes)).set.flatMap { $0 }
      } ?? []
    }
  }

  /// Has the next life retry half of the first ones; false where there is no state yet.
  func retryHalf() throws -> Bool {
    guard let state = try state else { return false }
    let letters = try state.deadLetters(limit: 100_000).prefix(20)
    try state.update { epoch throws(StoreError) in
      for letter in letters where letter.number % 2 == 0 { try epoch.retry(deadLetter: letter.number) }
    }
    return true
  }
}
