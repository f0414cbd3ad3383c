import Foundation
import Testing

@testable import Sky

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite struct MissionPatchTests {
  @Test("the initials are the first letters of words, and the numbers")
  func initials() {
    #expect(MissionPatch.initials(of: "starling-4-12") == "S 4-12")
    #expect(MissionPatch.initials(of: "grand-harbour-relay-two-seven") == "GHRT")
    #expect(MissionPatch.initials(of: "7") == "7")
    #expect(MissionPatch.initials(of: "--") == "")
  }

  @Test("a patch is well-formed XML of the size that is asked for", arguments: 0..<20)
  func wellFormed(number: Int) throws {
    let svg = MissionPatch(name: "mission-\(number)", size: 512, seed: UInt64(number)).svg
    #expect(svg.contains("width=\"512\""))
    #expect(XMLParser(data: Data(svg.utf8)).parse())
    #expect(svg.contains(">M \(number)</text>"))
  }
}
