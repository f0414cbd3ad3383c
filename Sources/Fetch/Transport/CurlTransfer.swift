import CCurl
import Glibc
import Reactive
import System

/// One transfer of libcurl, a request or a mail: its options, what has arrived, and its result.
final class CurlTransfer {
  /// The limit for the headers of one response.
  static let headerLimit = 256 << 10

  let easy: UnsafeMutableRawPointer
  private let order: TransferOrder
  private var watch: TransferWatch
  private var list: UnsafeMutablePointer<curl_slist>?
  /// How much of a mail has been sent.
  private var sent = 0
  private var body: [UInt8] = []
  private var head = ResponseHead()
  private var isTooLarge = false
  /// The bytes of the body so far, wherever they went; of a response that goes on, those in memory.
  private var received = 0
  /// Whether the body goes to the order's receiver; nil before the receiver has decided.
  private var isHandedOn: Bool?
  private var isRefused = false
  private var hasBody = false
  /// The decompressor of a body that is compressed.
  private var inflater: Inflater?
  private var unpacked = 0
  /// The flaw of the compressed body.
  private var damage: TransferError?
  /// Why it could not go on after a pause.
  private var resumption: TransferError?
  /// Whether it waits until the receiver has room.
  private(set) var isPaused = false
  /// The buffer for libcurl's error message.
  private let words: UnsafeMutablePointer<CChar>

  init(
    _ order: TransferOrder, _ options: CurlOptions, now: Instant
  ) throws(TransferError) {
    guard let easy = flow_curl_easy_init() else { throw TransferError(.failed, "libcurl is out of memory") }
    self.easy = easy
    self.order = order
    watch = TransferWatch(order.limits, at: now)
    words = .allocate(capacity: Int(CURL_ERROR_SIZE))
    words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    let code = setUp(options)
    guard code == CURLE_OK else {
      throw TransferError(
        .failed, "libcurl rejects the request: \(String(cString: flow_curl_easy_strerror(code)))")
    }
  }

  deinit {
    flow_curl_easy_cleanup(easy)
    flow_curl_slist_free_all(list)
    words.deallocate()
  }

  private func setUp(_ options: CurlOptions) -> CURLcode {
    var setting = CurlSetting(easy: easy)
    setting.number(CURLOPT_NOSIGNAL, 1)
    setting.number(CURLOPT_SSL_VERIFYPEER, 1)
    setting.number(CURLOPT_SSL_VERIFYHOST, 2)
    if let mail = order.mail { setMail(mail, &setting) } else { setRequest(options, &setting) }
    setting.number(CURLOPT_TCP_KEEPALIVE, 1)
    // Does not wait for a pending name resolution at the end.
    setting.number(CURLOPT_QUICK_EXIT, 1)
    setting.number(CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: order.limits.connect.nanoseconds / 1_000_000))
    if let file = options.proxyEnvironment.certificateFile { setting.text(CURLOPT_CAINFO, file) }
    if let folder = options.proxyEnvironment.certificateFolder { setting.text(CURLOPT_CAPATH, folder) }
    setting.pointer(CURLOPT_ERRORBUFFER, words)
    // The loop holds the transfer as long as libcurl may call.
    let this = Unmanaged.passUnretained(self).toOpaque()
    setting.pointer(CURLOPT_WRITEDATA, this)
    setting.pointer(CURLOPT_HEADERDATA, this)
    setting.pointer(CURLOPT_READDATA, this)
    setting.receiver(CURLOPT_WRITEFUNCTION) { bytes, size, count, this in
      CurlTransfer.receive(bytes, size * count, this) { $0.pauses() ? nil : $0.take(body: $1) }
    }
    setting.receiver(CURLOPT_HEADERFUNCTION) { bytes, size, count, this in
      CurlTransfer.receive(bytes, size * count, this) { $0.take(header: $1) }
    }
    return setting.code
  }

  private func setRequest(_ options: CurlOptions, _ setting: inout CurlSetting) {
    setting.text(CURLOPT_URL, order.address.text)
    setting.text(CURLOPT_PROTOCOLS_STR, "http,https")
    setting.number(CURLOPT_FOLLOWLOCATION, 0)
    // A response that goes on has a connection of its own: while it pauses, so would all that share it.
    setting.number(
      CURLOPT_HTTP_VERSION, Int(isEndless ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS))
    // With TLS the handshake shows whether a connection can be shared, which is worth the wait. Without TLS only the
    // first response would, so transfers would wait for one another without benefit.
    setting.number(CURLOPT_PIPEWAIT, order.address.scheme == .https && !isEndless ? 1 : 0)
    setting.text(CURLOPT_USERAGENT, options.userAgent)
    let proxyEnvironment = options.proxyEnvironment
    // Empty, so that libcurl does not read the environment itself.
    setting.text(CURLOPT_PROXY, proxyEnvironment.proxy(for: order.address.scheme) ?? "")
    setting.text(CURLOPT_NOPROXY, proxyEnvironment.noProxy ?? "")
    setMethod(&setting)
    setHeaders(&setting)
  }

  private func setMail(_ mail: Mail, _ setting: inout CurlSetting) {
    setting.text(CURLOPT_URL, mail.url)
    setting.text(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
    // Proxies for HTTP do not take mail.
    setting.text(CURLOPT_PROXY, "")
    setting.number(
      CURLOPT_USE_SSL, Int((mail.encryption == .optional ? CURLUSESSL_TRY : CURLUSESSL_ALL).rawValue))
    if let user = mail.user { setting.text(CURLOPT_USERNAME, user) }
    if let password = mail.password { setting.text(CURLOPT_PASSWORD, password) }
    setting.text(CURLOPT_MAIL_FROM, "<\(mail.sender)>")
    for recipient in mail.recipients { append("<\(recipient)>", &setting) }
    setting.pointer(CURLOPT_MAIL_RCPT, list)
    setting.number(CURLOPT_UPLOAD, 1)
    setting.size(CURLOPT_INFILESIZE_LARGE, mail.message.count)
    setting.receiver(CURLOPT_READFUNCTION) { bytes, size, count, this in
      guard let bytes, let this else { return 0 }
      let transfer = Unmanaged<CurlTransfer>.fromOpaque(this).takeUnretainedValue()
      return transfer.give(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    }
  }

  /// Copies the next part of the mail; returns its length.
  private func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    hasNews = true
    let part = order.mail?.message.dropFirst(sent).prefix(buffer.count) ?? []
    buffer.copyBytes(from: part)
    sent += part.count
    return part.count
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
      // libcurl copies the body during the call.
      order.body.withUnsafeBytes {
        setting.pointer(CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: $0.baseAddress))
      }
    }
  }

  private func setHeaders(_ setting: inout CurlSetting) {
    // No `Expect: 100-continue`, which costs a second with servers that ignore it.
    var lines =
      order.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" } + ["Expect:"]
    // Decoded here: libcurl takes a compressed body that is cut off for a whole one.
    if !order.headers.contains(where: { $0.name.lowercased() == "accept-encoding" }) {
      lines.append("Accept-Encoding: gzip")
    }
    if !order.body.isEmpty, !order.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
      lines.append("Content-Type: application/json")
    }
    for line in lines { append(line, &setting) }
    setting.list(list)
  }

  private func append(_ line: String, _ setting: inout CurlSetting) {
    guard let longer = flow_curl_slist_append(list, line) else { return setting.code = CURLE_OUT_OF_MEMORY }
    list = longer
  }

  /// A callback of libcurl; a result other than the count ends the transfer, or pauses it.
  private static func receive(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ this: UnsafeMutableRawPointer?,
    _ take: (CurlTransfer, UnsafeRawBufferPointer) -> Bool?
  ) -> Int {
    guard let this else { return 0 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(this).takeUnretainedValue()
    switch take(transfer, UnsafeRawBufferPointer(start: bytes, count: count)) {
    case true?: return count
    case false?: return count + 1
    case nil: return Int(CURL_WRITEFUNC_PAUSE)
    }
  }

  private func pauses() -> Bool {
    isPaused = order.receiver?.isFull == true
    return isPaused
  }

  /// Goes on, if it was paused and the receiver has room.
  func resume() {
    guard isPaused else { return }
    // The server is not silent.
    hasNews = true
    if pauses() { return }
    let code = flow_curl_continue(easy)
    if code != CURLE_OK { resumption = failure(code) }
  }

  var isEndless: Bool { order.limits.isEndless }

  var site: String { order.address.site }

  private func take(body bytes: UnsafeRawBufferPointer) -> Bool {
    hasNews = true
    if !hasBody {
      hasBody = true
      switch head.headers["content-encoding"]?.lowercased() {
      case "gzip", "x-gzip":
        do throws(Sentence) { inflater = try Inflater() } catch {
          damage = TransferError(.failed, error.description)
          return false
        }
      case nil, "", "identity", "none": break
      case let encoding?:
        damage = TransferError(
          .failed, "the body is encoded as \(quoted(encoding)), and only gzip is decoded")
        return false
      }
    }
    guard let inflater else { return take(plain: bytes) }
    inflater.feed(bytes)
    return withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { buffer in
      while !inflater.isHungry {
        let (count, flaw) = inflater.next(into: buffer)
        if count > 0, !take(plain: UnsafeRawBufferPointer(rebasing: buffer[..<count])) { return false }
        unpacked += count
        if let flaw {
          damage = TransferError(.interrupted, "the gzip data \(flaw) after \(unpacked) good bytes")
          return false
        }
      }
      return true
    }
  }

  private func take(plain bytes: UnsafeRawBufferPointer) -> Bool {
    let receiver = askReceiver() ? order.receiver : nil
    // What goes on has no size.
    if !isEndless || receiver == nil { received += bytes.count }
    isTooLarge = received > order.limits.bodyBytes
    if isTooLarge { return false }
    if let receiver {
      isRefused = !receiver.take(bytes)
      return !isRefused
    }
    body.append(contentsOf: bytes)
    return true
  }

  /// Whether the body goes to the receiver, which decides once.
  private func askReceiver() -> Bool {
    if let isHandedOn { return isHandedOn }
    let status = flow_curl_number(easy, CURLINFO_RESPONSE_CODE)
    let accepts = order.receiver?.begin(status, head.headers) ?? false
    isHandedOn = accepts
    if accepts, isEndless { watch.removeLimit() }
    return accepts
  }

  private func take(header bytes: UnsafeRawBufferPointer) -> Bool {
    hasNews = true
    head.take(bytes)
    // The first bytes of a response that goes on may take a while.
    if isEndless, bytes.first == 0x0d || bytes.first == 0x0a,
      flow_curl_number(easy, CURLINFO_RESPONSE_CODE) >= 200
    {
      _ = askReceiver()
    }
    return head.size <= CurlTransfer.headerLimit
  }

  /// Whether bytes have arrived since the last look at the watch.
  private var hasNews = false

  /// The error of a transfer that exceeds a limit, or cannot go on.
  func overrun(at now: Instant) -> TransferError? {
    if let resumption { return resumption }
    if hasNews {
      watch.receive(at: now)
      hasNews = false
    } else if !watch.isConnected, flow_curl_size(easy, CURLINFO_PRETRANSFER_TIME_T) > 0 {
      watch.connect(at: now)
    }
    return watch.overrun(at: now).map(watch.failure)
  }

  var deadline: Instant { watch.deadline.at }

  /// The result, from libcurl's final code.
  func result(_ code: CURLcode) -> Result<TransferResponse, TransferError> {
    guard code == CURLE_OK else { return .failure(failure(code)) }
    if let inflater, !inflater.isWhole {
      return .failure(TransferError(.interrupted, "the gzip data is cut off after \(unpacked) good bytes"))
    }
    // Also where there was no body.
    if order.receiver != nil { _ = askReceiver() }
    var response = TransferResponse(
      status: flow_curl_number(easy, CURLINFO_RESPONSE_CODE), headers: head.headers, body: body)
    response.httpVersion = head.version
    response.newConnections = flow_curl_number(easy, CURLINFO_NUM_CONNECTS)
    return .success(response)
  }

  private func failure(_ code: CURLcode) -> TransferError {
    if isTooLarge {
      let limit = order.limits.bodyOption.map { "\($0)," } ?? "the limit of"
      return TransferError(
        .tooLarge, "the response is larger than \(limit) \(order.limits.bodyBytes) bytes")
    }
    if let damage { return damage }
    if isRefused { return TransferError(.failed, "the response could not be stored") }
    if head.size > CurlTransfer.headerLimit {
      return TransferError(
        .tooLarge, "the response headers are larger than \(CurlTransfer.headerLimit) bytes")
    }
    // libcurl reports a header line that is too long for it as out of memory; from 8.6 on as too large.
    if body.isEmpty, code == CURLE_OUT_OF_MEMORY || code.rawValue == 100 {
      return TransferError(.tooLarge, "the response has a header line that is too long for libcurl")
    }
    let own = String(cString: words)
    let reason = own.isEmpty ? String(cString: flow_curl_easy_strerror(code)) : own
    // The server's reply, where it has refused a mail.
    let reply = order.mail == nil ? 0 : flow_curl_number(easy, CURLINFO_RESPONSE_CODE)
    if (400..<600).contains(reply) { return TransferError(.status(reply), "refused: \(reason)") }
    switch code {
    case CURLE_OPERATION_TIMEDOUT: return watch.failure(watch.isConnected ? .whole : .connect)
    default:
      let kind = FetchError.Kind(code)
      return TransferError(kind, "\(kind.opening): \(reason)")
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
    case .encryption: "no secure connection"
    case .interrupted: "the connection broke"
    default: "the transfer failed"
    }
  }
}

/// Sets the options of a transfer, and remembers the first error.
struct CurlSetting {
  let easy: UnsafeMutableRawPointer
  var code = CURLE_OK

  mutating func number(_ option: CURLoption, _ value: Int) { note(flow_curl_set_number(easy, option, value)) }
  mutating func size(_ option: CURLoption, _ value: Int) {
    note(flow_curl_set_size(easy, option, curl_off_t(value)))
  }
  mutating func text(_ option: CURLoption, _ value: String) { note(flow_curl_set_text(easy, option, value)) }

  mutating func pointer(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) {
    note(flow_curl_set_pointer(easy, option, value))
  }

  mutating func receiver(_ option: CURLoption, _ value: curl_write_callback) {
    note(flow_curl_set_receiver(easy, option, value))
  }

  mutating func list(_ value: UnsafeMutablePointer<curl_slist>?) { note(flow_curl_set_list(easy, value)) }

  private mutating func note(_ result: CURLcode) {
    if code == CURLE_OK { code = result }
  }
}

/// The head of a response, from the header lines that libcurl passes one by one.
struct ResponseHead {
  private(set) var headers = Headers()
  /// `1.1`, say.
  private(set) var version: String?
  /// The bytes so far.
  private(set) var size = 0

  mutating func take(_ line: UnsafeRawBufferPointer) {
    size += line.count
    let text = String(decoding: line, as: UTF8.self)
    // A new status line starts over: responses of a proxy and 1xx ones precede the real one.
    if text.hasPrefix("HTTP/") {
      headers = Headers()
      version = text.dropFirst(5).split(separator: " ").first.map(String.init)
      return
    }
    guard let colon = text.utf8.firstIndex(of: 0x3a) else { return }
    let value = text[text.index(after: colon)...]
    headers.add(String(text[..<colon]), trimmedHeader(value))
  }

  private func trimmedHeader(_ value: Substring) -> String {
    let bytes = value.utf8.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
    return String(decoding: Array(bytes), as: UTF8.self)
  }

  private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d || byte == 0x0a }
}
