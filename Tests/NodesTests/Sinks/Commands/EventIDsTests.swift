import Testing

@testable import Nodes
import System

@Test("ids tell the turn and the place in it, and never come twice")
func eventIDs() {
  var ids = EventIDs(pipeline: "p", sink: "s")
  let made = [1.5, 1.5, 1.4, 2].map { ids.next(at: $0) }
  #expect(made == ["p/s/1500-0", "p/s/1500-1", "p/s/1500-2", "p/s/2000-0"])
}
