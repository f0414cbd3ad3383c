import Browser
import Fetch
import Glibc
import Language
import Reactive
import System

/// `flow new --pick`: shows a page by its picture, in which rows are pointed at, and writes the pipeline for them.
struct NewByPicking: Sendable {
  private static let pause = Duration.milliseconds(200)

  let new: NewRequest
  let name: String
  let path: String?
  let isForced: Bool

  /// Runs until the pipeline is written, or a signal comes; returns the exit status.
  func run() -> Int32 {
    if let path, !isForced, access(path, F_OK) == 0 {
      Terminal.complain("flow new: \(path) already exists; use --force to overwrite it\n")
      return ExitStatus.usage
    }
    // Before any thread is started, so that only `wait` receives them; what ends otherwise takes its browser along.
    let signals = SignalSet([SIGINT, SIGTERM])
    signals.block()
    do {
      let browser = try RenderedPage.browser()
      Terminal.complain("\(new.request.masked("\(new.request.address)")): Chromium opens the page\n")
      let found = ConditionLock<Result<Picking, any Error>?>(nil)
      let isStarted = startThread(named: "flow-pick") {
        let read = Result { try picking(by: browser) }
        found.change { $0 = read }
      }
      if !isStarted { throw Sentence("there is no thread for the page") }
      var result: Result<Picking, any Error>?
      while result == nil {
        if let signal = signals.wait(until: MonotonicClock.now + Self.pause) { return status(of: signal) }
        result = found.change { $0 }
      }
      guard let picking = try result?.get() else { return ExitStatus.failed }
      return try serve(picking, signals)
    } catch {
      Terminal.complain("flow new: \(new.request.masked("\(error)"))\n")
      return ExitStatus.failed
    }
  }

  private func status(of signal: Int32) -> Int32 {
    signal == SIGINT ? ExitStatus.interrupted : ExitStatus.done
  }

  private func picking(by browser: BrowserTransport) throws -> Picking {
    let page = try RenderedPage(new, named: name, by: browser)
    for offer in page.data where offer.shown >= 0.5 {
      Terminal.complain("  found     \(offer.text): flow new --from takes these without a selector\n")
    }
    return Picking(page: page, new: new, name: name, served: NewFromAddress.page(new.request))
  }

  private func serve(_ picking: Picking, _ signals: SignalSet) throws -> Int32 {
    let written = Locked<Int32?>(nil)
    let server = try PickServer(picking, target: path) { text in
      guard let path else {
        Terminal.say(text)
        written.withLock { $0 = ExitStatus.done }
        return ("It is in the terminal now.", true)
      }
      if let problem = NewFile.write(Array(text.utf8), to: path, isForced: isForced) {
        return (problem, false)
      }
      written.withLock { $0 = ExitStatus.done }
      return ("Written. Next: flow run \(path)", true)
    }
    defer { server.stop() }
    Terminal.complain(
      "pick: \(server.url)\n  open it in a browser on this machine, and point at what is to be watched; Ctrl-C ends\n"
    )
    while !server.isOver {
      if let signal = signals.wait(until: MonotonicClock.now + Self.pause) { return status(of: signal) }
    }
    Terminal.complain(
      path.map { "wrote \($0); next: flow run \($0)\n" } ?? "next: -o FILE to keep it, then flow run FILE\n")
    return written.withLock { $0 ?? ExitStatus.failed }
  }
}
