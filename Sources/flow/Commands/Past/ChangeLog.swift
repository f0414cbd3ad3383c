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
    the file of its sink jsonl, from this folder.
    """

  let path: String
  /// The pipeline that writes it, where that was named, and the name of its sink.
  let writer: (plan: Plan, sink: String, secrets: Secrets)?

  /// The log that an operand names: a file, or a pipeline that writes one.
  init(_ operand: String, _ arguments: Arguments) throws {
    let isPipeline = [".yaml", ".yml"].contains { operand.hasSuffix($0) }
    if !isPipeline, SystemDisk().status(of: operand)?.isRegular == true || !Self.rotated(operand).isEmpty {
      (path, writer) = (operand, nil)
      return
    }
    let files = try PipelineFiles([Self.file(of: operand, arguments)], arguments)
    guard files.isRight, files.isDecided, let plan = files.plans.first else {
      if isPipeline || SystemDisk().status(of: InstalledPipelines.path(of: operand)) != nil {
        files.complain()
        throw Sentence("\(operand) cannot be read")
      }
      throw Sentence(
        "there is no log and no pipeline \(quoted(operand))"
          + (InstalledPipelines.hint(for: operand).map { "; \($0)" } ?? ""))
    }
    let logs = plan.sinks.compactMap { sink in sink.linesPath.map { (sink: sink.name, path: $0) } }
    guard let log = logs.first else {
      throw Sentence("\(plan.name) has no sink jsonl with one file, so it keeps no log")
    }
    guard logs.count == 1 else {
      throw Sentence(
        "\(plan.name) writes several logs: \(logs.map(\.path).joined(separator: ", ")); name one of them")
    }
    guard SystemDisk().status(of: log.path) != nil || !Self.rotated(log.path).isEmpty else {
      throw Sentence("\(log.path), the log of \(plan.name), does not exist here")
    }
    (path, writer) = (log.path, (plan, log.sink, files.secrets))
  }

  /// The file of a pipeline that is named as its state is; otherwise what was given.
  private static func file(of operand: String, _ arguments: Arguments) -> String {
    guard SystemDisk().status(of: InstalledPipelines.path(of: operand)) == nil,
      let states = try? StateFiles(arguments), states.names.contains(operand),
      let reader = try? StateReader(path: states.path(of: operand)),
      let summary = try? StateSummary(operand, reader)
    else { return operand }
    return summary.pipeline ?? operand
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

  /// Hands out each change; a line that is none goes to `other`.
  func eachChange(
    other: (Place, _ reason: String) throws -> Void, _ body: (Change, Place) throws -> Void
  ) throws {
    let current = SystemDisk().status(of: path) != nil ? [path] : []
    for path in Self.rotated(path) + current {
      var number = 0
      func take(_ line: LogLine, isLast: Bool = false) throws {
        number += 1
        guard let entry = TailEntry(line) else { return }
        let place = Place(path: path, line: number)
        func pass(_ change: Change) throws {
          if change.value.member("patch") == nil { return try body(change, place) }
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
