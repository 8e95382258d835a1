/* consumer.c - a program outside the tree that uses the installed library
 *
 * SPDX-License-Identifier: MIT
 */
#include <isinglass.h>

#include <stdio.h>
#include <string.h>

int main(void) {
    if (strcmp(isg_version(), ISG_VERSION) != 0 || isg_error_message()[0] != '\0') {
        fprintf(stderr, "the library is not the one of the header\n");
        return 1;
    }
    printf("isinglass %s\n", isg_version());
    return 0;
}
