import Cluster
import Language
import System

/// The shape of a pipeline in a cluster: how it is divided among tasks, each of which has a state of its own.
///
/// The servers keep it with the states. A file of another shape is refused before this machine takes part: the states
/// could not go along, since the rows of a key would be another task's.
enum ClusterShape {
  private static func record(_ pipeline: String) -> String { "shape \(pipeline)" }

  /// Notes the shapes of pipelines that have no state yet; throws a sentence about one that has another shape.
  static func check(_ jobs: [ClusterJob], _ journal: JetStreamJournal) throws {
    for case let (pipeline, shape)? in jobs.map(\.shape) { try check(pipeline, shape, journal) }
  }

  private static func check(_ pipeline: String, _ shape: String, _ journal: JetStreamJournal) throws {
    for _ in 0..<20 {
      let known = try journal.shared(record(pipeline))
      let former = known.map { String(decoding: $0.bytes, as: UTF8.self) }
      if former == shape { return }
      // Where the tasks read their parts by themselves, there is none above them.
      if let former, try journal.last(of: pipeline) != nil || journal.last(of: "\(pipeline)~0") != nil {
        throw Sentence(
          "\(pipeline) cannot take its state along: it is \(divided(former)), and its file has it \(divided(shape)); "
            + "in a cluster that cannot change. Nothing was changed; give the pipeline another name to begin anew"
        )
      }
      do throws(JournalError) {
        _ = try journal.share(Array(shape.utf8), as: record(pipeline), after: known?.sequence ?? 0)
        return
      } catch {
        // Another machine has noted it, or may have.
        switch error {
        case .conflict, .inDoubt, .unavailable: continue
        case .full, .refused: throw error
        }
      }
    }
    throw JournalError.unavailable("the servers do not store how \(pipeline) is divided")
  }

  private static func divided(_ shape: String) -> String {
    shape.isEmpty ? "undivided there" : "divided (\(shape))"
  }
}
