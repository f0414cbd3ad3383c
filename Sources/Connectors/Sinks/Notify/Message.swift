import Engine
import JSON
import Language
import System

/// A message for a service: title, body, and what else services can show.
struct Message: StorableValue, JSONRecord, Sendable, Equatable {
  var title: String
  var body = ""
  /// From 1, the lowest, to 5.
  var priority = 3
  var link = ""
  /// The address of a picture, or the path of that of a page.
  var picture = ""
  var tags: [String] = []

  /// The title and the body as one line.
  var line: String { body.isEmpty ? title : "\(title): \(body)" }

  /// The title, and the link below it: what a digest has of each.
  var linked: String { link.isEmpty ? title : "\(title)\n\(link)" }

  init(title: String, body: String = "") {
    let text = NotificationText(title: title, body: body)
    (self.title, self.body) = (text.title, text.body)
  }

  /// A priority as it is written: from 1 to 5, or a word.
  static func priority(_ text: String) throws(Sentence) -> Int {
    if let number = Int(text), (1...5).contains(number) { return number }
    if let index = priorities.firstIndex(of: text) { return index + 1 }
    throw Sentence("\(quoted(text)) is not a priority: \(alternatives(priorities)), or 1 to 5")
  }

  static let priorities = ["min", "low", "normal", "high", "urgent"]

  /// A link or the address of a picture: only what a browser may open.
  static func link(_ text: String, _ what: String) throws(Sentence) -> String {
    if text.isEmpty || text == "null" { return "" }
    guard text.hasPrefix("https://") || text.hasPrefix("http://"),
      !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f })
    else {
      throw Sentence("\(what): \(quoted(text)) is not an address that begins with https:// or http://")
    }
    return text
  }

  // What is stored has been cut to its length.
  static let form = RecordForm<Self>(
    { title in
      var message = Self(title: "")
      message.title = title
      return message
    }, Field("title", \.title)
  )
  .with("body", \.body, unless: "").with("link", \.link, unless: "").with("picture", \.picture, unless: "")
  .with("priority", \.priority, unless: 3).with("tags", \.tags, unless: [])
}
