/* helper_scratch.c - a directory for the files of one test program
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "helper_scratch.h"

#include <dirent.h>

char *directory;

int make_directory(void **state) {
    (void)state;
    directory = scratch_create();
    return 0;
}

int make_directory_in_memory(void **state) {
    (void)state;
    directory = malloc(64);
    assert_non_null(directory);
    strcpy(directory, "/dev/shm/isinglass-test-XXXXXX");
    if (mkdtemp(directory))
        return 0;
    free(directory);
    return make_directory(state);
}

int remove_directory(void **state) {
    (void)state;
    isg_set_threads(0);
    scratch_remove(directory);
    return 0;
}

size_t count_files(const char *part) {
    size_t count = 0;
    DIR *stream = opendir(directory);
    assert_non_null(stream);
    for (const struct dirent *entry = readdir(stream); entry; entry = readdir(stream))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
                 strstr(entry->d_name, part) != NULL;
    closedir(stream);
    return count;
}
