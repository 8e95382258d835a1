/* run.c -
 *
 * SPDX-License-Identifier: MIT
 */
#include "core.h"

bool core_add_run(PyObject *module) {
    (void)module;
    return true;
}
