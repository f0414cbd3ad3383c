import CCurl
import Glibc
import Reactive
import System

/// A connection for bytes to a server, over TCP or TLS, by libcurl; one thread uses it.
///
///     let connection = try CurlConnection(.init(host: "127.0.0.1", port: 6379), stop: stop)
///     try connection.send(bytes, until: deadline)
///     let count = try connection.receive(into: buffer)   // nil where nothing has come yet
public final class CurlConnection {
  public struct Settings: Sendable {
    public var host: String
    public var port: Int
    public var isSecure = false
    /// PEM files: trusted authorities, and the client's certificate with its key.
    public var (authorities, certificate, key): (String?, String?, String?) = (nil, nil, nil)
    public var skipsVerification = false
    public var longestConnecting = Duration.seconds(15)

    public init(host: String, port: Int) { (self.host, self.port) = (host, port) }
  }

  /// Why there is no connection, or no longer.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
    /// Whether another attempt may succeed as things are: not with a certificate or a file that is wrong.
    public var mayPass = true
  }

  private let easy: UnsafeMutableRawPointer
  private let multi: UnsafeMutableRawPointer
  private let words: UnsafeMutablePointer<CChar>
  private let stop: StopSign
  /// The socket, to wait for; what TLS has read already is not seen by it, so `receive` is asked first.
  public private(set) var descriptor: Int32 = -1

  /// Connects; `meanwhile` is called now and then.
  public init(_ settings: Settings, stop: StopSign, meanwhile: () -> Void = {}) throws(Failure) {
    if let reason = flow_curl_load() { throw Failure(description: String(cString: reason)) }
    flow_curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    guard let easy = flow_curl_easy_init() else { throw Failure(description: "libcurl is out of memory") }
    guard let multi = flow_curl_multi_init() else {
      flow_curl_easy_cleanup(easy)
      throw Failure(description: "libcurl is out of memory")
    }
    (self.easy, self.multi, self.stop) = (easy, multi, stop)
    words = .allocate(capacity: Int(CURL_ERROR_SIZE))
    words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    try setUp(settings)
    flow_curl_multi_add_handle(multi, easy)
    try connect(settings, meanwhile)
  }

  deinit {
    flow_curl_multi_remove_handle(multi, easy)
    flow_curl_easy_cleanup(easy)
    flow_curl_multi_cleanup(multi)
    words.deallocate()
  }

  private func setUp(_ settings: Settings) throws(Failure) {
    var setting = CurlSetting(easy: easy)
    let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
    setting.text(CURLOPT_URL, "\(settings.isSecure ? "https" : "http")://\(host):\(settings.port)")
    setting.number(CURLOPT_CONNECT_ONLY, 1)
    setting.number(CURLOPT_NOSIGNAL, 1)
    setting.number(CURLOPT_SSL_ENABLE_ALPN, 0)
    setting.number(CURLOPT_SSL_VERIFYPEER, settings.skipsVerification ? 0 : 1)
    setting.number(CURLOPT_SSL_VERIFYHOST, settings.skipsVerification ? 0 : 2)
    // Proxies for HTTP take no other protocol.
    setting.text(CURLOPT_PROXY, "")
    setting.number(CURLOPT_QUICK_EXIT, 1)
    // Finds a peer that has vanished without a word, besides the heartbeat of the protocol.
    setting.number(CURLOPT_TCP_KEEPALIVE, 1)
    setting.number(CURLOPT_TCP_KEEPIDLE, 30)
    setting.number(CURLOPT_TCP_KEEPINTVL, 10)
    setting.number(
      CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: settings.longestConnecting.nanoseconds / 1_000_000))
    if let file = settings.authorities { setting.text(CURLOPT_CAINFO, file) }
    if let file = settings.certificate { setting.text(CURLOPT_SSLCERT, file) }
    if let file = settings.key { setting.text(CURLOPT_SSLKEY, file) }
    setting.pointer(CURLOPT_ERRORBUFFER, words)
    if setting.code != CURLE_OK { throw failure(setting.code) }
  }

  private func connect(_ settings: Settings, _ meanwhile: () -> Void) throws(Failure) {
    while true {
      var running: Int32 = 0
      flow_curl_multi_perform(multi, &running)
      var code = CURLE_OK
      if flow_curl_next_ended(multi, &code) != nil {
        if code != CURLE_OK { throw failure(code) }
        break
      }
      if stop.isSet { throw Failure(description: "the run ends") }
      meanwhile()
      flow_curl_multi_poll(multi, 100)
    }
    descriptor = flow_curl_socket(easy)
    if descriptor < 0 { throw Failure(description: "libcurl has no socket for the connection") }
  }

  /// Sends all of the bytes; a server that does not take them by the deadline is gone.
  public func send(_ bytes: [UInt8], until deadline: Instant) throws(Failure) {
    var sent = 0
    while sent < bytes.count {
      var count = 0
      let code = bytes.withUnsafeBytes {
        flow_curl_send(easy, $0.baseAddress.map { $0 + sent }, bytes.count - sent, &count)
      }
      sent += count
      if code == CURLE_OK { continue }
      if code != CURLE_AGAIN { throw failure(code) }
      if stop.isSet { throw Failure(description: "the run ends") }
      if MonotonicClock.now >= deadline { throw Failure(description: "the server takes nothing") }
      awaitDescriptors(
        [.output(descriptor)], until: min(deadline, MonotonicClock.now + .milliseconds(100)))
    }
  }

  /// Receives some bytes: how many, nil where none have come yet.
  public func receive(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int? {
    var count = 0
    let code = flow_curl_receive(easy, buffer.baseAddress, buffer.count, &count)
    if code == CURLE_AGAIN { return nil }
    if code != CURLE_OK { throw failure(code) }
    if count == 0 { throw Failure(description: "the server has ended the connection") }
    return count
  }

  private func failure(_ code: CURLcode) -> Failure {
    let said = String(cString: words)
    let number = flow_curl_number(easy, CURLINFO_OS_ERRNO)
    let system = number == 0 ? nil : String(cString: strerror(Int32(number)))
    // The system's word is shorter, and names the cause where there is no name to resolve and no certificate to check.
    if code == CURLE_COULDNT_CONNECT || code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR, let system {
      return Failure(description: system)
    }
    let settings = [
      CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_URL_MALFORMAT, CURLE_NOT_BUILT_IN,
    ]
    return Failure(
      description: said.isEmpty ? String(cString: flow_curl_easy_strerror(code)) : said,
      mayPass: !settings.contains(code))
  }
}
