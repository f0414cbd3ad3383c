#define _GNU_SOURCE
#include "cgumbo.h"

#include <cloading.h>
#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The structures of gumbo.h, which are the same in 0.10.1 (libgumbo.so.1) and 0.13 (libgumbo.so.3). The numbers of
// tags are not, so names are asked for.
typedef struct { void **items; unsigned length, capacity; } vector;
typedef struct { unsigned line, column, offset; } position;
typedef struct { const char *start; size_t length; } piece;
typedef struct {
  int prefix;
  const char *name;
  piece original_name;
  const char *value;
  piece original_value;
  position places[4];
} attribute;
typedef struct node {
  int kind;
  struct node *parent;
  size_t index;
  int flags;
  union {
    struct {
      vector children;
      int tag, name_space;
      piece original_tag, original_end_tag;
      position start, end;
      vector attributes;
    } element;
    const char *text;
  } is;
} node;
typedef struct {
  void *(*allocate)(void *, size_t);
  void (*release)(void *, void *);
  void *caller;
  int tab_stop;
  bool stops_at_error;
  int errors;
  int fragment, fragment_namespace;
} options;
typedef struct {
  node *document, *root;
  vector errors;
} output;

enum { kind_document, kind_element, kind_text, kind_cdata, kind_comment, kind_space, kind_template };

#define FUNCTIONS(each)                                                           \
  each(output *, gumbo_parse_with_options, (const options *, const char *, size_t)) \
  each(const char *, gumbo_normalized_tagname, (int))                             \
  each(void, gumbo_tag_from_original_text, (piece *))                             \
  each(const char *, gumbo_normalize_svg_tagname, (const piece *))

static const char *begin(void *handle);

FLOW_LIBRARY(
  FUNCTIONS, .name = "libgumbo, which reads HTML,",
  .files = FLOW_FILES("libgumbo.so.1", "libgumbo.so.2", "libgumbo.so.3", "libgumbo.so"),
  .package = "libgumbo1, in newer distributions libgumbo3", .begin = begin)

static options default_options;

// MARK: Memory

// What the parser allocates, in chunks, so that parsing can end at any allocation and all of it is freed at once.
enum { chunk_size = 1 << 18, granule = 16, small = 64, sizes = small + 48, allocations_between_checks = 1024 };

typedef struct chunk {
  struct chunk *next;
  size_t size;
} chunk;

// A block that is free is linked to others of its size; the header has the number of the size.
typedef struct block {
  size_t number;
  struct block *next;
} block;

struct flow_page {
  chunk *chunks;
  char *free;
  size_t left, used, memory;
  block *freed[sizes];
  unsigned allocations;
  int (*goes_on)(void *);
  void *caller;
  int state;
  jmp_buf stop;
  // Whether each pointer is checked before it is followed, in the test of the library.
  bool is_test;
  const char *bytes;
  size_t count;
  // The open elements, and the child of each that is next.
  size_t depth, limit;
  node *current;
  struct { node *element; unsigned next; } open[];
};

static void stop(flow_page *page, int state) {
  page->state = state;
  longjmp(page->stop, 1);
}

static size_t size_of(size_t number) {
  return number < small ? (number + 1) * granule : (size_t)granule << (number - small + 7);
}

static void *allocate(void *caller, size_t size) {
  flow_page *page = caller;
  if (++page->allocations % allocations_between_checks == 0 && !page->goes_on(page->caller))
    stop(page, flow_page_stopped);
  if (size > page->memory) stop(page, flow_page_full);
  size_t number = size ? (size - 1) / granule : 0;
  if (number >= small) {
    number = small;
    while (size_of(number) < size) number++;
  }
  block *found = page->freed[number];
  if (found) {
    page->freed[number] = found->next;
    return (char *)found + granule;
  }
  size_t needed = granule + size_of(number);
  if (needed > page->left) {
    size_t room = needed > chunk_size ? needed : chunk_size;
    page->used += room;
    chunk *more = page->used > page->memory ? 0 : malloc(granule + room);
    if (!more) stop(page, flow_page_full);
    more->next = page->chunks;
    more->size = room;
    page->chunks = more;
    page->free = (char *)more + granule;
    page->left = room;
  }
  found = (block *)page->free;
  found->number = number;
  page->free += needed;
  page->left -= needed;
  return (char *)found + granule;
}

static void release(void *caller, void *pointer) {
  if (!pointer) return;
  flow_page *page = caller;
  block *freed = (block *)((char *)pointer - granule);
  freed->next = page->freed[freed->number];
  page->freed[freed->number] = freed;
}

// Whether a part of memory is the parser's, or of the text.
static bool is_known(const flow_page *page, const void *pointer, size_t size) {
  if (!page->is_test || !size) return true;
  const char *start = pointer;
  if (start >= page->bytes && start + size <= page->bytes + page->count) return true;
  for (const chunk *one = page->chunks; one; one = one->next) {
    const char *begin = (const char *)one + granule;
    if (start >= begin && start + size <= begin + one->size) return true;
  }
  return false;
}

// MARK: The page

static flow_page *parse(const char *bytes, size_t count, size_t memory, size_t depth, int (*goes_on)(void *),
                        void *caller, bool is_test) {
  flow_page *page = calloc(1, sizeof *page + (depth + 1) * sizeof page->open[0]);
  if (!page) return 0;
  page->bytes = bytes;
  page->count = count;
  page->memory = memory;
  page->limit = depth;
  page->goes_on = goes_on;
  page->caller = caller;
  page->is_test = is_test;
  options chosen = default_options;
  chosen.allocate = allocate;
  chosen.release = release;
  chosen.caller = page;
  chosen.errors = 0;
  if (setjmp(page->stop) == 0) {
    output *made = library.gumbo_parse_with_options(&chosen, bytes, count);
    if (is_known(page, made, sizeof *made)) page->open[0].element = made->document;
  }
  return page;
}

flow_page *flow_page_open(const char *bytes, size_t count, size_t memory, size_t depth,
                          int (*goes_on)(void *), void *caller) {
  return parse(bytes, count, memory, depth, goes_on, caller, false);
}

void flow_page_close(flow_page *page) {
  while (page->chunks) {
    chunk *next = page->chunks->next;
    free(page->chunks);
    page->chunks = next;
  }
  free(page);
}

int flow_page_state(const flow_page *page) { return page->state; }

int flow_page_next(flow_page *page) {
  node *parent = page->open[page->depth].element;
  if (!parent || !is_known(page, parent, sizeof *parent)) return flow_page_end;
  // The children of the document are where those of an element are.
  vector *children = &parent->is.element.children;
  while (page->open[page->depth].next < children->length) {
    unsigned index = page->open[page->depth].next++;
    if (!is_known(page, children->items, (index + 1) * sizeof(void *))) return flow_page_end;
    node *found = children->items[index];
    if (!is_known(page, found, sizeof *found)) return flow_page_end;
    page->current = found;
    switch (found->kind) {
      case kind_text:
      case kind_cdata:
      case kind_space:
        return flow_page_text;
      case kind_element:
      case kind_template:
        if (page->depth == page->limit) return flow_page_too_deep;
        page->depth++;
        page->open[page->depth].element = found;
        page->open[page->depth].next = 0;
        return flow_page_element;
      default:
        break;
    }
  }
  if (page->depth == 0) return flow_page_end;
  page->depth--;
  return flow_page_element_end;
}

const char *flow_page_name(flow_page *page, size_t *length) {
  node *element = page->current;
  piece original = element->is.element.original_tag;
  bool has_original = original.start && original.length && is_known(page, original.start, original.length);
  if (has_original) library.gumbo_tag_from_original_text(&original);
  const char *name = 0;
  if (has_original && element->is.element.name_space == flow_page_svg)
    name = library.gumbo_normalize_svg_tagname(&original);
  if (!name) name = library.gumbo_normalized_tagname(element->is.element.tag);
  // An element that the library has no name for has its own.
  if (!*name && has_original) {
    *length = original.length;
    return original.start;
  }
  *length = strlen(name);
  return name;
}

int flow_page_namespace(const flow_page *page) { return page->current->is.element.name_space; }
size_t flow_page_attributes(const flow_page *page) { return page->current->is.element.attributes.length; }

const char *flow_page_attribute(const flow_page *page, size_t index, int *prefix, const char **value) {
  vector *attributes = &page->current->is.element.attributes;
  *prefix = flow_page_no_prefix;
  *value = "";
  if (!is_known(page, attributes->items, (index + 1) * sizeof(void *))) return "";
  attribute *found = attributes->items[index];
  if (!is_known(page, found, sizeof *found) || !is_known(page, found->name, 1) || !is_known(page, found->value, 1))
    return "";
  *prefix = found->prefix;
  *value = found->value;
  return found->name;
}

const char *flow_page_value(const flow_page *page) {
  const char *text = page->current->is.text;
  return is_known(page, text, 1) ? text : "";
}

// MARK: Loading

static int always(void *caller) {
  (void)caller;
  return 1;
}

// Whether the library reads a small page as it should, which it does only where its structures are the known ones.
static bool passes_test(void) {
  static const char text[] =
    "<!doctype html><title>t</title><p id=a CLASS='b c'>x&amp;<svg><lineargradient xlink:href=d /></svg><x-y>&euro;<template><td>";
  static const char expected[] =
    "<0html<0head<0title:t>><0body<0p 0id=a 0class=b c:x&<1svg<1linearGradient 1href=d>><0x-y:\xe2\x82\xac<0template<0td>>>>>>";
  flow_page *page = parse(text, sizeof text - 1, 1 << 22, 15, always, 0, true);
  if (!page) return false;
  char found[512];
  size_t end = 0;
#define ADD(...) end += (size_t)snprintf(found + end, end < sizeof found ? sizeof found - end : 0, __VA_ARGS__)
  for (int kind; end < sizeof found && (kind = flow_page_next(page)) != flow_page_end && kind != flow_page_too_deep;) {
    if (kind == flow_page_text) ADD(":%.20s", flow_page_value(page));
    if (kind == flow_page_element_end) ADD(">");
    if (kind != flow_page_element) continue;
    size_t length;
    const char *name = flow_page_name(page, &length);
    ADD("<%d%.*s", flow_page_namespace(page), (int)length, name);
    for (size_t index = 0; end < sizeof found && index < flow_page_attributes(page); index++) {
      int prefix;
      const char *value, *attribute = flow_page_attribute(page, index, &prefix, &value);
      ADD(" %d%.20s=%.20s", prefix, attribute, value);
    }
  }
#undef ADD
  flow_page_close(page);
  return end < sizeof found && strcmp(found, expected) == 0;
}

static const char *begin(void *handle) {
  const options *defaults = dlsym(handle, "kGumboDefaultOptions");
  Dl_info place;
  const ElfW(Sym) *symbol = 0;
  bool is_known = defaults && dladdr1(defaults, &place, (void **)&symbol, RTLD_DL_SYMENT) && symbol
    && symbol->st_size == sizeof *defaults && defaults->tab_stop == 8 && !defaults->stops_at_error;
  if (is_known) default_options = *defaults;
  return is_known && passes_test()
    ? 0 : "libgumbo is of a version that is not known here; 0.10 to 0.13 are (the packages libgumbo1 to libgumbo3)";
}

const char *flow_gumbo_load(void) { return flow_load(&loading); }
