import JSON
import SimulatedDisk

/// Holds a log, with its old files and those that were set aside, against the events that it is to have.
struct LineCheck {
  private let path: String
  private let process: SimulatedProcess
  /// How many files had lost their name to another because of what a power cut has left in them.
  private(set) var aside = 0

  init(_ path: String, _ process: SimulatedProcess) {
    (self.path, self.process) = (path, process)
  }

  /// The logs, each by its own name.
  static func paths(_ process: SimulatedProcess) throws -> [String] {
    Set(try all(process).map { path in String(path.prefix { $0 != "." }) + ".jsonl" }).sorted()
  }

  /// Every file of the logs.
  static func all(_ process: SimulatedProcess, in folder: String = "/out") throws -> [String] {
    guard process.isFolder(folder) else { return [] }
    return try process.list(folder).flatMap { name -> [String] in
      let path = "\(folder)/\(name)"
      return process.isFolder(path) ? try all(process, in: path) : [path]
    }
  }

  /// Compares the files with the events.
  ///
  /// `left` are events that may have stayed though nothing of them was committed: what they came from was replaced, so
  /// that no later life could write them again. After a power cut their place may hold anything.
  mutating func check(_ events: [Value], left: [Value]?, mayBeAside: Bool, wasCut: Bool) throws {
    let mayBeGarbage = left != nil && wasCut
    let left = left?.map { $0.json } ?? []
    var files: [(inode: Int, path: String, bytes: [UInt8])] = []
    for other in try Self.all(process) where other == path || other.hasPrefix(path + ".") {
      let file = try process.open(other, .existing)
      files.append((try file.inode, other, try file.read(at: 0, count: file.size)))
    }
    let events = events.map { $0.json }
    // How many events may have been found so far: a line that is left may be an event as well.
    var found: Set<Int> = [0]
    var ids: Set<String> = []
    // Files that were begun later have higher numbers, whatever they are called.
    for file in files.sorted(by: { $0.inode < $1.inode }) {
      let isAside = file.path.contains(".aside-")
      if isAside { aside += 1 }
      if isAside, !mayBeAside { throw Complaint("\(file.path) was set aside, though the disk lost nothing") }
      var lines = file.bytes.split(separator: 0x0a, omittingEmptySubsequences: false)[...]
      let last = lines.popLast() ?? []
      for line in lines {
        let (plain, id) = withoutID(line)
        var next = Set(found.filter { $0 < events.count && events[$0] == plain }.map { $0 + 1 })
        // A kill may have cut off the last one, also within its id, whose line was ended.
        let isLeft = left.contains { event in
          let withID = event.dropLast() + Array(#","id":""#.utf8)
          return event == plain || event.starts(with: line) || withID.starts(with: line)
            || id == nil && line.starts(with: withID)
        }
        if !isAside, isLeft || mayBeGarbage && (try? Value.parse(Array(line))) == nil {
          next.formUnion(found)
        }
        if !next.isEmpty, id.map({ ids.insert($0).inserted }) ?? true {
          found = next
          continue
        }
        if isAside { break }
        let count = found.max() ?? 0
        throw Complaint(
          "\(file.path): \(shown(line)) where \(count < events.count ? shown(events[count]) : "the end") was next, "
            + "line \(count) of \(events.count)" + (next.isEmpty ? "" : "; its id is not unique"))
      }
      // A file that others have renamed is left as a power cut has left it; its last lines are written to the next one.
      let mayEndInHalf = isAside || wasCut && file.path.contains(".moved-")
      if !last.isEmpty, !mayEndInHalf { throw Complaint("\(file.path) ends in half a line") }
    }
    if !found.contains(events.count), let count = found.max() {
      throw Complaint(
        "\(path): \(events.count - count) of \(events.count) lines are missing, from \(shown(events[count]))")
    }
  }

  /// The beginning of a line, as a complaint shows it: without the zeros that a power cut may have left in it.
  private func shown(_ line: some Sequence<UInt8>) -> String {
    String(decoding: line.lazy.filter { $0 != 0 }.prefix(300), as: UTF8.self)
  }

  /// An event without the id that the sink has added, and that id.
  private func withoutID(_ line: ArraySlice<UInt8>) -> (event: [UInt8], id: String?) {
    guard var value = try? Value.parse(Array(line)), let id = value.member("id")?.string else {
      return (Array(line), nil)
    }
    value.removeMember("id")
    return (value.json, id)
  }
}
