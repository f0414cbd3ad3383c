import CCurl
import Glibc
import Reactive

/// One transfer: what libcurl is told of it, what has come so far, and how its end is told.
final class CurlTransfer {
  /// What the headers of one answer may take.
  static let headerLimit = 256 << 10

  let easy: UnsafeMutableRawPointer
  private let order: TransferOrder
  private var watch: TransferWatch
  private var list: UnsafeMutablePointer<curl_slist>?
  private var body: [UInt8] = []
  private var head = ResponseHead()
  private var isTooLarge = false
  /// How much of the body has come, wherever it went.
  private var received = 0
  /// Whether the body goes to the order's receiver; nil while that has not been asked.
  private var isHandedOn: Bool?
  private var isRefused = false
  /// Where libcurl puts its own words for what went wrong.
  private let words: UnsafeMutablePointer<CChar>

  init(
    _ order: TransferOrder, _ options: CurlTransport.Options, now: Instant
  ) throws(TransferFailure) {
    guard let easy = flow_curl_easy_init() else { throw TransferFailure(.failed, "libcurl is out of memory") }
    self.easy = easy
    self.order = order
    watch = TransferWatch(order.limits, at: now)
    words = .allocate(capacity: Int(CURL_ERROR_SIZE))
    words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    let code = setUp(options)
    guard code == CURLE_OK else {
      throw TransferFailure(
        .failed, "libcurl takes no such request: \(String(cString: flow_curl_easy_strerror(code)))")
    }
  }

  deinit {
    flow_curl_easy_cleanup(easy)
    flow_curl_slist_free_all(list)
    words.deallocate()
  }

  private func setUp(_ options: CurlTransport.Options) -> CURLcode {
    var setting = CurlSetting(easy: easy)
    setting.text(CURLOPT_URL, order.address.text)
    setting.text(CURLOPT_PROTOCOLS_STR, "http,https")
    setting.number(CURLOPT_FOLLOWLOCATION, 0)
    setting.number(CURLOPT_NOSIGNAL, 1)
    setting.number(CURLOPT_SSL_VERIFYPEER, 1)
    setting.number(CURLOPT_SSL_VERIFYHOST, 2)
    setting.number(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    // With encryption, connecting tells whether a connection can be shared, which is worth waiting for. Without, only the
    // first answer would: transfers would wait for one another for nothing.
    setting.number(CURLOPT_PIPEWAIT, order.address.scheme == .https ? 1 : 0)
    setting.number(CURLOPT_TCP_KEEPALIVE, 1)
    // A name that is still being looked up is not waited for.
    setting.number(CURLOPT_QUICK_EXIT, 1)
    setting.number(CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: order.limits.connect.nanoseconds / 1_000_000))
    setting.text(CURLOPT_USERAGENT, options.userAgent)
    // Everything that this libcurl can unpack.
    setting.text(CURLOPT_ACCEPT_ENCODING, "")
    let surroundings = options.surroundings
    // Empty, so that libcurl does not look at the environment by itself.
    setting.text(CURLOPT_PROXY, surroundings.proxy(for: order.address.scheme) ?? "")
    setting.text(CURLOPT_NOPROXY, surroundings.noProxy ?? "")
    if let file = surroundings.certificateFile { setting.text(CURLOPT_CAINFO, file) }
    if let folder = surroundings.certificateFolder { setting.text(CURLOPT_CAPATH, folder) }
    setMethod(&setting)
    setHeaders(&setting)
    setting.pointer(CURLOPT_ERRORBUFFER, words)
    // The transfer is held for as long as libcurl may call.
    let this = Unmanaged.passUnretained(self).toOpaque()
    setting.pointer(CURLOPT_WRITEDATA, this)
    setting.pointer(CURLOPT_HEADERDATA, this)
    setting.receiver(CURLOPT_WRITEFUNCTION) { bytes, size, count, this in
      CurlTransfer.receive(bytes, size * count, this) { $0.take(body: $1) }
    }
    setting.receiver(CURLOPT_HEADERFUNCTION) { bytes, size, count, this in
      CurlTransfer.receive(bytes, size * count, this) { $0.take(header: $1) }
    }
    return setting.code
  }

  private func setMethod(_ setting: inout CurlSetting) {
    switch order.method {
    case .get: setting.number(CURLOPT_HTTPGET, 1)
    case .head: setting.number(CURLOPT_NOBODY, 1)
    case .post: setting.number(CURLOPT_POST, 1)
    case .put, .patch, .delete: setting.text(CURLOPT_CUSTOMREQUEST, order.method.rawValue)
    }
    if order.method == .post || !order.body.isEmpty {
      setting.size(CURLOPT_POSTFIELDSIZE_LARGE, order.body.count)
      // Lies still: the order is the transfer's own and never changes; libcurl makes a copy all the same.
      order.body.withUnsafeBytes {
        setting.pointer(CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: $0.baseAddress))
      }
    }
  }

  private func setHeaders(_ setting: inout CurlSetting) {
    // Without asking first whether a body is welcome, which costs a second where it is not answered.
    var lines =
      order.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" } + ["Expect:"]
    if !order.body.isEmpty, !order.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
      lines.append("Content-Type: application/json")
    }
    for line in lines {
      guard let longer = flow_curl_slist_append(list, line) else { return setting.code = CURLE_OUT_OF_MEMORY }
      list = longer
    }
    setting.list(list)
  }

  /// Hands on what libcurl has; answering less than came ends the transfer.
  private static func receive(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ this: UnsafeMutableRawPointer?,
    _ take: (CurlTransfer, UnsafeRawBufferPointer) -> Bool
  ) -> Int {
    guard let this else { return 0 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(this).takeUnretainedValue()
    return take(transfer, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : count + 1
  }

  private func take(body bytes: UnsafeRawBufferPointer) -> Bool {
    hasNews = true
    received += bytes.count
    isTooLarge = received > order.limits.bodyBytes
    if isTooLarge { return false }
    if let receiver = order.receiver, askReceiver() {
      isRefused = !receiver.take(bytes)
      return !isRefused
    }
    body.append(contentsOf: bytes)
    return true
  }

  /// Whether the body of the answer goes to the receiver, who is asked once.
  private func askReceiver() -> Bool {
    if let isHandedOn { return isHandedOn }
    let status = flow_curl_number(easy, CURLINFO_RESPONSE_CODE)
    let answer = order.receiver?.begin(status, head.headers) ?? false
    isHandedOn = answer
    return answer
  }

  private func take(header bytes: UnsafeRawBufferPointer) -> Bool {
    hasNews = true
    head.take(bytes)
    return head.size <= CurlTransfer.headerLimit
  }

  /// Whether bytes have come since the watch was last looked at.
  private var hasNews = false

  /// Why it has taken too long, if it has.
  func overrun(at now: Instant) -> TransferFailure? {
    if hasNews {
      watch.receive(at: now)
      hasNews = false
    } else if !watch.isConnected, flow_curl_size(easy, CURLINFO_PRETRANSFER_TIME_T) > 0 {
      watch.connect(at: now)
    }
    return watch.overrun(at: now).map(watch.failure)
  }

  var deadline: Instant { watch.deadline.at }

  /// What came of it, by libcurl's code for its end.
  func result(_ code: CURLcode) -> Result<TransferAnswer, TransferFailure> {
    guard code == CURLE_OK else { return .failure(failure(code)) }
    // Also where there was no body.
    if order.receiver != nil { _ = askReceiver() }
    var answer = TransferAnswer(
      status: flow_curl_number(easy, CURLINFO_RESPONSE_CODE), headers: head.headers, body: body)
    answer.httpVersion = head.version
    answer.newConnections = flow_curl_number(easy, CURLINFO_NUM_CONNECTS)
    return .success(answer)
  }

  private func failure(_ code: CURLcode) -> TransferFailure {
    if isTooLarge {
      return TransferFailure(
        .tooLarge, "the answer has more than the \(order.limits.bodyBytes) bytes that are taken")
    }
    if isRefused { return TransferFailure(.failed, "what came of the answer could not be taken") }
    if head.size > CurlTransfer.headerLimit {
      return TransferFailure(
        .tooLarge, "the answer's headers have more than \(CurlTransfer.headerLimit) bytes")
    }
    let own = String(cString: words)
    let reason = own.isEmpty ? String(cString: flow_curl_easy_strerror(code)) : own
    switch code {
    case CURLE_OPERATION_TIMEDOUT: return watch.failure(watch.isConnected ? .whole : .connect)
    default:
      let kind = FetchError.Kind(code)
      return TransferFailure(kind, "\(kind.opening): \(reason)")
    }
  }
}

extension FetchError.Kind {
  init(_ code: CURLcode) {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT: self = .unreachable
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CRL_BADFILE,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
      CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED:
      self = .encryption
    case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2,
      CURLE_HTTP2_STREAM, CURLE_BAD_CONTENT_ENCODING, CURLE_SSL_SHUTDOWN_FAILED:
      self = .interrupted
    default: self = .failed
    }
  }

  fileprivate var opening: String {
    switch self {
    case .unreachable: "cannot connect"
    case .encryption: "no safe connection"
    case .interrupted: "the connection broke"
    default: "the transfer failed"
    }
  }
}
