/* select.c - choosing the kernels for this processor
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdatomic.h>
#include <string.h>

#include "kernels/kernels.h"

/* NULL until the first use. Finding the best set always gives the same answer, so it does no harm
   if two threads do it at once. */
static _Atomic(const isg_kernels *) chosen;

static const isg_kernels *const ref = &isg_kernels_ref, *const baseline = &isg_kernels_baseline;

/* All sets, best last. Any processor of the architecture can run those that need no features; the
   error sentence names the features that the others need. */
static const struct {
    const isg_kernels *const *kernels; /* points to NULL if not in this build */
    unsigned features;
    const char *sentence;
} sets[] = {
    {&ref, 0, NULL},
    {&baseline, 0, NULL},
    {&isg_kernels_avx2, ISG_HAS_AVX2, "AVX2, FMA and POPCNT"},
    {&isg_kernels_avx512, ISG_HAS_AVX512, "AVX-512 (F, DQ, BW, VL), FMA and POPCNT"},
    {&isg_kernels_neon, 0, NULL},
};
enum { SETS = sizeof sets / sizeof *sets };

static unsigned features_here(void) {
    unsigned features = 0;
#if defined(__x86_64__)
    /* These also check that the operating system saves the wide registers. */
    if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("popcnt")) {
        if (__builtin_cpu_supports("avx2"))
            features |= ISG_HAS_AVX2;
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
            features |= ISG_HAS_AVX512;
    }
#endif
    return features;
}

static bool can_run(size_t i, unsigned features) {
    return (sets[i].features & ~features) == 0;
}

isg_status isg_kernels_choose(const isg_kernels **out, const char *name, unsigned features) {
    const bool wants_best = !name || strcmp(name, "best") == 0;
    size_t found = SETS;
    for (size_t i = 0; i < SETS; i++)
        if (*sets[i].kernels &&
            (wants_best ? can_run(i, features) : strcmp(name, (*sets[i].kernels)->name) == 0))
            found = i;
    if (found == SETS) {
        char known[64] = "";
        for (size_t i = 0; isg_isa_name(i); i++) {
            strcat(known, isg_isa_name(i));
            strcat(known, ", ");
        }
        return isg_fail(ISG_ERR_ARGUMENT, "isa: expected one of %sbest, found \"%s\"", known, name);
    }
    if (!can_run(found, features))
        return isg_fail(ISG_ERR_UNSUPPORTED,
                        "isa: \"%s\" needs a processor with %s, found one without", name,
                        sets[found].sentence);
    *out = *sets[found].kernels;
    return ISG_OK;
}

isg_status isg_set_isa(const char *name) {
    const isg_kernels *kernels = NULL;
    ISG_TRY(isg_kernels_choose(&kernels, name, features_here()));
    atomic_store(&chosen, kernels);
    return ISG_OK;
}

const isg_kernels *isg_kernels_get(void) {
    const isg_kernels *kernels = atomic_load(&chosen);
    if (kernels)
        return kernels;
    const isg_kernels *best = &isg_kernels_ref;
    isg_kernels_choose(&best, NULL, features_here());
    /* Another thread may have called isg_set_isa() meanwhile; its choice then stands. */
    return atomic_compare_exchange_strong(&chosen, &kernels, best) ? best : kernels;
}

const char *isg_isa(void) {
    return isg_kernels_get()->name;
}

const char *isg_isa_name(size_t i) {
    for (size_t k = 0; k < SETS; k++)
        if (*sets[k].kernels && i-- == 0)
            return (*sets[k].kernels)->name;
    return NULL;
}
