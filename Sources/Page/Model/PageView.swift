import Reactive

/// A view: the rows of one sink, as committed, which readers on other threads see.
///
/// Rows enter only when their epoch is committed. Nothing is computed for readers here: a view without readers costs a
/// change of a dictionary for each changed row.
package final class PageView: Sendable {
  /// The contents of a view at one moment.
  package struct Snapshot: Sendable {
    package var rows: [String: PageRow] = [:]
    /// The last commit, which counts on from run to run.
    package var commit = 0
    /// The id of the state that commits are counted in: two of different ids cannot be compared.
    package var stateID = ""
    /// When the source was last polled, in seconds since 1970, and how old its answer was if it was an old one.
    package var polledAt: Double?
    package var staleness: Double?

    /// The commit as the id of an event of a stream.
    package var commitID: String { "\(stateID)-\(commit)" }
  }

  package enum Change: Sendable {
    case set(PageRow)
    case remove(id: String)
  }

  private struct State: Sendable {
    var snapshot = Snapshot()
    var readers: [Int: @Sendable () -> Void] = [:]
    var count = 0
  }

  package let pipeline: String
  package let form: PageForm
  /// The two segments of its address.
  package let path: [String]
  private let state = Locked(State())

  /// A view of the rows that a state contains.
  package init(
    pipeline: String, form: PageForm, path: [String], _ rows: [PageRow], stateID: String, commit: Int
  ) {
    self.pipeline = pipeline
    self.form = form
    self.path = path
    state.withLock { state in
      state.snapshot.rows = Dictionary(rows.map { ($0.id, $0) }) { $1 }
      state.snapshot.stateID = stateID
      state.snapshot.commit = commit
    }
  }

  package var snapshot: Snapshot { state.withLock { $0.snapshot } }

  /// Shows what a commit has changed.
  package func publish(_ changes: [Change], commit: Int) {
    publish { snapshot in
      for change in changes {
        switch change {
        case .set(let row): snapshot.rows[row.id] = row
        case .remove(let id): snapshot.rows[id] = nil
        }
      }
      snapshot.commit = commit
    }
  }

  package func notePoll(at time: Double, staleness: Double?) {
    publish { snapshot in
      snapshot.polledAt = time
      snapshot.staleness = staleness
    }
  }

  private func publish(_ change: (inout Snapshot) -> Void) {
    let readers = state.withLock { state in
      change(&state.snapshot)
      return Array(state.readers.values)
    }
    for notify in readers { notify() }
  }

  /// Calls `notify` after each change, on the thread that makes it; returns the number to leave by.
  package func join(_ notify: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.count += 1
      state.readers[state.count] = notify
      return state.count
    }
  }

  package func leave(_ number: Int) { state.withLock { $0.readers[number] = nil } }

  package var readerCount: Int { state.withLock { $0.readers.count } }
}

/// The views of a process, which its server shows and its sinks fill.
package final class PageHub: Sendable {
  private let state = Locked<[PageView]>([])
  /// The time of the pipelines, in seconds since 1970, and its speed: simulated time passes faster.
  package let now: @Sendable () -> Double
  package let speed: Double

  /// The server that has the pictures of a simulated world.
  package let pictureOrigin: String?

  /// The status of the run; nil where only views are served.
  package let run: PageRun?

  package init(
    now: @escaping @Sendable () -> Double, speed: Double = 1, pictureOrigin: String? = nil,
    run: PageRun? = nil
  ) {
    self.run = run
    self.now = now
    self.speed = speed
    self.pictureOrigin = pictureOrigin
  }

  package var views: [PageView] { state.withLock { $0 } }

  /// A new view for a sink, at an address of its own, with the rows of its state: a tab may look at once.
  package func add(
    pipeline: String, sink: String, _ form: PageForm, rows: [PageRow] = [], stateID: String, commit: Int = 0
  ) -> PageView {
    state.withLock { views in
      let wanted = [Self.segment(pipeline), Self.segment(sink)]
      var path = wanted
      var number = 1
      while views.contains(where: { $0.path == path }) {
        number += 1
        path = [wanted[0], "\(wanted[1])-\(number)"]
      }
      let view = PageView(
        pipeline: pipeline, form: form, path: path, rows, stateID: stateID, commit: commit)
      views.append(view)
      return view
    }
  }

  package func view(at path: [String]) -> PageView? {
    state.withLock { views in views.first { $0.path == path } }
  }

  /// A name as a segment of an address, without characters that mean something there.
  private static func segment(_ name: String) -> String {
    let safe = name.lowercased().unicodeScalars.map { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_")
        ? Character(scalar) : "-"
    }
    return safe.isEmpty ? "-" : String(safe)
  }
}
