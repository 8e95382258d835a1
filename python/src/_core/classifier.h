/* classifier.h - what the files of the Classifier share
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_CORE_CLASSIFIER_H
#define ISINGLASS_CORE_CLASSIFIER_H

#include "core.h"

static inline isg_classifier *classifier_of(PyObject *self) {
    return ((core_object *)self)->handle;
}

/* classifier_predict.c */
PyObject *core_classifier_predict(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_classifier_decisions(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_classifier_truth(PyObject *self, PyObject *arguments, PyObject *keywords);

#endif
