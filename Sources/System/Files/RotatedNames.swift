import CGlibc
import Glibc

/// The names that a file has when somebody else rotates it: `x`, then `x.1`, `x.2`, and so on.
package struct RotatedNames {
  private let path: String
  private static let most = 99

  package init(of path: String) { self.path = path }

  private func name(_ number: Int) -> String { number == 0 ? path : "\(path).\(number)" }

  private func number(of file: FileIdentity) -> Int? {
    (0...Self.most).first { FileIdentity(at: name($0)) == file }
  }

  /// The name that a file has now, nil where it has none of these.
  package func name(of file: FileIdentity) -> String? { number(of: file).map(name) }

  /// The name of the file that was begun after another one; after one that has none of these names, the first.
  ///
  /// While names move, one may be missing between the two. Where they are given the other way round, so that `x.2` is
  /// newer than `x.1`, what was begun before is not read again.
  package func next(after file: FileIdentity) -> String {
    guard let number = number(of: file), number > 0, let begin = beginning(of: name(number)) else {
      return path
    }
    return (1..<number).reversed().map(name).first { beginning(of: $0).map { $0 > begin } ?? false } ?? path
  }

  package func exists(_ name: String) -> Bool { FileIdentity(at: name) != nil }

  /// When a file was made; where the system does not know, when it was last written to.
  private func beginning(of name: String) -> (Int64, UInt32)? {
    var status = statx()
    guard statx(AT_FDCWD, name, 0, UInt32(STATX_BTIME | STATX_MTIME), &status) == 0 else { return nil }
    let time = status.stx_mask & UInt32(STATX_BTIME) != 0 ? status.stx_btime : status.stx_mtime
    return (time.tv_sec, time.tv_nsec)
  }
}
