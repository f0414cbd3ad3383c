import System
import CCurl
import Glibc
import Reactive
import Synchronization

/// The event loop of the transport's thread: it starts, watches and ends transfers until it is stopped.
final class CurlLoop: Sendable {
  typealias Completion = @Sendable (Result<TransferResponse, TransferError>) -> Void

  private struct Job: Sendable {
    let number: Int
    let order: TransferOrder
    let completion: Completion
  }

  private struct State: Sendable {
    var incoming: [Job] = []
    var cancelled: [Int] = []
    var lastNumber = 0
    /// The queued and the active ones.
    var open: Set<Int> = []
    var isOver = false
  }

  /// The transfers of one site.
  private struct Site {
    /// The number of active ones, without endless ones.
    var active = 0
    var waiting = Queue<Job>()
    /// Whether it is in line for a transfer.
    var isInLine = false
  }

  /// The thread's own state.
  private struct Work {
    var sites: [String: Site] = [:]
    /// The sites with transfers that wait, and room for one more; they take turns.
    var line = Queue<String>()
    /// The same, of sites that have no transfer: they have places of their own.
    var newcomers = Queue<String>()
    var active: [Int: CurlTransfer] = [:]
    /// The numbers of the active ones.
    var numbers: [UnsafeMutableRawPointer: Int] = [:]
    /// The number of active ones of all sites, without endless ones.
    var ending = 0
    /// The completions of the queued and the active ones.
    var completions: [Int: Completion] = [:]
  }

  /// How long a paused transfer waits until its receiver is asked again.
  private static let pause = Duration.milliseconds(20)
  /// How many connections are kept for later transfers beside those that are in use, which count as well.
  private static let keptConnections = 64

  /// Used on the thread only, except for `curl_multi_wakeup`, which any thread may call.
  private nonisolated(unsafe) let multi: UnsafeMutableRawPointer
  private let options: CurlOptions
  private let state = Locked(State())

  init(_ options: CurlOptions) throws(TransferError) {
    if let reason = flow_curl_load() { throw TransferError(.failed, String(cString: reason)) }
    let code = flow_curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    guard code == CURLE_OK, let multi = flow_curl_multi_init() else {
      throw TransferError(
        .failed, "libcurl cannot be started: \(String(cString: flow_curl_easy_strerror(code)))")
    }
    self.multi = multi
    self.options = options
    _ = flow_curl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, 2 * options.transfers + Self.keptConnections)
  }

  deinit { flow_curl_multi_cleanup(multi) }

  func start(_ order: TransferOrder, _ completion: @escaping Completion) -> Subscription {
    let limit = options.transfers + options.waiting
    let number = state.withLock { state -> Int? in
      if state.isOver || state.open.count >= limit { return nil }
      state.lastNumber += 1
      state.open.insert(state.lastNumber)
      state.incoming.append(Job(number: state.lastNumber, order: order, completion: completion))
      return state.lastNumber
    }
    let subscription = Subscription()
    guard let number else {
      completion(.failure(TransferError(.failed, "there are already \(limit) transfers")))
      return subscription
    }
    flow_curl_multi_wakeup(multi)
    subscription.onDispose { [weak self] in self?.cancel(number) }
    return subscription
  }

  private func cancel(_ number: Int) {
    let isOpen = state.withLock { state in
      let isOpen = state.open.contains(number)
      if isOpen { state.cancelled.append(number) }
      return isOpen
    }
    if isOpen { flow_curl_multi_wakeup(multi) }
  }

  func stop() {
    state.withLock { $0.isOver = true }
    flow_curl_multi_wakeup(multi)
  }

  /// The loop.
  func run() {
    var work = Work()
    while takeOrders(&work) {
      admit(&work)
      var running: Int32 = 0
      flow_curl_multi_perform(multi, &running)
      collect(&work)
      let wait = watch(&work)
      flow_curl_multi_poll(multi, wait)
    }
    let failure = TransferError(.cancelled, "the transport was closed")
    for number in work.active.keys { end(number, .failure(failure), &work) }
    for completion in work.completions.values { completion(.failure(failure)) }
  }

  /// Takes new and cancelled transfers; false when it is time to stop.
  private func takeOrders(_ work: inout Work) -> Bool {
    let (jobs, cancelled, isOver) = state.withLock { state in
      defer { (state.incoming, state.cancelled) = ([], []) }
      for number in state.cancelled { state.open.remove(number) }
      return (state.incoming, state.cancelled, state.isOver)
    }
    for job in jobs {
      let site = job.order.address.site
      work.completions[job.number] = job.completion
      // One that goes on takes no place.
      if job.order.limits.isEndless {
        start(job, site, &work)
        continue
      }
      work.sites[site, default: Site()].waiting.append(job)
      queue(site, &work)
    }
    for number in cancelled { end(number, nil, &work) }
    return !isOver
  }

  /// Puts a site in line, where it has a transfer that waits and room for it.
  private func queue(_ name: String, _ work: inout Work) {
    guard let site = work.sites[name] else { return }
    if site.waiting.isEmpty {
      if site.active == 0 { work.sites[name] = nil }
    } else if !site.isInLine, site.active < options.transfersOfSite {
      work.sites[name]?.isInLine = true
      if site.active == 0 { work.newcomers.append(name) } else { work.line.append(name) }
    }
  }

  private func admit(_ work: inout Work) {
    while let name = next(&work) {
      work.sites[name]?.isInLine = false
      // One that was cancelled while it waited has no completion.
      if let job = work.sites[name]?.waiting.popFirst(), work.completions[job.number] != nil {
        start(job, name, &work)
      }
      queue(name, &work)
    }
  }

  /// The site whose turn it is.
  ///
  /// As many places again are for the first transfer of a site, so that sites which are all silent hold up no other.
  private func next(_ work: inout Work) -> String? {
    if work.ending < 2 * options.transfers, let name = work.newcomers.popFirst() { return name }
    return work.ending < options.transfers ? work.line.popFirst() : nil
  }

  private func start(_ job: Job, _ site: String, _ work: inout Work) {
    do throws(TransferError) {
      let transfer = try CurlTransfer(job.order, options, now: monotonicNow())
      work.active[job.number] = transfer
      work.numbers[transfer.easy] = job.number
      if !transfer.isEndless {
        work.sites[site]?.active += 1
        work.ending += 1
      }
      let code = flow_curl_multi_add_handle(multi, transfer.easy)
      if code != CURLM_OK {
        end(
          job.number, .failure(TransferError(.failed, String(cString: flow_curl_multi_strerror(code)))), &work
        )
      }
    } catch {
      end(job.number, .failure(error), &work)
    }
  }

  private func collect(_ work: inout Work) {
    var code = CURLE_OK
    while let easy = flow_curl_next_ended(multi, &code) {
      guard let number = work.numbers[easy], let transfer = work.active[number] else { continue }
      end(number, transfer.result(code), &work)
    }
  }

  /// Ends transfers that exceed a limit; returns the milliseconds until the next limit.
  private func watch(_ work: inout Work) -> Int32 {
    let now = monotonicNow()
    var next = now + .seconds(60)
    for (number, transfer) in work.active {
      transfer.resume()
      if transfer.isPaused { next = min(next, now + Self.pause) }
      if let failure = transfer.overrun(at: now) {
        end(number, .failure(failure), &work)
      } else {
        next = min(next, transfer.deadline)
      }
    }
    // A queued transfer takes the place of one that has just ended.
    if work.ending < 2 * options.transfers, !work.newcomers.isEmpty { return 0 }
    if work.ending < options.transfers, !work.line.isEmpty { return 0 }
    return Int32(clamping: ((next - now).nanoseconds + 999_999) / 1_000_000)
  }

  /// Removes a transfer and completes it, unless it was cancelled.
  private func end(_ number: Int, _ result: Result<TransferResponse, TransferError>?, _ work: inout Work) {
    if let transfer = work.active.removeValue(forKey: number) {
      flow_curl_multi_remove_handle(multi, transfer.easy)
      work.numbers[transfer.easy] = nil
      if !transfer.isEndless {
        let site = transfer.site
        work.sites[site]?.active -= 1
        work.ending -= 1
        queue(site, &work)
      }
    }
    let completion = work.completions.removeValue(forKey: number)
    guard let result, let completion else { return }
    _ = state.withLock { $0.open.remove(number) }
    completion(result)
  }
}

private func monotonicNow() -> Instant {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
}
