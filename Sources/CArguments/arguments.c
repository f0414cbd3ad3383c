#include "carguments.h"

static int count;
static char **arguments;

// The GNU C library calls constructors with what `main` is called with.
__attribute__((constructor)) static void keep(int argc, char **argv) {
  count = argc;
  arguments = argv;
}

int flow_argument_count(void) { return count; }

const char *flow_argument(int index) { return index < count ? arguments[index] : 0; }
