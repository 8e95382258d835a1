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

/* tuner.c: how it was fine-tuned, as a dictionary */
PyObject *core_tuned_options(const isg_classifier_info *info);

/* classifier_predict.c */
PyObject *core_classifier_predict(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_classifier_decisions(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_classifier_truth(PyObject *self, PyObject *arguments, PyObject *keywords);

#endif
