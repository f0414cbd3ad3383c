import Fetch
import Reactive
import System

/// The transport of pages that a browser shows; other transfers go to the transport below.
///
/// There is one browser for all, and one for each profile. Some pages are open at once; others wait for their turn.
public final class BrowserTransport: Transport {
  private struct Job: Sendable {
    let order: TransferOrder
    let page: PageOrder
    let inbox: Inbox
    let completion: @Sendable (Result<TransferResponse, TransferError>) -> Void
  }

  private struct State: Sendable {
    var waiting: [Job] = []
    var open = 0
    /// The profiles in use: one page at a time has each.
    var busy: Set<String> = []
    /// The source of each profile, of which there is one.
    var owners: [String: String] = [:]
  }

  /// The most pages at once.
  private static let mostPages = 4

  private let inner: any Transport
  private let settings: BrowserSettings
  private let state = Locked(State())
  /// By profile; the empty name is for the browser without one.
  private let browsers = Locked<[String: BrowserProcess]>([:])

  public init(over inner: any Transport, _ settings: BrowserSettings) {
    (self.inner, self.settings) = (inner, settings)
  }

  deinit {
    for browser in browsers.withLock({ Array($0.values) }) { browser.end() }
  }

  public func start(
    _ order: TransferOrder, completion: @escaping @Sendable (Result<TransferResponse, TransferError>) -> Void
  ) -> Subscription {
    guard let page = order.page else { return inner.start(order, completion: completion) }
    let inbox = Inbox()
    let subscription = Subscription()
    subscription.onDispose { inbox.close(TransferError(.cancelled, "the page was closed")) }
    let owner = state.withLock { state -> String? in
      if let profile = page.profile {
        let owner = state.owners[profile] ?? page.source
        state.owners[profile] = owner
        if owner != page.source { return owner }
      }
      state.waiting.append(
        Job(order: order, page: page, inbox: inbox) { result in
          if !subscription.isDisposed { completion(result) }
        })
      return nil
    }
    if let owner, let profile = page.profile {
      completion(
        .failure(
          TransferError(.failed, "the profile \(profile) belongs to the source \(owner); give each its own")))
    }
    admit()
    return subscription
  }

  /// Opens the pages that wait, as far as there is room.
  private func admit() {
    while let job = next() {
      let isStarted = startThread(named: "flow-page") { [self] in
        let result = Result { () throws(TransferError) in try read(job) }
        leave(job)
        job.completion(result)
        admit()
      }
      if !isStarted {
        leave(job)
        job.completion(.failure(TransferError(.failed, "there is no thread for a page")))
      }
    }
  }

  private func next() -> Job? {
    state.withLock { state in
      guard state.open < Self.mostPages,
        let place = state.waiting.firstIndex(where: {
          $0.page.profile.map { !state.busy.contains($0) } ?? true
        })
      else { return nil }
      let job = state.waiting.remove(at: place)
      state.open += 1
      if let profile = job.page.profile { state.busy.insert(profile) }
      return job
    }
  }

  private func leave(_ job: Job) {
    state.withLock { state in
      state.open -= 1
      if let profile = job.page.profile { state.busy.remove(profile) }
    }
  }

  private func read(_ job: Job) throws(TransferError) -> TransferResponse {
    if let end = job.inbox.end { throw end }
    let browser = try browser(for: job.page.profile)
    defer { browser.endPage() }
    let page = try PageSession(job.page, at: job.order.address, in: browser, job.inbox)
    defer { page.close() }
    return try PageVisit(page, to: job.order.address, job.order.limits, pictures: settings.pictures)
      .response()
  }

  /// Shows a page and reads all that a pipeline could take of it; blocks until that is done.
  public func survey(_ address: Address, _ order: PageOrder, _ limits: TransferLimits = TransferLimits())
    throws(TransferError) -> PageSurvey
  {
    let browser = try browser(for: order.profile)
    defer { browser.endPage() }
    let page = try PageSession(order, at: address, in: browser, Inbox())
    defer { page.close() }
    return try PageVisit(page, to: address, limits, pictures: nil).survey()
  }

  /// A running browser in which a page has been counted.
  private func browser(for profile: String?) throws(TransferError) -> BrowserProcess {
    try browsers.withLock { browsers throws(TransferError) in
      if let browser = browsers[profile ?? ""], browser.beginPage() { return browser }
      let browser = try BrowserProcess(settings, profile: profile)
      browsers[profile ?? ""] = browser
      guard browser.beginPage() else { throw TransferError(.interrupted, "the browser has ended") }
      return browser
    }
  }
}
