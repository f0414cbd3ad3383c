/// What a table keeps under a key: bytes in the file, whatever is handy in memory.
///
/// It is made into bytes when an epoch is committed, so what is written many times in between costs that once.
public protocol Storable: Sendable {
  /// Nil where the bytes are not what `stored` makes.
  init?(stored bytes: [UInt8])

  var stored: [UInt8] { get }

  /// About how many bytes it takes, as far as that can be said without making them.
  var storedSize: Int { get }
}

extension [UInt8]: Storable {
  public init?(stored bytes: [UInt8]) { self = bytes }

  public var stored: [UInt8] { self }

  public var storedSize: Int { count }
}
