/// How much a file may ask for: what a person writes is far below, what would harm is above.
public struct Limits: Sendable {
  /// The size of the file.
  public var bytes = 4 << 20
  /// Keys and values in all, each alias counting as much as what it stands for.
  public var nodes = 100_000
  /// Mappings and sequences within each other.
  public var depth = 64
  /// Syntax errors after which the rest of the file is left unread.
  public var syntaxErrors = 20

  public init() {}
}
