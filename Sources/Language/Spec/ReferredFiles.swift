/// The files that a pipeline refers to: definitions, scripts and recordings.
///
/// Such a file is searched next to the pipeline, then in the working directory, so that a pipeline works from anywhere.
/// What a pipeline reads as data or writes is relative to the working directory alone.
struct ReferredFiles {
  /// The folder of the pipeline.
  var folder = "."
  var exists: (String) -> Bool = { _ in false }
  /// The files found next to the pipeline, relative to its folder.
  private(set) var found: [String] = []

  /// The path of a file next to the pipeline; nil if there is none, or if the path is absolute.
  mutating func path(of name: String) -> String? {
    if name.isEmpty || name.hasPrefix("/") || name.utf8.contains(0) { return nil }
    let path = folder == "." ? name : normalized("\(folder)/\(name)")
    guard exists(path) else { return nil }
    add(name)
    return path
  }

  mutating func add(_ name: String) {
    let name = normalized(name)
    if !name.hasPrefix("/"), !found.contains(name) { found.append(name) }
  }
}

extension Checker {
  /// The scalar, with the path of a file next to the pipeline in place of its name.
  func referred(_ node: YAMLNode) -> YAMLNode {
    guard case .scalar(let scalar) = resolved(node), scalar.meaning == .string,
      let path = files.path(of: scalar.text)
    else { return node }
    return path == scalar.text ? node : .scalar(scalar.standing(for: path, .string))
  }

  /// A command with the program and the script that are next to the pipeline in place of their names.
  ///
  /// A program without a slash is searched in PATH. The script is the first argument that is no option, as in
  /// `[sh, -e, notify.sh]`.
  func referred(command node: YAMLNode) -> YAMLNode {
    guard case .sequence(var sequence) = resolved(node) else { return referred(program: node) }
    guard let program = sequence.elements.first else { return node }
    sequence.elements[0] = referred(program: program)
    let script = sequence.elements.dropFirst().firstIndex {
      $0.scalar.map { !$0.text.hasPrefix("-") } ?? true
    }
    if let script { sequence.elements[script] = referred(sequence.elements[script]) }
    return .sequence(sequence)
  }

  private func referred(program node: YAMLNode) -> YAMLNode {
    guard case .scalar(let scalar) = resolved(node), scalar.text.contains("/") else { return node }
    return referred(node)
  }
}

extension OptionType {
  /// The same type for a file that belongs to the pipeline: next to it, else in the working directory.
  public var referred: OptionType {
    OptionType(name, sample: sample, schema: schema) { node, checker in
      decode(checker.referred(node), checker)
    }
  }

  /// The same type for a command, whose program and script may belong to the pipeline.
  public var referredCommand: OptionType {
    OptionType(name, sample: sample, schema: schema) { node, checker in
      decode(checker.referred(command: node), checker)
    }
  }
}

/// A path without `.` and doubled slashes, so that two spellings of one are equal.
package func normalized(_ path: String) -> String {
  var parts: [Substring] = []
  for part in path.split(separator: "/") where part != "." {
    if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(part) }
  }
  return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
}
