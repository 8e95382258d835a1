/* chains.c -
 *
 * SPDX-License-Identifier: MIT
 */
#include "core.h"

bool core_add_chains(PyObject *module) {
    (void)module;
    return true;
}
