import JSON
import Language
import Nodes
import Sky

/// The recordings of a folder as services of a sky: the list of a source at `/SOURCE`, that of an entry of `each` at
/// `/SOURCE/ENTRY`.
struct SkyRecording {
  let folder: String
  let entries: [SkyEntry]
  /// The times of the first poll and the last.
  let (first, last): (SkyTime, SkyTime)

  init(_ folder: String) throws(WrongUse) {
    self.folder = folder
    var lists: [(path: String, polls: [RecordedService.Poll])] = []
    do {
      for source in Recordings(folder: folder).sources {
        let polls = try Recordings(folder: folder).polls(of: source)
        while let poll = try polls.next() {
          let entry = (poll.notes.member("entry") ?? poll.notes.member("each")).map {
            "/\(KeyText.text(of: $0))"
          }
          let path = "/\(source)\(entry ?? "")"
          let answer: RecordedService.Poll.Answer
          switch poll.what {
          case .poll(let rows): answer = .rows(rows)
          case .failure(let reason), .recordedFailure(let reason): answer = .failure(reason)
          case .events, .end: continue
          }
          if !lists.contains(where: { $0.path == path }) { lists.append((path, [])) }
          guard let place = lists.firstIndex(where: { $0.path == path }) else { continue }
          lists[place].polls.append(.init(at: SkyTime(milliseconds: Int64(poll.at * 1000)), answer))
        }
      }
    } catch {
      throw WrongUse("--from: \(error)")
    }
    let times = lists.flatMap { [$0.polls.first, $0.polls.last] }.compactMap { $0?.at }
    guard let first = times.min(), let last = times.max() else {
      throw WrongUse("--from: there is no recording in \(printable(folder)); flow run --record makes one")
    }
    (self.first, self.last) = (first, last)
    entries = lists.map { path, polls in
      SkyEntry(String(path.dropFirst()), RecordedService(at: path, polls), paths: [path, path + "?limit=10"])
    }
  }
}
