import CGlibc
import Glibc

/// The names that rotation by other programs gives a file: `x`, then `x.1`, `x.2`, and so on.
package struct RotatedNames {
  private let path: String
  private static let most = 99

  package init(of path: String) { self.path = path }

  private func name(_ number: Int) -> String { number == 0 ? path : "\(path).\(number)" }

  private func number(of file: FileIdentity) -> Int? {
    (0...Self.most).first { FileIdentity(at: name($0)) == file }
  }

  /// The current name of a file; nil if it has none of these.
  package func name(of file: FileIdentity) -> String? { number(of: file).map(name) }

  /// The name of the file that was begun after another one; the first, if that one has none of these names.
  ///
  /// While files are being renamed, one may be missing between the two. If the names are in reverse order, so that
  /// `x.2` is newer than `x.1`, older files are not read again.
  package func next(after file: FileIdentity) -> String {
    guard let number = number(of: file), number > 0, let begin = beginning(of: name(number)) else {
      return path
    }
    return (1..<number).reversed().map(name).first { beginning(of: $0).map { $0 > begin } ?? false } ?? path
  }

  package func exists(_ name: String) -> Bool { FileIdentity(at: name) != nil }

  /// When a file was created or, if that is unknown, last modified.
  private func beginning(of name: String) -> (Int64, UInt32)? {
    var status = statx()
    guard statx(AT_FDCWD, name, 0, UInt32(STATX_BTIME | STATX_MTIME), &status) == 0 else { return nil }
    let time = status.stx_mask & UInt32(STATX_BTIME) != 0 ? status.stx_btime : status.stx_mtime
    return (time.tv_sec, time.tv_nsec)
  }
}
