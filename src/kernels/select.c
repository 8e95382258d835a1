/* select.c - which kernels run on this processor
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdatomic.h>
#include <string.h>

#include "kernels/kernels.h"

/* NULL until somebody asks. Finding the best set gives the same answer every time, so two threads
   that ask first at once do no harm. */
static _Atomic(const isg_kernels *) chosen;

static bool has_avx2(void) {
#if defined(__x86_64__)
    /* These include the operating system's part: that it saves the wide registers. */
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("popcnt");
#else
    return false;
#endif
}

/* The i-th set of this build, best last; NULL past the end. */
static const isg_kernels *kernels_at(size_t i) {
    const isg_kernels *const all[] = {&isg_kernels_ref, &isg_kernels_baseline, isg_kernels_avx2};
    return i < sizeof all / sizeof *all ? all[i] : NULL;
}

static bool can_run(const isg_kernels *kernels, bool avx2) {
    return kernels != isg_kernels_avx2 || avx2;
}

isg_status isg_kernels_choose(const isg_kernels **out, const char *name, bool avx2) {
    const bool wants_best = !name || strcmp(name, "best") == 0;
    const isg_kernels *found = NULL;
    for (size_t i = 0; kernels_at(i); i++)
        if (wants_best ? can_run(kernels_at(i), avx2) : strcmp(name, kernels_at(i)->name) == 0)
            found = kernels_at(i);
    if (!found) {
        char known[64] = "";
        for (size_t i = 0; kernels_at(i); i++) {
            strcat(known, kernels_at(i)->name);
            strcat(known, ", ");
        }
        return isg_fail(ISG_ERR_ARGUMENT, "isa: expected one of %sbest, found \"%s\"", known, name);
    }
    if (!can_run(found, avx2))
        return isg_fail(
            ISG_ERR_UNSUPPORTED,
            "isa: \"%s\" needs a processor with AVX2, FMA and POPCNT, found one without", name);
    *out = found;
    return ISG_OK;
}

isg_status isg_set_isa(const char *name) {
    const isg_kernels *kernels = NULL;
    ISG_TRY(isg_kernels_choose(&kernels, name, has_avx2()));
    atomic_store(&chosen, kernels);
    return ISG_OK;
}

const isg_kernels *isg_kernels_get(void) {
    const isg_kernels *kernels = atomic_load(&chosen);
    if (kernels)
        return kernels;
    const isg_kernels *best = &isg_kernels_ref;
    isg_kernels_choose(&best, NULL, has_avx2());
    /* Another thread may have called isg_set_isa() meanwhile; then its choice stands. */
    return atomic_compare_exchange_strong(&chosen, &kernels, best) ? best : kernels;
}

const char *isg_isa(void) {
    return isg_kernels_get()->name;
}

const char *isg_isa_name(size_t i) {
    const isg_kernels *kernels = kernels_at(i);
    return kernels ? kernels->name : NULL;
}
