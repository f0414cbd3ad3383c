/// When a file gives its name to a new one, and what is kept of those before.
struct Rotation: Sendable {
  /// Bytes that a file is not to grow beyond, except by one buffer that alone is larger.
  var size: Int?
  /// Seconds after its beginning that a file is written to no more.
  var age: Int?
  /// How many old files stay, one at least.
  var keep = 7
  /// Old files are packed.
  var gzip = false
}
