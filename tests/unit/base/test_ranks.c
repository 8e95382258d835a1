/* test_ranks.c - shares, messages and one status for several processes
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/ranks.h"
#include "helper_ranks.h"

/* ---- shares ----------------------------------------------------------------------------------- */

enum { COUNTS = 60, MOST_THREADS = 4 };
static const size_t grains[] = {1, 8, 16};
enum { GRAINS = sizeof grains / sizeof *grains };

typedef struct shares {
    isg_rows of_rank[COUNTS][GRAINS], of_thread[COUNTS][GRAINS][MOST_THREADS];
} shares;

static void take_shares(const void *user, void *out) {
    shares *all = out;
    (void)user;
    for (size_t count = 0; count < COUNTS; count++)
        for (size_t g = 0; g < GRAINS; g++) {
            all->of_rank[count][g] = isg_rank_rows(count, grains[g]);
            for (size_t me = 0; me < MOST_THREADS; me++)
                all->of_thread[count][g][me] =
                    isg_rank_thread_rows(count, grains[g], me, MOST_THREADS);
        }
}

/* Ranks and threads have all rows, each once and in whole groups. */
static void test_shares(void **state) {
    (void)state;
    static shares found[5];
    for (size_t size = 1; size <= 5; size++) {
        run_ranks(size, take_shares, NULL, found, sizeof *found);
        for (size_t count = 0; count < COUNTS; count++)
            for (size_t g = 0; g < GRAINS; g++) {
                size_t end = 0;
                for (size_t rank = 0; rank < size; rank++) {
                    assert_int_equal(found[rank].of_rank[count][g].begin, end);
                    for (size_t me = 0; me < MOST_THREADS; me++) {
                        const isg_rows rows = found[rank].of_thread[count][g][me];
                        assert_int_equal(rows.begin, end);
                        assert_true(rows.begin % grains[g] == 0 || rows.begin == count);
                        end = rows.end;
                    }
                    assert_int_equal(found[rank].of_rank[count][g].end, end);
                }
                assert_int_equal(end, count);
            }
    }
}

/* ---- messages --------------------------------------------------------------------------------- */

enum { ROWS = 37 };

typedef struct heard {
    uint64_t one[ROWS];
    uint8_t three[ROWS][3];
    uint32_t four[ROWS];
    char text[8], buffer[8];
} heard;

static void talk(const void *user, void *out) {
    heard *my = out;
    const isg_gathered arrays[] = {{my->three, 3}, {my->four, 4}};
    void *room = isg_allocate(isg_gather_room(arrays, 2, ROWS) + 1, 1);
    isg_rows own = isg_rank_rows(ROWS, 1);
    (void)user;
    for (size_t k = own.begin; k < own.end; k++)
        my->one[k] = 1000 + k;
    own = isg_rank_rows(ROWS, 8);
    for (size_t k = own.begin; k < own.end; k++) {
        memset(my->three[k], (int)k, 3);
        my->four[k] = (uint32_t)(7 * k);
    }
    isg_gather_rows(my->one, sizeof *my->one, ROWS, 1);
    isg_gather_all(arrays, 2, ROWS, 8, room);
    if (isg_rank() == 0)
        memcpy(my->text, "rank 0", 7);
    isg_broadcast(my->text, sizeof my->text);
    void *bytes = isg_rank() == 0 ? my->text : NULL;
    size_t count = isg_rank() == 0 ? 7 : 0;
    if (isg_broadcast_buffer(&bytes, &count) == ISG_OK && count == 7)
        memcpy(my->buffer, bytes, count);
    if (isg_rank() > 0)
        isg_release(bytes);
    isg_release(room);
}

static void test_messages(void **state) {
    (void)state;
    static heard found[7];
    for (size_t size = 1; size <= 7; size += 2) {
        run_ranks(size, talk, NULL, found, sizeof *found);
        for (size_t rank = 0; rank < size; rank++) {
            for (size_t k = 0; k < ROWS; k++) {
                assert_int_equal(found[rank].one[k], 1000 + k);
                assert_int_equal(found[rank].three[k][0], k);
                assert_int_equal(found[rank].three[k][2], k);
                assert_int_equal(found[rank].four[k], 7 * k);
            }
            assert_string_equal(found[rank].text, "rank 0");
            assert_string_equal(found[rank].buffer, "rank 0");
        }
    }
}

/* ---- one status ------------------------------------------------------------------------------- */

typedef struct outcome {
    isg_status status;
    char sentence[64];
} outcome;

/* The last two of four ranks fail, for reasons of their own. */
static void agree(const void *user, void *out) {
    outcome *my = out;
    (void)user;
    isg_status mine = ISG_OK;
    if (isg_rank() >= 2)
        mine =
            isg_fail(isg_rank() == 2 ? ISG_ERR_IO : ISG_ERR_MEMORY, "rank %zu cannot", isg_rank());
    my->status = isg_ranks_agree(mine);
    snprintf(my->sentence, sizeof my->sentence, "%s", isg_error_message());
    if (isg_ranks_agree(ISG_OK) != ISG_OK)
        my->status = ISG_ERR_DIVERGED;
}

static void test_agreement(void **state) {
    (void)state;
    outcome found[4];
    run_ranks(4, agree, NULL, found, sizeof *found);
    for (size_t rank = 0; rank < 4; rank++) {
        assert_int_equal(found[rank].status, ISG_ERR_IO);
        assert_string_equal(found[rank].sentence, "rank 2 cannot");
    }
}

static void test_arguments(void **state) {
    (void)state;
    isg_ranks ranks = {.rank = 2, .size = 2};
    assert_fails(isg_set_ranks(&ranks), ISG_ERR_ARGUMENT,
                 "ranks: expected a rank below their number, 2, found 2");
    ranks.rank = 0;
    assert_fails(isg_set_ranks(&ranks), ISG_ERR_ARGUMENT,
                 "ranks: expected functions to gather and to broadcast, found none");
    assert_ok(isg_set_ranks(NULL));
    assert_int_equal(isg_n_ranks(), 1);
    assert_fails(isg_ranks_agree(isg_fail(ISG_ERR_IO, "alone")), ISG_ERR_IO, "alone");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares), cmocka_unit_test(test_messages),
        cmocka_unit_test(test_agreement), cmocka_unit_test(test_arguments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
