import Engine
import Language

/// The version of this flow, which reports, recordings and requests name, and the command that prints it.
///
///     flow version            // VersionCommand.line
///     flow version --check    // and the newer ones: VersionCheck.swift
enum VersionCommand {
  static let version = "0.3.0"
  /// The version by which the machines of a cluster know each other.
  ///
  /// In debug builds a test has one of its machines be of another version.
  static let inCluster: String = {
    #if DEBUG
      if let other = Terminal.environment("FLOW_TEST_VERSION") { return other }
    #endif
    return version
  }()
  /// The day of the version, for manual pages.
  static let date = "2026-11-29"
  /// The version, with that of the language of expressions.
  static let line = "flow \(version) (jq 1.8)\n"

  static let check = CommandOption(
    "check", .flag, "ask the feed of releases, which config.yaml names, for newer versions")
}
