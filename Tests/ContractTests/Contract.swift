import Expectations
import AllNodes
import JSON
import Engine
import Language
import Testing

import System

/// What the contracts of sources and sinks have in common.
enum Contract {
  /// What is wrong with a node's example, put into a whole pipeline.
  static func problems(_ spec: NodeSpec, _ example: NodeSpec.Example) -> String {
    let isBareWord = !example.yaml.contains(":")
    let node = isBareWord ? " \(example.yaml)" : "\n" + indented(example.yaml, by: 4)
    let source = spec.roleName == "source" ? node : " stdin"
    let sink = spec.roleName == "sink" ? node : " { null: }"
    var reader = PipelineReader(catalog: .all)
    let text = "sources:\n  it:\(source)\nsteps: []\nsinks:\n  heard:\(sink)\n"
    let isRight = reader.read(path: "example.yaml", Array(text.utf8))
    return isRight ? "" : "\(reader.problems)\n\(text)"
  }

  /// Whether an example shows an option: by its name, or as the value that stands for it.
  static func shows(_ example: NodeSpec.Example, _ option: AnyOption, of spec: NodeSpec) -> Bool {
    if example.yaml.contains("\(option.name):") { return true }
    return option.name == spec.shorthand && example.yaml.contains(": ") && !example.yaml.contains(": {")
  }

  /// Holds a node to what is asked of all declarations.
  static func checkDeclaration(_ spec: NodeSpec) {
    #expect(!spec.summary.isEmpty && !spec.summary.contains("\n") && !spec.summary.hasSuffix("."))
    #expect(!spec.examples.isEmpty, "\(spec.kind) has no example")
    for example in spec.examples {
      #expect(!example.title.isEmpty)
      expect(problems(spec, example), equals: "", "\(spec.kind): \(example.title)")
    }
    for option in spec.options {
      #expect(option.doc.count > 4, "\(spec.kind): \(option.name) has no description")
      #expect(
        spec.examples.contains { shows($0, option, of: spec) },
        "no example of \(spec.kind) shows the option \(option.name)")
    }
  }

  private static func indented(_ text: String, by width: Int) -> String {
    text.split(separator: "\n").map { String(repeating: " ", count: width) + $0 }.joined(separator: "\n")
  }
}
