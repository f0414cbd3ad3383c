import Fetch
import Pipeline
import Reactive
import Store

@testable import Nodes

/// The way to real servers, without budgets.
func realWeb() -> WebAccess {
  WebAccess {
    Client(
      try CurlTransport(), file: try WebFile(), on: SerialScheduler(name: "fetch"),
      wallClock: World.real.wallClock)
  }
}
