/* experts.c -
 *
 * SPDX-License-Identifier: MIT
 */
#include "core.h"

bool core_add_experts(PyObject *module) {
    (void)module;
    return true;
}
