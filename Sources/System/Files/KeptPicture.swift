import Glibc

/// A picture of a page in a file that is named by its content.
///
/// Paths to them go with events, and so come from recordings too; no other file is read by them.
public struct KeptPicture: Sendable, Equatable {
  public var path: String
  /// The path of the picture that was taken of the same page before; nil for the first.
  public var before: String?

  public init(path: String, before: String? = nil) { (self.path, self.before) = (path, before) }

  private static let limit = 64 << 20

  package static func name(of picture: [UInt8]) -> String { "\(StableHash(picture).digits).png" }

  /// The picture at a path; nil where it has gone, or where the file is another one.
  package static func read(_ path: String) -> [UInt8]? {
    guard path.hasPrefix("/"), path.hasSuffix(".png"), let bytes = try? readFile(path, limit: limit),
      splitPath(path).name == name(of: bytes)
    else { return nil }
    return bytes
  }

  /// The mode of a picture that an event names: read-only, by which the removal of old ones knows it.
  package static let named: UInt32 = 0o400

  /// Marks a picture that an event names which has come to a sink.
  package static func name(at path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode == S_IFREG | 0o600, read(path) != nil else { return }
    chmod(path, named)
  }
}
