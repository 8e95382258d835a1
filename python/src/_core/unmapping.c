/* unmapping.c -
 *
 * SPDX-License-Identifier: MIT
 */
#include "core.h"

bool core_add_unmapping(PyObject *module) {
    (void)module;
    return true;
}
