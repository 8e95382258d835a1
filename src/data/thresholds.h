/* thresholds.h - the threshold of every unit, learned from its values
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_THRESHOLDS_H
#define ISG_THRESHOLDS_H

#include "data/data.h"

/* Takes values in any order. What it learns depends on neither the order nor on whether zeros were
   put or left out. Memory: a few numbers per unit for the mean and the midpoint; for the other
   rules 16 bytes per different value of a unit. */
typedef struct isg_learner {
    isg_binarize rule;
    double at;
    size_t n_units;
    struct isg_unit_values *units; /* (n_units) */
} isg_learner;

/* Whether thresholds of this rule depend on the values. */
bool isg_rule_is_learned(isg_binarize rule);

isg_status isg_learner_start(isg_learner *learner, isg_binarize rule, double at, size_t n_units);
isg_status isg_learner_put(isg_learner *learner, size_t unit, double value); /* NaN: missing */

/* Values that were not put are zero; thresholds (n_units). */
isg_status isg_learner_finish(isg_learner *learner, size_t n_samples, double *thresholds);
void isg_learner_clear(isg_learner *learner);

#endif
