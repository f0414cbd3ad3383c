import JSON
import Language
import Nodes
import Sky
import System

/// The recordings of a folder as services of a sky: the list of a source at `/SOURCE`, that of an entry of `each` at
/// `/SOURCE/ENTRY`.
struct SkyRecording {
  let folder: String
  let entries: [SkyEntry]
  /// The times of the first poll and the last.
  let (first, last): (SkyTime, SkyTime)

  /// Nil where there is none in the folder.
  init?(_ folder: String) throws {
    self.folder = folder
    var lists: [(path: String, polls: [RecordedService.Poll])] = []
    var places: [String: Int] = [:]
    let recordings = Recordings(folder: folder)
    for source in recordings.sources {
      let polls = try recordings.polls(of: source)
      while let poll = try polls.next() {
        let answer: RecordedService.Poll.Answer
        switch poll.content {
        case .poll(let rows): answer = .rows(rows)
        case .failure(let reason), .recordedFailure(let reason): answer = .failure(reason)
        case .events, .end: continue
        }
        guard let time = Int64(exactly: (poll.at * 1000).rounded()) else {
          throw Sentence(
            "\(recordings.path(of: source)) has a poll at \(poll.at), which is no time in seconds since 1970"
          )
        }
        let entry = (poll.notes.member("entry") ?? poll.notes.member("each")).map {
          "/\(KeyText.text(of: $0))"
        }
        let path = "/\(source)\(entry ?? "")"
        let place = places[path] ?? lists.count
        if place == lists.count {
          places[path] = place
          lists.append((path, []))
        }
        // Most polls are as the ones before them: these are kept once.
        let former = lists[place].polls.last?.answer
        lists[place].polls.append(
          .init(at: SkyTime(milliseconds: time), former.flatMap { $0 == answer ? $0 : nil } ?? answer))
      }
    }
    let times = lists.flatMap { [$0.polls.first, $0.polls.last] }.compactMap { $0?.at }
    guard let first = times.min(), let last = times.max() else { return nil }
    (self.first, self.last) = (first, last)
    entries = lists.map { path, polls in
      SkyEntry(String(path.dropFirst()), RecordedService(at: path, polls), paths: [path, path + "?limit=10"])
    }
  }
}
