import JSON
import System

/// The files in a folder that simulated runs have written, listed in `.simulated` there, a line of JSON each.
///
/// A simulated run replaces these and writes to no other existing file, and a real run writes to none of them.
struct SimulatedFiles: Sendable {
  private static let name = ".simulated"
  private static let mostBytes = 64 << 20

  private let list: String
  private var names: Set<String>

  /// Reads the list of a folder, if there is one.
  init(in folder: String, on disk: any Disk) throws {
    let list = "\(folder)/\(Self.name)"
    let text = try FileFailure.of(list, trying: "read") { () throws(DiskError) in
      try disk.head(of: list, count: Self.mostBytes)
    }
    self.list = list
    names = Set(
      (text ?? []).split(separator: 0x0a).compactMap { try? Value.parse(Array($0)).string })
  }

  /// Whether the list has a file, by its path below the folder.
  func contains(_ name: String) -> Bool { names.contains(name) }

  mutating func add(_ name: String, on disk: any Disk) throws {
    if !names.insert(name).inserted { return }
    try AppendFile(list, on: disk).append(Value.string(name).json + [0x0a])
  }
}
