/// The flaw of a text that cannot be read, and where it is.
///
///     throw TextFlaw("the text has no element", line: 3, column: 7)
///
/// Lines and columns count from 1; without a column the whole line is meant.
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
