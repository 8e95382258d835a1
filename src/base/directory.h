/* directory.h - directories, and a lock that lets one process work in one
 *
 * SPDX-License-Identifier: MIT
 *
 * Of several ranks, only rank 0 creates, removes and locks anything; for the others, these functions do nothing
 * and succeed.
 */
#ifndef ISG_DIRECTORY_H
#define ISG_DIRECTORY_H

#include "base/status.h"

/* An existing directory is fine and makes *is_new false; the parent must exist. */
isg_status isg_directory_create(const char *path, bool *is_new);
void isg_directory_remove(const char *path); /* only if it is empty */

/* "directory/name", released by the caller; NULL with the message set if out of memory. */
char *isg_join_path(const char *directory, const char *name);

bool isg_path_exists(const char *path);
bool isg_is_directory(const char *path);

/* A missing file is fine. */
isg_status isg_remove_file(const char *path);

/* Removes the temporary files of `name` that isg_atomic_file leaves in a directory when its process
   is killed. Call it only if nobody else can be writing that file. */
void isg_remove_temporaries(const char *directory, const char *name);

typedef struct isg_lock isg_lock;

/* Creates the file and locks it. The lock ends with the process, however that ends, even if the
   file stays. ISG_ERR_IO, naming the process, if another one or this one already holds it. */
isg_status isg_lock_acquire(isg_lock **out, const char *path);
void isg_lock_release(isg_lock *lock); /* removes the file; NULL is fine */

#endif
