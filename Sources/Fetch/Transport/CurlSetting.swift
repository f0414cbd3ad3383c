import CCurl

/// Sets options of a transfer one after the other, and keeps what went wrong first.
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
