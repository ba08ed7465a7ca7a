/*
 * Preloaded into a process under test (LD_PRELOAD), makes system calls on chosen files fail as a disk would.
 *
 * DISK_FAULTS names a control file. Each line of it is a rule: OPERATION ERRNO SKIP COUNT PATH
 *   OPERATION  read, write, fsync, open or truncate
 *   ERRNO      a number, such as 5 (EIO) or 28 (ENOSPC)
 *   SKIP       calls that succeed before the first failure
 *   COUNT      calls that fail, -1 for all
 *   PATH       part of the path of the file; with `$` at the end, the end of it
 * The file is read at each call, so that a test changes the rules while the process runs; rules that change count from the
 * start. Each failure appends a line to DISK_FAULTS.fired.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { most_rules = 16, longest = 4096 };

struct rule {
  char operation[16];
  int error;
  long skip;
  long count;
  char path[512];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char known[longest];
static struct rule rules[most_rules];
static int rule_count;

/* The functions below are the ones that this file replaces: system calls are made directly. */
static long raw_read(const char *path, char *text, size_t size) {
  int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return -1;
  long length = syscall(SYS_read, fd, text, size - 1);
  syscall(SYS_close, fd);
  if (length >= 0) text[length] = 0;
  return length;
}

static void raw_append(const char *path, const char *text) {
  int fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return;
  syscall(SYS_write, fd, text, strlen(text));
  syscall(SYS_close, fd);
}

static void read_rules(const char *control) {
  char text[longest];
  if (raw_read(control, text, sizeof text) < 0) text[0] = 0;
  if (strcmp(text, known) == 0) return;
  strcpy(known, text);
  rule_count = 0;
  char *rest = NULL;
  for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
    struct rule *rule = &rules[rule_count];
    if (rule_count < most_rules && sscanf(line, "%15s %d %ld %ld %511[^\n]", rule->operation, &rule->error, &rule->skip,
                                          &rule->count, rule->path) == 5)
      rule_count += 1;
  }
}

static int matches(const char *path, const char *part) {
  size_t length = strlen(part);
  if (length == 0 || part[length - 1] != '$') return strstr(path, part) != NULL;
  size_t whole = strlen(path);
  return whole >= length - 1 && strncmp(path + whole - (length - 1), part, length - 1) == 0;
}

/* The errno with which this call is to fail; 0 where it is to be made. */
static int failure(const char *operation, const char *path) {
  const char *control = getenv("DISK_FAULTS");
  if (control == NULL || path == NULL || strncmp(path, control, strlen(control)) == 0) return 0;
  int found = 0;
  pthread_mutex_lock(&lock);
  read_rules(control);
  for (int at = 0; at < rule_count && found == 0; at += 1) {
    struct rule *rule = &rules[at];
    if (strcmp(rule->operation, operation) != 0 || !matches(path, rule->path) || rule->count == 0) continue;
    if (rule->skip > 0) {
      rule->skip -= 1;
      continue;
    }
    if (rule->count > 0) rule->count -= 1;
    found = rule->error;
  }
  if (found != 0) {
    char name[longest], line[longest + 64];
    snprintf(name, sizeof name, "%s.fired", control);
    snprintf(line, sizeof line, "%s %d %s\n", operation, found, path);
    raw_append(name, line);
  }
  pthread_mutex_unlock(&lock);
  return found;
}

static int failure_of(const char *operation, int fd) {
  if (getenv("DISK_FAULTS") == NULL) return 0;
  int kept = errno;
  char link[64], path[longest];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  int found = 0;
  if (length > 0) {
    path[length] = 0;
    if (path[0] == '/') found = failure(operation, path);
  }
  errno = kept;
  return found;
}

#define REPLACE(result, name, parameters, arguments, operation, fd)                                                    \
  result name parameters {                                                                                             \
    static result(*original) parameters;                                                                               \
    if (original == NULL) original = (result(*) parameters)dlsym(RTLD_NEXT, #name);                                    \
    int error = failure_of(operation, fd);                                                                             \
    if (error != 0) {                                                                                                  \
      errno = error;                                                                                                   \
      return -1;                                                                                                       \
    }                                                                                                                  \
    return original arguments;                                                                                         \
  }

REPLACE(ssize_t, read, (int fd, void *to, size_t size), (fd, to, size), "read", fd)
REPLACE(ssize_t, pread, (int fd, void *to, size_t size, off_t at), (fd, to, size, at), "read", fd)
REPLACE(ssize_t, pread64, (int fd, void *to, size_t size, off64_t at), (fd, to, size, at), "read", fd)
REPLACE(ssize_t, readv, (int fd, const struct iovec *to, int parts), (fd, to, parts), "read", fd)
REPLACE(ssize_t, preadv, (int fd, const struct iovec *to, int parts, off_t at), (fd, to, parts, at), "read", fd)
REPLACE(ssize_t, preadv64, (int fd, const struct iovec *to, int parts, off64_t at), (fd, to, parts, at), "read", fd)
REPLACE(ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size), "write", fd)
REPLACE(ssize_t, pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at), "write", fd)
REPLACE(ssize_t, pwrite64, (int fd, const void *from, size_t size, off64_t at), (fd, from, size, at), "write", fd)
REPLACE(ssize_t, writev, (int fd, const struct iovec *from, int parts), (fd, from, parts), "write", fd)
REPLACE(ssize_t, pwritev, (int fd, const struct iovec *from, int parts, off_t at), (fd, from, parts, at), "write", fd)
REPLACE(ssize_t, pwritev64, (int fd, const struct iovec *from, int parts, off64_t at), (fd, from, parts, at), "write", fd)
REPLACE(int, fsync, (int fd), (fd), "fsync", fd)
REPLACE(int, fdatasync, (int fd), (fd), "fsync", fd)
REPLACE(int, ftruncate, (int fd, off_t size), (fd, size), "truncate", fd)
REPLACE(int, ftruncate64, (int fd, off64_t size), (fd, size), "truncate", fd)

#define REPLACE_OPEN(name, first, pass)                                                                                \
  int name(first const char *path, int flags, ...) {                                                                   \
    static int (*original)(first const char *, int, ...);                                                              \
    if (original == NULL) original = (int (*)(first const char *, int, ...))dlsym(RTLD_NEXT, #name);                   \
    va_list more;                                                                                                      \
    va_start(more, flags);                                                                                             \
    int mode = va_arg(more, int);                                                                                      \
    va_end(more);                                                                                                      \
    int error = failure("open", path);                                                                                 \
    if (error != 0) {                                                                                                  \
      errno = error;                                                                                                   \
      return -1;                                                                                                       \
    }                                                                                                                  \
    return original(pass path, flags, mode);                                                                           \
  }
#define AND ,
#define FOLDER int folder AND
#define PASS folder AND
REPLACE_OPEN(open, , )
REPLACE_OPEN(open64, , )
REPLACE_OPEN(openat, FOLDER, PASS)
REPLACE_OPEN(openat64, FOLDER, PASS)
