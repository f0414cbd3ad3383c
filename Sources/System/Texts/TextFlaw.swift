/// The flaw of a text that cannot be read, and where it is.
public struct TextFlaw: Error, Equatable, Sendable {
  public var line: Int
  public var column: Int?
  public var reason: String

  public init(_ reason: String, line: Int = 1, column: Int? = nil) {
    self.line = line
    self.column = column
    self.reason = reason
  }
}
