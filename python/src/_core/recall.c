/* recall.c -
 *
 * SPDX-License-Identifier: MIT
 */
#include "core.h"

bool core_add_recall(PyObject *module) {
    (void)module;
    return true;
}
