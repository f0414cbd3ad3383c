import CPQ
import Language
import System

/// An error of libpq or of the server.
struct PQError: Error {
  /// The server's code, five signs; empty for an error of libpq.
  var code = ""
  var message: String
  /// Whether the connection is lost, or was never made.
  var isLost = false
  /// Whether the same may succeed later.
  var mayPass: Bool
  /// Whether the server has not answered in time.
  var isSilence = false

  init(_ message: String, code: String = "", isLost: Bool = false, mayPass: Bool? = nil) {
    (self.message, self.code, self.isLost) = (message, code, isLost)
    self.mayPass = mayPass ?? (code.isEmpty ? isLost : Self.isPassing(code))
  }

  /// Whether it may be the fault of one row alone, and the others can be written.
  var isOfRow: Bool {
    !code.isEmpty && (code == Self.policy || !Self.ofAll.contains { code.hasPrefix($0) })
  }

  /// The code of a row that a policy refuses.
  static let policy = "42501"
  /// The errors that no row can be to blame for: connections, conflicts, statements, resources and the system.
  ///
  /// A trigger may raise any other code.
  static let ofAll = [
    "08", "0A", "25", "26", "28", "34", "3B", "3D", "3F", "40", "42", "53", "55", "57", "58", "XX",
  ]

  /// Connections, conflicts, resources, the system; then locks, shutdowns and a server that only reads for now.
  private static func isPassing(_ code: String) -> Bool {
    ["08", "40", "53", "57", "58", "55P03", "25006", "25P03"].contains { code.hasPrefix($0) }
  }

  /// The lines of a text of libpq as one, without the hints that are indented below them.
  static func sentence(_ text: String) -> String {
    text.split(separator: "\n").filter { !$0.hasPrefix("LOCATION:") && !$0.hasPrefix("\t") }
      .joined(separator: "; ")
  }

  /// The error of a failed login, whose text is `FATAL:  28P01: password …`.
  init(connecting text: String) {
    let message = Self.sentence(text)
    for part in message.split(separator: ":") {
      let code = part.drop { $0 == " " }
      if code.utf8.count == 5, code.contains(where: \.isNumber),
        code.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 || $0 >= 0x41 && $0 <= 0x5a })
      {
        self.init(message.replacing("\(code): ", by: ""), code: String(code), isLost: true)
        return
      }
    }
    // What libpq itself says of settings, logins and certificates will not change while it waits.
    let isFinal = ["invalid ", "password", "certificate", "SSL", "authentication", "unrecognized"].contains {
      message.has($0)
    }
    self.init(message, isLost: true, mayPass: !isFinal)
  }
}

/// The rows that statements have returned, as texts.
struct PQRows {
  fileprivate(set) var rows: [[String?]] = []

  var count: Int { rows.count }

  func text(_ row: Int, _ column: Int) -> String? {
    rows.indices.contains(row) && rows[row].indices.contains(column) ? rows[row][column] : nil
  }
}

/// The result of a statement.
final class PQResult {
  let raw: OpaquePointer

  init(_ raw: OpaquePointer) { self.raw = raw }

  deinit { flow_PQclear(raw) }

  var count: Int { Int(flow_PQntuples(raw)) }
  var columns: [(name: String, type: UInt32)] {
    (0..<flow_PQnfields(raw)).map {
      (flow_PQfname(raw, $0).map { String(cString: $0) } ?? "", flow_PQftype(raw, $0))
    }
  }
  var parameters: [UInt32] { (0..<flow_PQnparams(raw)).map { flow_PQparamtype(raw, $0) } }

  /// A value as the server writes it, without a copy; nil for null.
  @inline(__always)
  func bytes(_ row: Int32, _ column: Int32) -> UnsafeBufferPointer<UInt8>? {
    let length = flow_PQgetlength(raw, row, column)
    if length == 0, flow_PQgetisnull(raw, row, column) != 0 { return nil }
    let start = UnsafeRawPointer(flow_PQgetvalue(raw, row, column))?.assumingMemoryBound(to: UInt8.self)
    return UnsafeBufferPointer(start: start, count: Int(length))
  }

  fileprivate func field(_ name: Character) -> String {
    flow_PQresultErrorField(raw, Int32(name.asciiValue ?? 0)).map { String(cString: $0) } ?? ""
  }
}

/// A connection to a PostgreSQL server, on libpq.
///
/// Whatever waits for the server ends with the stop sign, at `end`, or where that is nil after `patience`.
final class PQConnection {
  private static let longestConnecting = Duration.seconds(15)
  /// The most bytes of an answer that is kept.
  private static let longestAnswer = 16 << 20

  private let raw: OpaquePointer
  private let stop: StopSign
  private let notices: PQNotices
  /// When what is being done has taken too long.
  var end: ContinuousClock.Instant?
  /// How long a statement may take, where there is no `end`.
  var patience = Duration.seconds(60)
  /// When a statement that is not answered is first reported; the next reports come after twice the time each.
  var firstReport = Duration.seconds(5)
  /// Called while a statement is not answered.
  var silence: () -> Void = {}
  /// When the statement was sent that is not answered yet, and when to report that.
  private var began: (sent: ContinuousClock.Instant, reportAfter: Duration)?
  /// Whether it is ready for another statement.
  var isUsable = true

  /// Connects, by `end` at the latest, which also holds for what is sent next.
  ///
  /// - Parameter noted: Called with the notices of the server, such as those that a trigger raises.
  init(
    _ url: String, _ stop: StopSign, by end: ContinuousClock.Instant? = nil,
    noted: @escaping (String) -> Void = { _ in }
  ) throws(PQError) {
    if let failure = flow_pq_load() { throw PQError(String(cString: failure), mayPass: false) }
    notices = PQNotices(noted)
    let opened = flow_pq_connect(
      url,
      { context, text in
        guard let context, let text else { return }
        Unmanaged<PQNotices>.fromOpaque(context).takeUnretainedValue().note(String(cString: text))
      }, Unmanaged.passUnretained(notices).toOpaque())
    guard let raw = opened else { throw PQError("there is no memory", isLost: true) }
    let limit = ContinuousClock.now + Self.longestConnecting
    (self.raw, self.stop, self.end) = (raw, stop, end.map { min($0, limit) } ?? limit)
    var state = Int(flow_PQstatus(raw)) == FLOW_PQ_FAILED ? 0 : FLOW_PQ_WRITING
    while state != FLOW_PQ_READY {
      guard state == FLOW_PQ_READING || state == FLOW_PQ_WRITING else {
        throw PQError(connecting: String(cString: flow_PQerrorMessage(raw)))
      }
      try wait(toWrite: state == FLOW_PQ_WRITING)
      state = Int(flow_PQconnectPoll(raw))
    }
    _ = flow_PQsetnonblocking(raw, 1)
  }

  deinit { flow_PQfinish(raw) }

  /// Runs statements without parameters, or one with them, which is given texts; the rows of all.
  @discardableResult
  func run(
    _ sql: String, _ parameters: [String?] = [], limit: Int = longestAnswer
  ) throws(PQError) -> PQRows {
    if parameters.isEmpty {
      try send(flow_PQsendQuery(raw, sql))
    } else {
      try send(
        Self.withTexts(parameters) { texts in
          flow_PQsendQueryParams(raw, sql, Int32(texts.count), nil, texts, nil, nil, 0)
        })
    }
    // Row by row, so that an answer without an end does not fill the memory.
    _ = flow_PQsetSingleRowMode(raw)
    var (found, size, isAnswered) = (PQRows(), 0, false)
    while let result = try next() {
      isAnswered = true
      guard Int(flow_PQresultStatus(result.raw)) == FLOW_PQ_SINGLE else { continue }
      found.rows.append(
        (0..<flow_PQnfields(result.raw)).map { column in
          result.bytes(0, column).map { String(decoding: $0, as: UTF8.self) }
        })
      size += found.rows[found.count - 1].reduce(16) { $0 + 16 + ($1?.utf8.count ?? 0) }
      if size > limit {
        throw PQError("the answer is longer than \(limit) bytes", isLost: true, mayPass: false)
      }
    }
    if !isAnswered { throw lost }
    return found
  }

  /// Sends a statement, and loses the connection before it is answered.
  func abandon(_ sql: String) throws(PQError) {
    try send(flow_PQsendQuery(raw, sql))
    throw PQError("the connection is lost", isLost: true)
  }

  /// Waits for notifications, and takes all that have come.
  func waitForNotifications() throws(PQError) {
    var hasCome = false
    while !hasCome {
      while let notification = flow_PQnotifies(raw) {
        flow_PQfreemem(notification)
        hasCome = true
      }
      if hasCome { return }
      try wait(toWrite: false)
      if flow_PQconsumeInput(raw) == 0 { throw lost }
    }
  }

  /// Prepares one statement, which has no name; its columns, and the types of its parameters.
  func prepare(_ sql: String) throws(PQError) -> PQResult {
    try send(flow_PQsendPrepare(raw, "", sql, 0, nil))
    _ = try onlyResult()
    try send(flow_PQsendDescribePrepared(raw, ""))
    return try onlyResult()
  }

  /// Runs the prepared statement; each row comes when it is there, and none is kept.
  ///
  /// Ends early where the body returns false: then the connection is of no more use.
  func each(
    _ parameters: [String?], _ body: (PQResult) throws(PQError) -> Bool
  ) throws(PQError) -> Bool {
    try send(
      Self.withTexts(parameters) { texts in
        flow_PQsendQueryPrepared(raw, "", Int32(texts.count), texts, nil, nil, 0)
      })
    _ = flow_PQsetSingleRowMode(raw)
    while let result = try next() {
      if Int(flow_PQresultStatus(result.raw)) == FLOW_PQ_SINGLE, try !body(result) { return false }
    }
    return true
  }

  private static func withTexts<Result>(
    _ texts: [String?], _ body: ([UnsafePointer<CChar>?]) -> Result
  ) -> Result {
    // One behind the other, each with its zero.
    var (bytes, starts): ([CChar], [Int?]) = ([], [])
    for text in texts {
      starts.append(text == nil ? nil : bytes.count)
      if let text { bytes += text.utf8CString }
    }
    return bytes.withUnsafeBufferPointer { all in
      body(starts.map { start in start.flatMap { all.baseAddress?.advanced(by: $0) } })
    }
  }

  private func onlyResult() throws(PQError) -> PQResult {
    var last: PQResult?
    while let result = try next() { last = result }
    guard let last else { throw lost }
    return last
  }

  /// The error of the connection itself.
  private var lost: PQError {
    let text = PQError.sentence(String(cString: flow_PQerrorMessage(raw)))
    return PQError(
      text.isEmpty ? "the connection is lost" : text, isLost: Int(flow_PQstatus(raw)) == FLOW_PQ_FAILED)
  }

  private func send(_ isSent: Int32) throws(PQError) {
    if isSent == 0 { throw lost }
    began = (.now, firstReport)
    while true {
      let left = flow_PQflush(raw)
      if left == 0 { return }
      if left < 0 { throw lost }
      try wait(toWrite: true)
      if flow_PQconsumeInput(raw) == 0 { throw lost }
    }
  }

  /// The next result of what was sent; nil behind the last one.
  private func next() throws(PQError) -> PQResult? {
    try waitForResult()
    guard let found = flow_PQgetResult(raw) else {
      began = nil
      return nil
    }
    let result = PQResult(found)
    if [FLOW_PQ_COMMAND, FLOW_PQ_TUPLES, FLOW_PQ_SINGLE].contains(Int(flow_PQresultStatus(found))) {
      return result
    }
    let code = result.field("C")
    if code.isEmpty { throw lost }
    let detail = ["23503", "23505"].contains(code) ? result.field("D") : ""
    // With 57P… the server goes away, and ends the connection a little later.
    let refusal = PQError(
      result.field("M") + (detail.isEmpty ? "" : " (\(detail))"), code: code,
      isLost: Int(flow_PQstatus(raw)) == FLOW_PQ_FAILED || code.hasPrefix("57P"))
    if refusal.isLost { throw refusal }
    // The rest of the answer, up to which the connection is not ready for the next statement.
    do throws(PQError) { repeat { try waitForResult() } while skipResult() } catch {
      var error = refusal
      error.isLost = true
      throw error
    }
    throw refusal
  }

  /// Waits until the next result is there, which libpq itself would wait for without a limit.
  private func waitForResult() throws(PQError) {
    while flow_PQisBusy(raw) != 0 {
      try wait(toWrite: false)
      if flow_PQconsumeInput(raw) == 0 { throw lost }
    }
  }

  /// False behind the last result.
  private func skipResult() -> Bool {
    guard let rest = flow_PQgetResult(raw) else {
      began = nil
      return false
    }
    flow_PQclear(rest)
    return true
  }

  private func wait(toWrite: Bool) throws(PQError) {
    while true {
      if stop.isSet { throw PQError("the run ends", isLost: true) }
      let now = ContinuousClock.now
      if let limit = end ?? began.map({ $0.sent + patience }), now > limit {
        var error = PQError("the server does not answer", isLost: true)
        error.isSilence = true
        throw error
      }
      if let (sent, reportAfter) = began, now - sent > reportAfter {
        began = (sent, reportAfter * 2)
        silence()
      }
      if flow_pq_wait(raw, toWrite, stop.descriptor, 250), !stop.isSet { return }
    }
  }
}

/// The receiver of a server's notices, which libpq otherwise prints to standard error.
private final class PQNotices {
  private let noted: (String) -> Void

  init(_ noted: @escaping (String) -> Void) { self.noted = noted }

  func note(_ text: String) { noted(printable(String(PQError.sentence(text).prefix(1000)))) }
}
