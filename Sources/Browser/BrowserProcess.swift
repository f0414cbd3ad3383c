import CGlibc
import Fetch
import Glibc
import JSON
import Reactive
import System

/// A running Chromium with its pipe, its proxy and its folder.
///
/// It ends with its pipe, so that it does not outlive this process, however that ends.
final class BrowserProcess: Sendable {
  private struct State: Sendable {
    var pages = 0
    var served = 0
    var idleSince = MonotonicClock.now
    /// Why it is to take no more pages.
    var isRetired = false
    var isOver = false
  }

  /// How long it may take to start.
  private static let startTime = Duration.seconds(60)
  /// How long it may take to end by itself.
  private static let endTime = Duration.seconds(5)

  let pipe: DevToolsPipe
  let proxy: BrowserProxy
  /// Whether its pages share the storage of a profile.
  let hasProfile: Bool
  let process: pid_t
  private let exit: Int32
  private let settings: BrowserSettings
  private let folder: BrowserFolder
  private let state = ConditionLock(State())

  /// All that run, for the end of this process, which may come without an end of theirs.
  private static let running = Locked<[pid_t: BrowserProcess]>([:])
  private static let endsWithProcess: Void = {
    atexit { for browser in BrowserProcess.running.withLock({ Array($0.values) }) { browser.end() } }
  }()

  /// Starts it; with a profile, in that folder.
  init(_ settings: BrowserSettings, profile: String?) throws(TransferError) {
    self.settings = settings
    hasProfile = profile != nil
    proxy = try BrowserProxy()
    do {
      let program = try settings.program()
      try settings.checkUser()
      folder =
        try profile.map { path throws(Sentence) in try BrowserFolder(profile: path) }
        ?? BrowserFolder(in: settings.folder)
      (process, exit, pipe) = try Self.spawn(program, settings, folder, proxy.port)
    } catch let error as Sentence {
      throw TransferError(.failed, "\(error)")
    } catch {
      throw TransferError(.failed, (error as? StartFailure)?.reason ?? "\(error)")
    }
    _ = Self.endsWithProcess
    Self.running.withLock { $0[process] = self }
    if !startThread(named: "flow-browser", { [self] in watch() }) {
      end()
      throw TransferError(.failed, "there is no thread for the browser")
    }
    try awaitStart()
  }

  private static func spawn(
    _ program: String, _ settings: BrowserSettings, _ folder: BrowserFolder, _ port: Int
  ) throws -> (pid_t, Int32, DevToolsPipe) {
    var command = ChildCommand(arguments: [program] + arguments(settings, folder.path, port))
    command.environment[BrowserFolder.variable] = folder.path
    // Its own temporary files go with the folder; the path of a socket among them is limited.
    if !folder.isKept, folder.path.utf8.count < 60 { command.environment["TMPDIR"] = folder.path }
    // The secrets of this process are none of its business.
    command.inherits = [
      "PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "FONTCONFIG_FILE",
      "FONTCONFIG_PATH",
      "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS",
    ]
    let commands = try Pipe()
    let answers = try Pipe()
    let log = try OpenDescriptor(
      opening: "\(folder.path)/stderr", O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600, to: "open")
    // Above those that the child gets them as.
    let more = [commands.reading.number, answers.writing.number].map { fcntl($0, F_DUPFD_CLOEXEC, 16) }
    defer { for number in more { close(number) } }
    let errors = Descriptor(owning: fcntl(log.number, F_DUPFD_CLOEXEC, 16))
    let child = try Spawn.start(
      command, environment: [:], input: .none, output: .none, errors: errors, more: more)
    let pipe = DevToolsPipe(
      writing: fcntl(commands.writing.number, F_DUPFD_CLOEXEC, 3),
      reading: fcntl(answers.reading.number, F_DUPFD_CLOEXEC, 3))
    return (child.process, fcntl(child.exit.number, F_DUPFD_CLOEXEC, 3), pipe)
  }

  private static func arguments(_ settings: BrowserSettings, _ folder: String, _ port: Int) -> [String] {
    [
      "--headless", "--remote-debugging-pipe", "--no-startup-window", "--user-data-dir=\(folder)",
      // Everything by the proxy, which resolves names; nothing around it.
      "--proxy-server=http://127.0.0.1:\(port)", "--proxy-bypass-list=<-loopback>",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--disable-quic",
      "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
      // Nothing that no page has asked for.
      "--no-first-run", "--no-default-browser-check", "--disable-background-networking", "--disable-sync",
      "--disable-component-update", "--disable-default-apps", "--disable-extensions", "--disable-breakpad",
      "--disable-crash-reporter", "--disable-gpu", "--disable-dev-shm-usage",
      "--disable-features=HttpsUpgrades,OptimizationHints,Translate,MediaRouter,DialMediaRouteProvider",
      "--mute-audio", "--hide-scrollbars", "--password-store=basic", "--log-level=3",
      // A page in the background is one that is read.
      "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
      "--disable-renderer-backgrounding", "--js-flags=--max-old-space-size=512",
    ] + (settings.hasSandbox ? [] : ["--no-sandbox"])
  }

  private func awaitStart() throws(TransferError) {
    let inbox = Inbox()
    do throws(TransferError) {
      try pipe.send("Target.setDiscoverTargets", [("discover", .bool(true))], session: nil, for: inbox)
      if try inbox.next(until: MonotonicClock.now + Self.startTime) != nil { return }
    } catch {}
    let words = lastWords
    end()
    throw TransferError(.failed, "Chromium has not started\(words.isEmpty ? "" : ": \(words)")")
  }

  /// The end of what it has printed.
  private var lastWords: String {
    let lines = ((try? readFile("\(folder.path)/stderr", limit: 1 << 20)) ?? []).split(separator: 0x0a)
    let fatal = lines.last { String(decoding: $0, as: UTF8.self).has("FATAL") } ?? lines.last ?? []
    return String(String(decoding: fatal, as: UTF8.self).prefix(300))
  }

  // MARK: - Pages

  /// Counts one more page in; false where it takes no more.
  func beginPage() -> Bool {
    state.change { state in
      if state.isOver || state.isRetired || state.served >= settings.mostPages { return false }
      state.pages += 1
      state.served += 1
      return true
    }
  }

  func endPage() {
    let memory = memory
    let isLast = state.change { state in
      state.pages -= 1
      state.idleSince = MonotonicClock.now
      if memory > settings.mostMemory || state.served >= settings.mostPages { state.isRetired = true }
      return state.pages == 0 && state.isRetired
    }
    if isLast { end() }
  }

  /// Lets it take no more pages, as where one of them could not be closed.
  func retire() { state.change { $0.isRetired = true } }

  /// The bytes that its processes share with no file and no other program.
  var memory: Int {
    LeftoverProcesses.processes.filter { getpgid($0) == process }.reduce(0) { sum, member in
      let text = (try? readFile("/proc/\(member)/statm", limit: 4096)) ?? []
      let words = text.split(separator: 0x20).compactMap { Int(String(decoding: $0, as: UTF8.self)) }
      return words.count > 2 ? sum + (words[1] - words[2]) * Int(sysconf(Int32(_SC_PAGESIZE))) : sum
    }
  }

  // MARK: - The end

  /// Reads its messages until it has gone, or is not needed any more.
  private func watch() {
    pipe.read { [self] in
      let (pages, idleSince, isOver) = state.change { ($0.pages, $0.idleSince, $0.isOver) }
      if isOver { return nil }
      if pages == 0 { return MonotonicClock.now >= idleSince + settings.idleTime ? nil : .seconds(1) }
      let memory = memory
      guard memory > 2 * settings.mostMemory else { return .seconds(2) }
      let megabytes = memory >> 20
      pipe.close(
        TransferError(.failed, "the browser was ended: with this page it needs \(megabytes) MB of memory"))
      return nil
    }
    end()
  }

  /// Ends it, and waits until nothing of it is left.
  func end() {
    let isFirst = state.change { state in
      defer { state.isOver = true }
      return !state.isOver
    }
    guard isFirst else {
      // Another thread ends it, which this one may not outrun.
      _ = state.wait(until: MonotonicClock.now + Self.endTime) { _ in
        Self.running.withLock { $0[process] } == nil ? true : nil
      }
      return
    }
    pipe.close(TransferError(.interrupted, "the browser has ended"))
    // One with a profile has to write it.
    if hasProfile { _ = try? pipe.send("Browser.close", [], session: nil, for: nil) }
    if hasProfile { awaitDescriptors([.input(exit)], for: Self.endTime) }
    pipe.hangUp()
    kill(-process, SIGKILL)
    kill(process, SIGKILL)
    if awaitDescriptors([.input(exit)], for: Self.endTime)[0] {
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
    } else {
      UnreapedChildren.add(process)
    }
    _ = LeftoverProcesses.end(having: BrowserFolder.variable, among: [folder.path])
    proxy.close()
    folder.remove()
    Self.running.withLock { $0[process] = nil }
    state.change { _ in }
    if exit >= 0 { close(exit) }
  }
}
