/// How much is read, parsed and held at once.
struct ReadLimits: Sendable {
  /// Bytes read at once.
  var chunk = 1 << 18
  /// Bytes of the largest line or value; a larger one is passed over and reported.
  var value = 16 << 20
  /// Values handed out at once.
  var batch = 1024
  /// Bytes of lines from which on they share one document.
  var together = 1 << 14
}
