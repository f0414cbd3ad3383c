import JSON
import Engine
import Language

/// What is to be fetched for an event, and where to, as it waits in the outbox.
struct KeptDownload: Errand {
  let url: String
  let path: String
  var event: Engine.Event?

  /// Two at a time would write one file.
  var key: String? { path }

  init(url: String, path: String, event: Engine.Event?) {
    (self.url, self.path, self.event) = (url, path, event)
  }

  init?(remembered value: Value) {
    guard let url = value.member("url")?.string, let path = value.member("path")?.string else { return nil }
    self.init(url: url, path: path, event: value.member("event").flatMap { Event(remembered: $0) })
  }

  var remembered: Value {
    let members: [(String, Value)] = [("url", .string(url)), ("path", .string(path))]
    return .record(members + (event.map { [("event", $0.remembered)] } ?? []))
  }
}
