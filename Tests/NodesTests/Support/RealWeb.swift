import Fetch
import Engine
import Language
import Reactive
import Store

@testable import Nodes
import System

/// The way to real servers, without budgets.
func realWeb() -> WebAccess {
  WebAccess {
    Client(
      try CurlTransport(), file: try WebFile(), on: SerialScheduler(name: "fetch"),
      wallClock: World.real.wallClock)
  }
}
