/// The order for a page that a browser shows: what it does there, what it waits for, and what it reads.
public struct PageOrder: Sendable, Equatable {
  public enum Action: Sendable, Equatable {
    case click(String)
    /// The value of a field, which may be a secret.
    case fill(String, String)
    /// A key by its name, as `Enter`.
    case press(String)
    case select(String, String)
    /// Scrolls to the end of the page some times; nil for as long as it grows.
    case scroll(times: Int?)
    case find(String)
    case pause(Duration)
    case script(String)

    /// The keys that have a name.
    public static let keys = [
      "Enter", "Tab", "Escape", "Space", "Backspace", "Delete", "ArrowLeft", "ArrowUp", "ArrowRight",
      "ArrowDown",
      "PageUp", "PageDown", "Home", "End",
    ]
  }

  /// The resources that a page goes without.
  public enum Kind: String, CaseIterable, Sendable { case images, fonts, media }

  /// The source that reads it.
  public var source: String
  public var actions: [Action] = []
  /// The selector of what it must show.
  public var selector: String?
  /// Whether it must have come to rest.
  public var isIdle = false
  /// How long it is left alone after that.
  public var pause = Duration.zero
  /// How long each of its waits may take.
  public var patience = Duration.seconds(20)
  public var dismissesBanners = false
  public var blockedKinds: [Kind] = []
  /// Patterns of addresses that it must not load.
  public var blockedAddresses: [String] = []
  public var width = 1280
  public var height = 800
  public var userAgent: String?
  public var language: String?
  public var timeZone: String?
  /// A folder that keeps cookies and storage.
  public var profile: String?
  /// The pattern of the request of the page whose response is read in place of the document.
  public var response: String?

  /// Whether the JSON of all its requests is kept.
  public var keepsData = false

  /// The selector of what a picture is taken of, empty for the window; nil for none.
  public var picture: String?

  public init(source: String) { self.source = source }

  /// The texts in it that may be secrets.
  var values: [String] {
    actions.compactMap { action in
      switch action {
      case .fill(_, let value), .select(_, let value), .script(let value): value
      default: nil
      }
    }
  }

  /// Whether an address matches a pattern: of the whole, or, beginning with a slash, of its path and query.
  ///
  ///     PageOrder.matches("/api/items*", "https://example.org/api/items?page=1")
  public static func matches(_ pattern: String, _ address: String) -> Bool {
    var text = Array(address.utf8)[...]
    if pattern.hasPrefix("/"), let scheme = address.firstIndex(of: ":") {
      let rest = address[scheme...].dropFirst(3)
      text = Array(rest.utf8).drop { $0 != 0x2f }
    }
    return matches(Array(pattern.utf8)[...], text)
  }

  private static func matches(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
    var (pattern, text) = (pattern, text)
    // Where to go on after the last star, with one more character for it.
    var retry: (pattern: ArraySlice<UInt8>, text: ArraySlice<UInt8>)?
    while true {
      if let first = pattern.first, first == 0x2a {
        pattern = pattern.dropFirst()
        retry = (pattern, text)
      } else if let first = text.first, first == pattern.first {
        (pattern, text) = (pattern.dropFirst(), text.dropFirst())
      } else if text.isEmpty, pattern.isEmpty {
        return true
      } else if let last = retry, !last.text.isEmpty {
        (pattern, text) = (last.pattern, last.text.dropFirst())
        retry = (pattern, text)
      } else {
        return false
      }
    }
  }
}
