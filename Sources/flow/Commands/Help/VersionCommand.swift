/// The version of this flow, which reports, recordings and requests name, and the command that prints it.
enum VersionCommand {
  static let version = "0.3.0"
  /// The day of the version, for manual pages.
  static let date = "2026-11-29"
}
