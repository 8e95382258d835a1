/* hopfield.h - what the files of the network's type share
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_CORE_HOPFIELD_H
#define ISINGLASS_CORE_HOPFIELD_H

#include "columns.h"

static inline isg_hopfield *network_of(PyObject *self) {
    return ((core_object *)self)->handle;
}

/* In hopfield_states.c: one number, or a row of them, per sample. */
PyObject *hopfield_energy(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *hopfield_fields(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *hopfield_overlaps(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *hopfield_projections(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *hopfield_examine(PyObject *self, PyObject *arguments, PyObject *keywords);

/* In hopfield_run.c: dynamics. */
PyObject *hopfield_run(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *hopfield_run_defaults(PyObject *none, PyObject *nothing);
PyObject *hopfield_committor(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *hopfield_committor_defaults(PyObject *none, PyObject *nothing);

#endif
