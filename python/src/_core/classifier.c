/* classifier.c -
 *
 * SPDX-License-Identifier: MIT
 */
#include "core.h"

bool core_add_classifier(PyObject *module) {
    (void)module;
    return true;
}
