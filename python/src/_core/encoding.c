/* encoding.c -
 *
 * SPDX-License-Identifier: MIT
 */
#include "core.h"

bool core_add_encoding(PyObject *module) {
    (void)module;
    return true;
}
