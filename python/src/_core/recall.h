/* recall.h - what the files on recall share
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_CORE_RECALL_H
#define ISINGLASS_CORE_RECALL_H

#include "columns.h"

/* In recover.c. */
PyObject *recall_recover(PyObject *none, PyObject *arguments, PyObject *keywords);
PyObject *recall_recovery_defaults(PyObject *none, PyObject *nothing);
PyObject *recall_corrupt(PyObject *none, PyObject *arguments, PyObject *keywords);
PyObject *recall_projections(PyObject *none, PyObject *arguments, PyObject *keywords);

#endif
