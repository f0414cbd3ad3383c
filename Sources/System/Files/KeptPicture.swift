/// A picture of a page in a file that is named by its content.
///
/// Paths to them go with events, and so come from recordings too; no other file is read by them.
package enum KeptPicture {
  private static let limit = 64 << 20

  package static func name(of picture: [UInt8]) -> String { "\(StableHash(picture).digits).png" }

  /// The picture at a path; nil where it has gone, or where the file is another one.
  package static func read(_ path: String) -> [UInt8]? {
    guard path.hasPrefix("/"), path.hasSuffix(".png"), let bytes = try? readFile(path, limit: limit),
      splitPath(path).name == name(of: bytes)
    else { return nil }
    return bytes
  }
}
