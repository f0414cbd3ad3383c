@testable import Delivery
import Fetch
import Engine
import Language
import Reactive
import Store

import System

/// The way to real servers, without budgets.
package func realWeb() -> WebAccess {
  WebAccess {
    Client(
      try CurlTransport(), file: try WebFile(), on: SerialScheduler(name: "fetch"),
      wallClock: World.real.wallClock)
  }
}
