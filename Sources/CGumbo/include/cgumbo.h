// libgumbo, loaded when a pipeline first decodes a page.
//
// Its structures are declared in gumbo.c, so that its headers are not needed to build; they are checked against the
// library before the first page is read.

#ifndef FLOW_GUMBO_H
#define FLOW_GUMBO_H

#include <stddef.h>

/// Loads libgumbo, once; null, or a sentence that says why it cannot be had.
const char *flow_gumbo_load(void);

/// The tree of a page, and the place of a reader in it.
typedef struct flow_page flow_page;

/// How the parsing of a page has ended.
enum flow_page_state {
  flow_page_read = 0,
  /// The caller wanted no more.
  flow_page_stopped,
  /// The tree needs more memory than it may.
  flow_page_full,
};

/// The kinds of node that are reported.
enum flow_page_kind {
  flow_page_end = 0,
  flow_page_element = 1,
  flow_page_text = 3,
  flow_page_element_end = 15,
  /// An element lies deeper than it may.
  flow_page_too_deep = -1,
};

enum flow_page_namespace { flow_page_html, flow_page_svg, flow_page_mathml };
enum flow_page_prefix { flow_page_no_prefix, flow_page_xlink, flow_page_xml, flow_page_xmlns };

/// Parses a page in UTF-8, with at most so many bytes of memory and elements within each other.
///
/// While it parses `goes_on` is asked, with `caller`; where it returns 0, parsing ends. Null without memory.
flow_page *flow_page_open(const char *bytes, size_t count, size_t memory, size_t depth,
                          int (*goes_on)(void *caller), void *caller);
void flow_page_close(flow_page *page);
int flow_page_state(const flow_page *page);

/// Moves to the next node, and returns its kind; comments and the document type are passed over.
int flow_page_next(flow_page *page);

/// The name of the element, not ended by a zero.
const char *flow_page_name(flow_page *page, size_t *length);
int flow_page_namespace(const flow_page *page);
size_t flow_page_attributes(const flow_page *page);
const char *flow_page_attribute(const flow_page *page, size_t index, int *prefix, const char **value);
const char *flow_page_value(const flow_page *page);

#endif
