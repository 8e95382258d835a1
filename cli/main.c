/* main.c - isinglass
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/program.h"

int main(int argc, char **argv) {
    program_start(argv);
    return (int)program_run(argc, argv);
}
