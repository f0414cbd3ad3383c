import Engine
import JSON
import Language
import Store
import System

/// A log of changes with its rotated files, from the oldest line to the latest.
///
///     let log = try ChangeLog(arguments)
///     try log.eachChange { change, place in … }
struct ChangeLog {
  /// A line of it.
  struct Place: CustomStringConvertible {
    let path: String
    let line: Int
    var description: String { "\(printable(path)):\(line)" }
  }

  static let about = """
    A LOG is what jsonl writes behind changes; its rotated files are read too. For a PIPELINE, its file or its name, it is \
    the file of its sink jsonl, from this folder, or else the one that a replay has written.
    """

  let path: String
  /// The pipeline that writes it, where that was named, and the name of its sink.
  let writer: (plan: Plan, sink: String, secrets: Secrets)?

  /// Whether a replay has written it.
  let isReplayed: Bool

  /// The log that an operand names: a file, or a pipeline that writes one.
  init(_ operand: String, _ arguments: Arguments) throws {
    let isPipeline = [".yaml", ".yml"].contains { operand.hasSuffix($0) }
    if !isPipeline, SystemDisk().status(of: operand)?.isRegular == true || !Self.rotated(operand).isEmpty {
      (path, writer, isReplayed) = (operand, nil, false)
      return
    }
    let files = try PipelineFiles([operand], arguments)
    guard files.isRight, files.isDecided, let plan = files.plans.first else {
      if isPipeline || !files.inputs.isEmpty {
        files.complain()
        throw Sentence("\(operand) cannot be read")
      }
      throw Sentence(
        "there is no log and no pipeline \(quoted(operand))"
          + (InstalledPipelines.hint(for: operand).map { "; \($0)" } ?? ""))
    }
    files.complain()
    let logs = plan.sinks.compactMap { sink in sink.linesPath.map { (sink: sink.name, path: $0) } }
    guard let log = logs.first else {
      throw Sentence("\(plan.name) has no sink jsonl with one file, so it keeps no log")
    }
    guard logs.count == 1 else {
      throw Sentence(
        "\(plan.name) writes several logs: \(logs.map(\.path).joined(separator: ", ")); name one of them")
    }
    let replayed = OutputPolicy(below: RunOutputs.replayFolder, of: .simulation).path(of: log.path)
    guard
      let found = [log.path, replayed].first(where: {
        SystemDisk().status(of: $0) != nil || !Self.rotated($0).isEmpty
      })
    else {
      throw Sentence(
        "\(log.path), the log of \(plan.name), does not exist here, nor does \(replayed), which a replay would have written"
      )
    }
    if found != log.path {
      Terminal.complain(
        "reading \(printable(found)), which a replay has written, since \(printable(log.path)) does not exist\n"
      )
    }
    isReplayed = found != log.path
    (path, writer) = (found, (plan, log.sink, files.secrets))
  }

  /// The files that were rotated, the oldest first.
  private static func rotated(_ path: String) -> [String] {
    let (folder, name) = splitPath(path)
    let names = (try? namesOfFiles(in: folder.isEmpty ? "." : folder)) ?? []
    let numbers = names.compactMap { file -> Int? in
      guard file.hasPrefix(name + ".") else { return nil }
      let end = file.dropFirst(name.count + 1)
      return Int(end.hasSuffix(".gz") ? end.dropLast(3) : end).flatMap { $0 > 0 ? $0 : nil }
    }
    return Set(numbers).sorted(by: >).map { number in
      names.contains("\(name).\(number)") ? "\(path).\(number)" : "\(path).\(number).gz"
    }
  }

  /// Hands out each change; lines that are none are skipped, and reported once.
  func eachChange(_ body: (Change, Place) throws -> Void) throws {
    var skipped: (count: Int, first: String) = (0, "")
    try eachChange(
      other: { place, reason in
        if skipped.count == 0 { skipped.first = "\(place): \(reason)" }
        skipped.count += 1
      }, body)
    if skipped.count == 0 { return }
    let all = skipped.count > 1 ? "; \(skipped.count) such lines are skipped" : "; the line is skipped"
    Terminal.complain("\(skipped.first)\(all)\n")
  }

  /// The step `changes` whose changes the log has as they are.
  var changes: StepPlan? {
    guard let writer else { return nil }
    let from = writer.plan.sinks.first { $0.name == writer.sink }?.from ?? []
    return writer.plan.streams.first { from.contains($0.name) }?.steps.last
  }

  /// Whether the log begins with all rows that there were.
  var hasFirstRows: Bool { changes?.reportsFirstRows == true }

  /// Whether as many files have been rotated as are kept, so that the oldest lines may be gone.
  var mayLackOldest: Bool {
    guard let writer, let kept = writer.plan.sinks.first(where: { $0.name == writer.sink })?.keptFiles else {
      return false
    }
    return Self.rotated(path).count >= kept
  }

  /// Hands out each change; a line that is none goes to `other`, and so does a JSON Patch unless they are taken.
  func eachChange(
    takingPatches: Bool = false, other: (Place, _ reason: String) throws -> Void,
    _ body: (Change, Place) throws -> Void
  ) throws {
    let current = SystemDisk().status(of: path) != nil ? [path] : []
    for path in Self.rotated(path) + current {
      var number = 0
      func take(_ line: LogLine, isLast: Bool = false) throws {
        number += 1
        guard let entry = TailEntry(line) else { return }
        let place = Place(path: path, line: number)
        func pass(_ change: Change) throws {
          if takingPatches || !change.isPatch { return try body(change, place) }
          try other(place, "this change is a JSON Patch, which has no rows")
        }
        switch entry.meaning {
        case .change(let change): try pass(change)
        case .other(let value):
          // An envelope has the change as its data.
          if let change = value.member("data").flatMap({ Change($0) }) { return try pass(change) }
          try other(place, "this is no change event")
        case .noJSON: try other(place, isLast ? "the last line is cut off" : "this is not JSON")
        }
      }
      let file = try InputFile(path)
      var splitter = LineSplitter()
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
      defer { buffer.deallocate() }
      while case let count = try file.read(into: buffer), count > 0 {
        try splitter.add(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { try take($0) }
      }
      if let rest = splitter.finish() { try take(rest, isLast: true) }
    }
  }
}
