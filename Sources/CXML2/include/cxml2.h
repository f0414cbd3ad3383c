// libxml2, loaded when a pipeline first decodes XML.
//
// Only what needs none of its structures but that of an error: trees are read by its reader, node after node. So its
// headers are not needed to build.

#ifndef FLOW_XML2_H
#define FLOW_XML2_H

/// Loads libxml2, once; null, or a sentence that says why it cannot be had.
const char *flow_xml2_load(void);

/// A document that is being read.
typedef struct flow_markup flow_markup;

/// An error of the parser: its text, and where it is, from 1.
typedef struct {
  char text[256];
  int line;
  int column;
} flow_markup_error;

/// The kinds of node that are reported.
enum flow_markup_kind {
  flow_markup_end = 0,
  flow_markup_element = 1,
  flow_markup_text = 3,
  flow_markup_entity = 5,
  flow_markup_element_end = 15,
  flow_markup_other = 100,
  flow_markup_failed = -1,
};

/// Parses XML, without a network, external entities or a DTD from elsewhere, and begins to read its tree.
///
/// Before each part of the text `goes_on` is asked, with `caller`; where it returns 0, the text ends there.
flow_markup *flow_markup_open(const char *bytes, int count, const char *encoding, int (*goes_on)(void *caller),
                              void *caller);
void flow_markup_close(flow_markup *markup);

/// Moves to the next node, and returns its kind.
int flow_markup_next(flow_markup *markup);
/// The first error, if there was one.
const flow_markup_error *flow_markup_failure(flow_markup *markup);

int flow_markup_is_empty(flow_markup *markup);
const char *flow_markup_name(flow_markup *markup);
const char *flow_markup_prefix(flow_markup *markup);
const char *flow_markup_namespace(flow_markup *markup);
const char *flow_markup_value(flow_markup *markup);
int flow_markup_next_attribute(flow_markup *markup);
int flow_markup_is_declaration(flow_markup *markup);
void flow_markup_leave_attributes(flow_markup *markup);
/// The character of an entity of HTML; 0 for none of that name.
unsigned flow_html_entity(const char *name);

#endif
