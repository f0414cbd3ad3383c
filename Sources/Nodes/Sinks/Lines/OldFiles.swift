import System
import Engine
import Language

/// The files that a file gave its name up for: `x.1` is the newest, then `x.2`, and so on; packed, `x.1.gz`.
struct OldFiles {
  let path: String
  /// How many there may be, one at least.
  let keep: Int
  let disk: any Disk

  init(of path: String, keep: Int, on disk: any Disk) {
    self.path = path
    self.keep = max(keep, 1)
    self.disk = disk
  }

  func name(_ number: Int) -> String { "\(path).\(number)" }
  func packedName(_ number: Int) -> String { "\(path).\(number).gz" }

  func identity(_ number: Int) -> FileIdentity? { disk.status(of: name(number))?.identity }

  /// The number that a file has now, nil where it is none of these, or packed.
  func number(of file: FileIdentity) -> Int? { (1...keep).first { identity($0) == file } }

  /// Those that are not packed, the newest first; a crash may have left one gap.
  var unpacked: [Int] {
    var numbers: [Int] = []
    var missing = 0
    for number in 1...keep where missing < 2 {
      if disk.exists(name(number)) { numbers.append(number) }
      missing = disk.exists(name(number)) || disk.exists(packedName(number)) ? 0 : missing + 1
    }
    return numbers
  }

  /// Takes the file's name from it, freeing the first number for it; whenever this stops, each line is in one file.
  func add() throws(FileFailure) {
    let taken = (1...keep).prefix { disk.exists(name($0)) || disk.exists(packedName($0)) }.count
    if taken == keep {
      disk.unlink(name(keep))
      disk.unlink(packedName(keep))
    }
    // From the oldest on.
    for number in stride(from: min(taken, keep - 1), to: 0, by: -1) {
      for name in [name, packedName] where disk.exists(name(number)) {
        try rename(name(number), to: name(number + 1))
      }
    }
    try rename(path, to: name(1))
  }

  /// Ends what a crash has interrupted: half a packed file, or one of which the other form is still there.
  func tidy() {
    for number in Set([1] + unpacked) {
      disk.unlink("\(packedName(number)).tmp")
      if disk.exists(packedName(number)) { disk.unlink(name(number)) }
    }
  }

  // MARK: - Set aside

  /// A name for a file that is none of ours, from this number on.
  func asideName(_ number: Int) -> String { "\(path).aside-\(number)" }

  /// How many were set aside, as far as they are all there.
  var asideCount: Int { (1...).lazy.map(asideName).prefix { disk.exists($0) }.count }

  /// Those that were set aside behind so many, the oldest first.
  func aside(behind count: Int) -> [String] {
    Array((1...).lazy.map(asideName).prefix { disk.exists($0) }.dropFirst(count))
  }

  /// Those that were set aside from a file on, the oldest first; none where it is not among them.
  func aside(from file: FileIdentity) -> [String] {
    let names = (1...).lazy.map(asideName).prefix { disk.exists($0) }
    return Array(names.drop { disk.status(of: $0)?.identity != file })
  }

  /// Gives files other names, the newest first, so that the oldest is found by its name until all are done.
  ///
  /// A file that has lost its name already stays as it is.
  func setAside(_ files: [(name: String, identity: FileIdentity)]) throws(FileFailure) -> [(
    old: String, new: String
  )] {
    let names = (1...).lazy.map(asideName).filter { !disk.exists($0) }.prefix(files.count)
    var done: [(String, String)] = []
    for (file, new) in zip(files, Array(names)).reversed() {
      guard disk.status(of: file.name)?.identity == file.identity else { continue }
      try rename(file.name, to: new)
      done.append((file.name, new))
    }
    return done.reversed()
  }

  private func rename(_ old: String, to new: String) throws(FileFailure) {
    try FileFailure.of(old, trying: "rename to \(new)") { () throws(DiskError) in
      try disk.rename(old, to: new)
    }
  }
}
