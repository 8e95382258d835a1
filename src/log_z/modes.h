/* modes.h - the minima of F0, each with a Gaussian around it
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_MODES_H
#define ISG_MODES_H

#include "log_z/gaussian.h"
#include "log_z/landscape.h"

/* A minimum of F0, in delta = lambda - c. If G is even, its mirror image is a minimum too, with the
   same curvature, and is not kept apart. */
typedef struct isg_mode {
    double *center;        /* (p) */
    isg_gaussian gaussian; /* Laplace's, of precision beta (I - beta W^T D W), until it is fitted */
    double log_laplace;    /* ln of Laplace's term of Z, mirror image included */
    double radius2;        /* a minimum is this one if its squared distance is less */
    bool is_flat;          /* whether that precision had to be raised to be positive */
    bool is_fitted;
} isg_mode;

typedef struct isg_modes {
    const isg_spin_model *model; /* borrowed */
    bool is_even;                /* G(-delta) = G(delta) */
    isg_mode *list;
    size_t count, capacity;
} isg_modes;

isg_modes isg_modes_start(const isg_spin_model *model);
void isg_modes_release(isg_modes *modes);

/* Goes downhill from each of points (count, p), which it moves, and adds the minima that are not
   in the list yet. */
isg_status isg_modes_search(isg_modes *modes, double *points, size_t count);

/* Takes a mode out of the list; those behind it move up. */
void isg_modes_remove(isg_modes *modes, size_t m);

/* The number of the mode whose center, or its mirror image, is nearest; `sign` says which. */
size_t isg_modes_nearest(const isg_modes *modes, const double *delta, double *sign);

/* ln of the sum of Laplace's terms of the modes from number `first` on. */
double isg_modes_log_laplace(const isg_modes *modes, size_t first);

#endif
