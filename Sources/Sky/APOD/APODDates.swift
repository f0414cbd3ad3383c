// Dates as the service reads them, which is written in Python: its messages are what clients see.

/// What is wrong with a request, in the service's words.
struct APODProblem: Error {
  var status = 400
  var message: String
  /// Whether the names of all fields follow the message.
  var saysFields = false
}

extension SkyDate {
  /// A day as `strptime` reads `%Y-%m-%d`: month and day may be of one digit.
  init(asPython text: String) throws(APODProblem) {
    let parts = text.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
    let mismatch = APODProblem(message: "time data '\(text)' does not match format '%Y-%m-%d'")
    guard parts.count == 3, parts[0].utf8.count == 4, let year = SkyDate.number(parts[0]), year > 0,
      (1...2).contains(parts[1].utf8.count), let month = SkyDate.number(parts[1]), (1...12).contains(month)
    else { throw mismatch }
    // As many digits as make a day of a month.
    let digits = parts[2].prefix { $0.isASCII && $0.isNumber }.prefix(2)
    let two = SkyDate.number(digits) ?? 0
    let taken = (1...31).contains(two) ? digits : digits.prefix(1)
    guard let day = SkyDate.number(taken), day > 0 else { throw mismatch }
    let rest = parts[2].dropFirst(taken.count)
    if !rest.isEmpty { throw APODProblem(message: "unconverted data remains: \(rest)") }
    if day > SkyDate.days(in: month, of: year) { throw APODProblem(message: "day is out of range for month") }
    self.init(year, month, day)
  }
}
