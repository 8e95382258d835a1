/* rbm.h - what the files about RBMs share
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_CORE_RBM_H
#define ISINGLASS_CORE_RBM_H

#include "core.h"

static inline isg_rbm *core_rbm(PyObject *self) {
    return ((core_object *)self)->handle;
}

/* core_share() for two objects, the second of which may be NULL or None: both or none. */
bool core_share_both(PyObject *first, PyObject *second);
void core_unshare_both(PyObject *first, PyObject *second);

/* Borrowed patterns as an object of their own; None for NULL. */
PyObject *core_patterns_of(const isg_patterns *borrowed);

/* A data set whose missing values are all filled in, or NULL with an exception. */
const isg_dataset *core_whole_data(PyObject *data, const char *name);

/* The same for an argument that may be None: false with an exception. */
bool core_whole_data_optional(PyObject *data, const char *name, const isg_dataset **out);

/* Methods that other files have: of all samples, of ln Z, and of what becomes of an RBM. */
PyObject *core_rbm_capture(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_rbm_transform(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_rbm_energy(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_rbm_free_energy(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_rbm_visible_input(PyObject *self, PyObject *arguments, PyObject *keywords);

PyObject *core_rbm_log_z(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_rbm_log_z_defaults(PyObject *self, PyObject *none);
PyObject *core_rbm_likelihood(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_rbm_likelihoods(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_rbm_certificate(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_rbm_probabilities(PyObject *self, PyObject *out);

/* Options of ln Z as core_rbm_log_z() takes them, and what was found as a dict. */
bool core_log_z_options(isg_log_z_options *out, PyObject *options);
PyObject *core_log_z_of(const isg_log_z *found);

PyObject *core_rbm_deep_states(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_rbm_states_defaults(PyObject *self, PyObject *none);

PyObject *core_rbm_from_patterns(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_rbm_from_hopfield(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_rbm_start(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_rbm_mapping_defaults(PyObject *self, PyObject *none);
PyObject *core_rbm_start_defaults(PyObject *self, PyObject *none);
PyObject *core_rbm_append_pattern(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_rbm_remove_pattern(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_rbm_orthonormalize(PyObject *self, PyObject *none);
PyObject *core_rbm_integrate(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_rbm_to_hopfield(PyObject *self, PyObject *none);

PyObject *core_rbm_unmap(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_rbm_unmap_defaults(PyObject *self, PyObject *none);

#endif
