import Fetch

/// A page with all that a pipeline could take of it: its document, its picture with the places of its elements, and the
/// JSON that it has requested.
public struct PageSurvey: Sendable {
  /// A response with JSON that the page has received.
  public struct Data: Sendable {
    public let address: String
    public let body: [UInt8]
  }

  /// The height from which on a page is not in the picture.
  public static let mostHeight = 12_000

  public let status: Int
  /// The media type of what the address has, as `text/html`.
  public let type: String
  /// The address that the browser has come to.
  public let address: Address
  /// The document, in UTF-8, in which each element that is shown has its number as an attribute.
  public let document: [UInt8]
  /// The name of that attribute.
  public let mark: String
  /// The left and upper edge, width and height of the elements, by number.
  public let boxes: [[Int]]
  public let width: Int
  public let height: Int
  /// The picture, as WebP.
  public let picture: [UInt8]
  public let data: [Data]
  /// Whether a cookie banner has been clicked away.
  public let hasBanner: Bool

  /// The area of each element, by number.
  public var areas: [Int] { boxes.map { $0.count == 4 ? $0[2] * $0[3] : 0 } }
}
