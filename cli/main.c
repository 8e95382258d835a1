/* main.c - isinglass, the command line */
#include "isinglass.h"
#include <stdio.h>
int main(void) {
    puts(isg_version());
    return 0;
}
