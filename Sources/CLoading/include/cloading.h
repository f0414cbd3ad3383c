// Libraries that are loaded when they are first used and not with the program.

#ifndef FLOW_LOADING_H
#define FLOW_LOADING_H

#include <stdbool.h>

/// A function of a library: its name, and the pointer to it.
struct flow_function {
  const char *name;
  void *place;
};

struct flow_library {
  const char *name;
  /// The names of the file that are tried in turn, and a null.
  const char *const *files;
  const char *package;
  /// The oldest version with all functions; null where any has them.
  const char *version;
  /// What all names of functions begin with; null for nothing.
  const char *prefix;
  const struct flow_function *functions;
  /// Called when all functions are there; returns what is wrong, or null.
  const char *(*begin)(void *handle);
  bool isTried;
  char failure[256];
};

/// Loads a library, once; null, or a sentence that says why it cannot be used.
const char *flow_load(struct flow_library *library);

#define FLOW_MEMBER(result, name, parameters, ...) result(*name) parameters;
#define FLOW_FUNCTION(result, name, ...) {#name, &library.name},
#define FLOW_FILES(...) (const char *const[]){__VA_ARGS__, 0}

/// Defines `library`, with a member for each function of a table (result, name, parameters), and how it is loaded.
#define FLOW_LIBRARY(FUNCTIONS, ...)                                                     \
  static struct { FUNCTIONS(FLOW_MEMBER) } library;                                      \
  static const struct flow_function functions[] = {FUNCTIONS(FLOW_FUNCTION){0, 0}};      \
  static struct flow_library loading = {.functions = functions, __VA_ARGS__};

#endif
