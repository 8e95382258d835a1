/* rbm.c -
 *
 * SPDX-License-Identifier: MIT
 */
#include "core.h"

bool core_add_rbm(PyObject *module) {
    (void)module;
    return true;
}
