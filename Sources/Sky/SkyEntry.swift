/// A service of a sky, and what the page at `/` says of it.
public struct SkyEntry: Sendable {
  /// As the source is called that reads it.
  public let name: String
  public let service: any SkyService
  /// Some paths to try.
  public let paths: [String]

  public init(_ name: String, _ service: any SkyService, paths: [String]) {
    (self.name, self.service, self.paths) = (name, service, paths)
  }

  /// Launch Library 2 over a world of launches.
  public static func launchLibrary(_ world: LaunchWorld) -> SkyEntry {
    SkyEntry(
      "launch_library", LaunchLibraryService(world),
      paths: LaunchShape.Version.allCases.map { "/\($0.rawValue)/\($0.folder)/upcoming/?limit=10" })
  }
}
