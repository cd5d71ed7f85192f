/* Calls the runtime library with an image that it cannot read. */

#include "nacho-c/Runtime.h"

#include <stdio.h>

static void print(const char *text) { printf("handled: %s\n", text); }

int main(int argc, char **argv) {
  (void)argv;
  nacho_image image = {"0 ", 2, 0, 0};
  if (argc == 1)
    nacho_set_error_handler(print);
  printf("plan: %d\n", nacho_create_plan(&image, 0, 0, 0) != 0);
  return 0;
}
