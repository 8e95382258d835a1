/* dataset.h - what the files of the Dataset share
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_CORE_DATASET_H
#define ISINGLASS_CORE_DATASET_H

#include "core.h"

static inline isg_dataset *dataset_of(PyObject *self) {
    return ((core_object *)self)->handle;
}

/* dataset_values.c: from files and from values in memory */
PyObject *core_dataset_load(PyObject *none, PyObject *arguments, PyObject *keywords);
PyObject *core_dataset_from_values(PyObject *none, PyObject *arguments, PyObject *keywords);
PyObject *core_dataset_defaults(PyObject *none, PyObject *nothing);

/* dataset_parts.c: data from data */
PyObject *core_dataset_select(PyObject *self, PyObject *rows);
PyObject *core_dataset_split(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_dataset_impute(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_dataset_probabilities(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_dataset_impute_defaults(PyObject *none, PyObject *nothing);

#endif
