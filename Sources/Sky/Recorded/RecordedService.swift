import JSON
import System

/// A recorded list, answered as it was at the sky's time: whole, or in pages with `limit` and `offset`.
///
/// Before the first poll it is as in the first, and after the last as in the last. Where a poll had failed, the answer is
/// 503 with what was wrong, until the next poll.
public final class RecordedService: SkyService {
  /// A recorded poll: its rows, or why it had failed.
  public struct Poll: Sendable {
    public enum Answer: Sendable, Equatable {
      case rows([Value])
      case failure(String)
    }

    public let at: SkyTime
    public let answer: Answer

    public init(at: SkyTime, _ answer: Answer) { (self.at, self.answer) = (at, answer) }
  }

  private let path: String
  private let polls: [Poll]

  /// - Parameter polls: In the order of their times.
  public init(at path: String, _ polls: [Poll]) { (self.path, self.polls) = (path, polls) }

  public func answer(_ request: SkyRequest, at now: SkyTime) -> SkyAnswer? {
    guard request.path == path, let poll = poll(at: now) else { return nil }
    switch poll.answer {
    case .failure(let reason): return .text(503, reason + "\n", type: "text/plain; charset=utf-8")
    case .rows(let rows): return answer(request, rows)
    }
  }

  /// The latest poll at a time.
  private func poll(at now: SkyTime) -> Poll? {
    var range = 0..<polls.count
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      range = polls[middle].at <= now ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound > 0 ? polls[range.lowerBound - 1] : polls.first
  }

  private func answer(_ request: SkyRequest, _ rows: [Value]) -> SkyAnswer {
    var headers = [(name: "Content-Type", value: "application/json")]
    var page = rows[...]
    if let limit = request[parameter: "limit"].flatMap({ Int($0) }), limit > 0 {
      let offset = max(0, request[parameter: "offset"].flatMap { Int($0) } ?? 0)
      page = rows.dropFirst(offset).prefix(limit)
      if page.endIndex < rows.count {
        let next = "\(request.origin)\(path)?limit=\(limit)&offset=\(page.endIndex)"
        headers.append(("Link", "<\(next)>; rel=\"next\""))
      }
    }
    let body = Value.array(Array(page)).json
    let hash = body.withUnsafeBufferPointer { StableHash($0).value }
    let tag = "\"\(String(hash, radix: 16))\""
    headers.append(("ETag", tag))
    if request[header: "if-none-match"]?.hasTag(tag) == true {
      return SkyAnswer(status: 304, headers: headers, body: [])
    }
    return SkyAnswer(headers: headers, body: body + [UInt8(ascii: "\n")])
  }
}
