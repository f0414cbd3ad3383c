// What Swift cannot say itself: the addresses behind Oniguruma's macros, and its variadic message function.

#ifndef FLOW_ONIG_SHIM_H
#define FLOW_ONIG_SHIM_H

#include <oniguruma.h>

static inline int flow_onig_initialize(void) {
  OnigEncoding encodings[] = {ONIG_ENCODING_UTF8};
  return onig_initialize(encodings, 1);
}

static inline int flow_onig_new(
  OnigRegex *regex, const OnigUChar *pattern, const OnigUChar *end, OnigOptionType options, OnigErrorInfo *info) {
  return onig_new(regex, pattern, end, options, ONIG_ENCODING_UTF8, ONIG_SYNTAX_PERL_NG, info);
}

/// `message` needs ONIG_MAX_ERROR_MESSAGE_LEN bytes.
static inline int flow_onig_message(OnigUChar *message, int code, OnigErrorInfo *info) {
  return info ? onig_error_code_to_str(message, code, info) : onig_error_code_to_str(message, code);
}

#endif
