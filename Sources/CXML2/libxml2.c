#include "cxml2.h"

#include <cloading.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What is used of libxml2, by the names it has there. The signatures are part of its stable interface.
// An error: the beginning of libxml2's structure, which has not changed since 2003.
typedef struct {
  int domain, code;
  const char *message;
  int level;
  const char *file;
  int line;
  const char *texts[3];
  int number, column;
} xml_error;
typedef void (*error_function)(void *, const xml_error *);
typedef int (*read_function)(void *, char *, int);

#define FUNCTIONS(each)                                                    \
  each(void, xmlInitParser, (void))                                        \
  each(void *, xmlReadIO, (read_function, void *, void *, const char *, const char *, int)) \
  each(void *, xmlReaderWalker, (void *))                                  \
  each(void, xmlFreeTextReader, (void *))                                  \
  each(int, xmlTextReaderRead, (void *))                                   \
  each(int, xmlTextReaderNodeType, (void *))                               \
  each(int, xmlTextReaderIsEmptyElement, (void *))                         \
  each(int, xmlTextReaderIsNamespaceDecl, (void *))                        \
  each(int, xmlTextReaderMoveToNextAttribute, (void *))                    \
  each(int, xmlTextReaderMoveToElement, (void *))                          \
  each(const unsigned char *, xmlTextReaderConstLocalName, (void *))       \
  each(const unsigned char *, xmlTextReaderConstPrefix, (void *))          \
  each(const unsigned char *, xmlTextReaderConstNamespaceUri, (void *))    \
  each(const unsigned char *, xmlTextReaderConstValue, (void *))           \
  each(void, xmlSetStructuredErrorFunc, (void *, error_function))          \
  each(const unsigned *, htmlEntityLookup, (const unsigned char *))        \
  each(void, xmlFreeDoc, (void *))

static const char *begin(void *handle);

FLOW_LIBRARY(
  FUNCTIONS, .name = "libxml2", .files = FLOW_FILES("libxml2.so.2", "libxml2.so.16"), .package = "libxml2",
  .begin = begin)

static const char *begin(void *handle) {
  (void)handle;
  library.xmlInitParser();
  return 0;
}

const char *flow_xml2_load(void) { return flow_load(&loading); }

struct flow_markup {
  void *reader;
  void *document;
  flow_markup_error error;
  int has_error;
  // What has not been read of the text.
  const char *bytes;
  int count;
  int (*goes_on)(void *);
  void *caller;
};

// Options of the parsers: continue after errors, which are noted here; no messages; no network; no entity is
// substituted, and no DTD is loaded.
enum { options = 1 /* recover */ | 32 /* no errors */ | 64 /* no warnings */ | 2048 /* no network */ };
enum { ignore_declared_encoding = 1 << 21 };
enum { level_fatal = 3 };

// Notes the first error of XML. A prefix without a declaration is none.
static void note(void *context, const xml_error *error) {
  flow_markup *markup = context;
  if (markup->has_error || !error || !error->message) return;
  if (error->level != level_fatal) return;
  markup->has_error = 1;
  snprintf(markup->error.text, sizeof markup->error.text, "%s", error->message);
  markup->error.line = error->line;
  markup->error.column = error->column;
}

// Gives the parser the next part of the text; the text ends early where it has an error, or the caller wants no more.
static int next_part(void *context, char *buffer, int size) {
  flow_markup *markup = context;
  if (markup->has_error || !markup->goes_on(markup->caller)) return 0;
  if (size > markup->count) size = markup->count;
  memcpy(buffer, markup->bytes, size);
  markup->bytes += size;
  markup->count -= size;
  return size;
}

flow_markup *flow_markup_open(const char *bytes, int count, const char *encoding, int (*goes_on)(void *),
                              void *caller) {
  flow_markup *markup = calloc(1, sizeof *markup);
  if (!markup) return 0;
  markup->bytes = bytes;
  markup->count = count;
  markup->goes_on = goes_on;
  markup->caller = caller;
  // The handler belongs to this thread.
  library.xmlSetStructuredErrorFunc(markup, note);
  markup->document =
      library.xmlReadIO(next_part, 0, markup, 0, encoding, options | (encoding ? ignore_declared_encoding : 0));
  library.xmlSetStructuredErrorFunc(0, 0);
  if (markup->document) markup->reader = library.xmlReaderWalker(markup->document);
  return markup;
}

void flow_markup_close(flow_markup *markup) {
  if (markup->reader) library.xmlFreeTextReader(markup->reader);
  if (markup->document) library.xmlFreeDoc(markup->document);
  free(markup);
}

int flow_markup_next(flow_markup *markup) {
  if (markup->has_error || !markup->reader) return flow_markup_failed;
  int state = library.xmlTextReaderRead(markup->reader);
  if (state < 0) return flow_markup_failed;
  if (state == 0) return flow_markup_end;
  int kind = library.xmlTextReaderNodeType(markup->reader);
  switch (kind) {
    case flow_markup_element:
    case flow_markup_entity:
    case flow_markup_element_end:
      return kind;
    case flow_markup_text:
    case 4:  // CDATA
    case 13: // white space
    case 14:
      return flow_markup_text;
    default:
      return flow_markup_other;
  }
}

const flow_markup_error *flow_markup_failure(flow_markup *markup) {
  return markup->has_error ? &markup->error : 0;
}

int flow_markup_is_empty(flow_markup *markup) { return library.xmlTextReaderIsEmptyElement(markup->reader) == 1; }
const char *flow_markup_name(flow_markup *markup) {
  return (const char *)library.xmlTextReaderConstLocalName(markup->reader);
}
const char *flow_markup_prefix(flow_markup *markup) {
  return (const char *)library.xmlTextReaderConstPrefix(markup->reader);
}
const char *flow_markup_namespace(flow_markup *markup) {
  return (const char *)library.xmlTextReaderConstNamespaceUri(markup->reader);
}
const char *flow_markup_value(flow_markup *markup) {
  return (const char *)library.xmlTextReaderConstValue(markup->reader);
}
int flow_markup_next_attribute(flow_markup *markup) {
  return library.xmlTextReaderMoveToNextAttribute(markup->reader) == 1;
}
int flow_markup_is_declaration(flow_markup *markup) {
  return library.xmlTextReaderIsNamespaceDecl(markup->reader) == 1;
}
void flow_markup_leave_attributes(flow_markup *markup) { library.xmlTextReaderMoveToElement(markup->reader); }

unsigned flow_html_entity(const char *name) {
  const unsigned *found = library.htmlEntityLookup((const unsigned char *)name);
  return found ? *found : 0;
}
