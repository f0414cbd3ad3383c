import Expectations
import Foundation
import FoundationXML
import Testing

@testable import Language

@Suite struct DiagramSVGTests {
  @Test("the drawing is well-formed XML with every box and line in it")
  func wellFormed() throws {
    let text = """
      name: 'a <b> & "c"'
      sources: { a: { api: { url: '<"&>' } } }
      steps: [ keep: '.a < 1 and .b > "x"' ]
      sinks: { out: screen, log: { log: "very/long/\(String(repeating: "x", count: 200))" } }
      """
    let drawn = DiagramSVG.text(Diagram(try toyPlan(text).plan))
    let reading = Reading()
    let parser = XMLParser(data: Data(drawn.utf8))
    parser.delegate = reading
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    expect(reading.classes.count { ["source", "step", "sink"].contains($0) }, equals: 4)
    expect(reading.classes.count { $0 == "way" }, equals: 3)
    #expect(drawn.contains("prefers-color-scheme: dark"))
    #expect(drawn.contains("<title>log\nlog\nvery/long/xxx"))
  }

  @Test("long options are cut")
  func widths() throws {
    let path = String(repeating: ".e", count: 90)
    let text = "sources: { a: lines }\nsteps: [ keep: \(path) ]\nsinks: { out: screen }"
    let drawn = DiagramSVG.text(Diagram(try toyPlan(text).plan))
    #expect(drawn.contains("…</text>"))
  }

  private final class Reading: NSObject, XMLParserDelegate {
    var classes: [String] = []

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) {
      if let found = attributes["class"] { classes.append(found) }
    }
  }
}
