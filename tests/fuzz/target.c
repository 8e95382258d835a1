/* target.c - what the fuzz targets share
 *
 * SPDX-License-Identifier: MIT
 *
 * Without AddressSanitizer, which has better means, every block of the library stands between bytes
 * that are looked at when it is released, is filled then, and must be released by the end of the input.
 */
#define _GNU_SOURCE /* memfd_create */
#include "target.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "isinglass.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { MARGIN = 64, SLOTS = 3, NAME_BYTES = 64, MOST_FILLED = 256, MOST_BLOCK = 1 << 26 };

static size_t counts[ACCEPTED + 1];

/* ---- memory ----------------------------------------------------------------------------------- */

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif
#ifndef HAS_ASAN
#define HAS_ASAN 0
#endif

static size_t blocks; /* that are not released */

static void *guarded_allocate(void *user, size_t alignment, size_t bytes) {
    (void)user;
    uint8_t *block = NULL;
    void *whole = NULL;
    if (alignment > MARGIN || bytes > MOST_BLOCK) /* no small input needs so much */
        abort();
    if (posix_memalign(&whole, MARGIN, bytes + 2 * MARGIN) != 0)
        return NULL;
    block = whole;
    memset(block, 0xa5, MARGIN);
    memcpy(block, &bytes, sizeof bytes);
    memset(block + MARGIN + bytes, 0xa5, MARGIN);
    blocks++;
    return block + MARGIN;
}

static void check_margin(const uint8_t *margin, size_t first) {
    for (size_t k = first; k < MARGIN; k++)
        if (margin[k] != 0xa5)
            abort();
}

static void guarded_release(void *user, void *pointer) {
    (void)user;
    uint8_t *block = (uint8_t *)pointer - MARGIN;
    size_t bytes = 0;
    memcpy(&bytes, block, sizeof bytes);
    check_margin(block, sizeof bytes);
    check_margin(block + MARGIN + bytes, 0);
    memset(block, 0xdd, MARGIN + (bytes < MOST_FILLED ? bytes : MOST_FILLED));
    free(block);
    blocks--;
}

/* ---- files ------------------------------------------------------------------------------------ */

static char scratch[NAME_BYTES];

const char *file_with(unsigned slot, const uint8_t *bytes, size_t size) {
    static int files[SLOTS] = {-1, -1, -1};
    static char names[SLOTS][NAME_BYTES];
    if (files[slot] < 0) {
        files[slot] = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(names[slot], NAME_BYTES, "/proc/self/fd/%d", files[slot]);
    }
    if (files[slot] < 0 || ftruncate(files[slot], (off_t)size) != 0 ||
        pwrite(files[slot], bytes, size, 0) != (ssize_t)size)
        abort();
    return names[slot];
}

const char *scratch_file(void) {
    if (!scratch[0]) /* in memory, since a writer waits for the disk */
        snprintf(scratch, sizeof scratch, "%s/isinglass-fuzz-%ld",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
    return scratch;
}

bool is_chosen(const uint8_t *bytes, size_t size, unsigned in_so_many) {
    uint32_t hash = 2166136261u;
    for (size_t k = 0; k < size; k++)
        hash = (hash ^ bytes[k]) * 16777619u;
    return (hash >> 8) % in_so_many == 0;
}

/* ---- archives --------------------------------------------------------------------------------- */

depth attack_zip(const uint8_t *bytes, size_t size,
                 depth (*read)(isg_zip *zip, const uint8_t *bytes, size_t size)) {
    isg_file *file = NULL;
    isg_zip *zip = NULL;
    depth how_far = REFUSED;
    if (isg_file_from_memory(&file, "fuzz", bytes, size) == ISG_OK &&
        isg_zip_open(&zip, file) == ISG_OK)
        how_far = read(zip, bytes, size);
    isg_zip_close(zip);
    isg_file_close(file);
    return how_far;
}

/* ---- libFuzzer -------------------------------------------------------------------------------- */

__attribute__((weak)) void prepare(void) {}

static void finish(void) {
    fprintf(stderr, "depth: refused %zu begun %zu accepted %zu\n", counts[REFUSED], counts[BEGUN],
            counts[ACCEPTED]);
    if (scratch[0])
        unlink(scratch);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    const isg_allocator guarded = {guarded_allocate, guarded_release, NULL};
    if (!HAS_ASAN)
        isg_set_allocator(&guarded);
    isg_set_threads(1);
    prepare();
    if (atexit(finish) != 0)
        abort();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    const size_t before = blocks;
    counts[attack(bytes, size)]++;
    if (blocks != before)
        abort();
    return 0;
}
