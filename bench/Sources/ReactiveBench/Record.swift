/// An element with two references in it, as a launch has.
struct Record: Sendable {
  var id: Int
  var name: String
  var tags: [String]
  var weight: Double

  static let sample = Record(
    id: 1, name: "a name that does not fit into the string itself", tags: ["a"], weight: 1)

  func adding(_ number: Int) -> Record {
    var copy = self
    copy.id &+= number
    return copy
  }
}
