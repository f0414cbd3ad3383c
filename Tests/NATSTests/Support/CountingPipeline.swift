import Foundation

/// A pipeline between two streams, of which it is known what must come out: the first message of each key, in order.
enum CountingPipeline {
  static func write(_ places: [Place], _ urls: String) throws {
    for place in places {
      try place.write(
        "p.yaml",
        """
        name: p
        sources: { in: { nats: { servers: [\(urls)], stream: IN, from: beginning } } }
        steps: [{ dedupe: { key: .k } }]
        sinks: { bus: { nats: { servers: [\(urls)], subject: out.x } } }
        """)
    }
  }

  /// Each key comes several times; the first passes.
  static func input(_ number: Int) -> String { "{\"k\":\(number / 3),\"n\":\(number)}" }

  static func makeStreams(_ bus: Bus, replicas: Int) throws {
    let options = "\"num_replicas\":\(replicas),\"duplicate_window\":120000000000"
    for _ in 0..<100 {
      do {
        try bus.makeStream("IN", "in.>", options: options)
        try bus.makeStream("OUT", "out.>", options: options)
        return
      } catch { usleep(200_000) }
    }
    try bus.makeStream("OUT", "out.>", options: options)
  }
}
