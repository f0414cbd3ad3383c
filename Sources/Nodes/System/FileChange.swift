/// What happened to a file that is followed, by its name.
enum FileChange: Equatable, Sendable {
  /// It is not there yet; it will be followed when it is.
  case missing
  /// It is not the file that was read before, which is not there any more; it is read from its beginning.
  case replaced
  /// It has been made, or another has taken its name, and is followed from its beginning.
  case begun
  /// The name has gone; the file is followed on until another takes its name.
  case gone
  /// Something has its name that cannot be followed, now that a file was; that may pass.
  case unreadable(reason: String)
  /// It has become shorter than what was read of it, and is read from its beginning.
  case truncated
}
