// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// A request is one byte with three descriptors: a file with the strings, and the arguments `output` and `passed` of
// `listd_spawn`. The file contains the number of arguments, followed by the program, the arguments and the
// environment as NUL-terminated strings.
enum { REQUEST_WORDS, REQUEST_OUTPUT, REQUEST_PASSED, REQUEST_COUNT };

// Lower descriptor numbers are reserved, as they have a meaning for the started program.
enum { FIRST_FREE = 10 };

struct answer {
    int process, error;
};

// The daemon's end of the socket to the spawner; -1 until `listd_start_spawner` was called. Only one thread at a time
// uses it.
static int spawner = -1;

int listd_has_spawner(void) {
    return spawner >= 0;
}

// Reads the strings of a request into two arrays in one block of memory, which the caller frees. Returns NULL with
// errno on failure.
static char **read_words(int file, char ***environment) {
    struct stat status;
    if (fstat(file, &status) != 0) return NULL;
    size_t size = (size_t)status.st_size;
    uint32_t arguments;
    if (size < sizeof arguments) return errno = EINVAL, NULL;
    char *text = malloc(size);
    if (text == NULL) return NULL;
    if (pread(file, text, size, 0) != (ssize_t)size || text[size - 1] != 0) return free(text), errno = EINVAL, NULL;
    memcpy(&arguments, text, sizeof arguments);
    size_t words = 0;
    for (size_t place = sizeof arguments; place < size; place++) words += text[place] == 0;
    char **array = words > arguments ? calloc(words + 2, sizeof *array) : NULL;
    if (array == NULL) return free(text), errno = EINVAL, NULL;
    size_t next = 0;
    for (char *word = text + sizeof arguments; word < text + size; word += strlen(word) + 1) {
        // The array contains the program and its arguments, a null pointer, the environment, and another null
        // pointer.
        if (next == (size_t)arguments + 1) next++;
        array[next++] = word;
    }
    *environment = array + arguments + 2;
    return array;
}

static void become_program(char **words, char **environment, const int *descriptors, int failures) {
    sigset_t none;
    sigemptyset(&none);
    struct sigaction standard = {.sa_handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) sigaction(number, &standard, NULL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (setpgid(0, 0) == 0 && dup2(descriptors[REQUEST_OUTPUT], 1) >= 0 && dup2(descriptors[REQUEST_OUTPUT], 2) >= 0 &&
        dup2(descriptors[REQUEST_PASSED], 3) >= 0) {
        // All other descriptors are close-on-exec.
        execve(words[0], words + 1, environment);
    }
    int error = errno;
    (void)!write(failures, &error, sizeof error);
    _exit(127);
}

static struct answer start_program(const int *descriptors) {
    char **environment, **words = read_words(descriptors[REQUEST_WORDS], &environment);
    if (words == NULL) return (struct answer){-1, errno};
    int failures[2];
    struct answer answer = {-1, 0};
    if (pipe2(failures, O_CLOEXEC) == 0) {
        // Like fork(2), but the new process is a child of listd, which waits for it, and it is killed when listd
        // dies.
        answer.process = (int)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);
        if (answer.process == 0) become_program(words, environment, descriptors, failures[1]);
        if (answer.process < 0) answer.error = errno;
        close(failures[1]);
        int error;
        if (answer.process > 0 && read(failures[0], &error, sizeof error) == sizeof error) answer.error = error;
        close(failures[0]);
    } else {
        answer.error = errno;
    }
    // The memory block begins before the first string.
    free(words[0] - sizeof(uint32_t));
    free(words);
    return answer;
}

static void serve(int socket, pid_t parent) {
    prctl(PR_SET_NAME, "listd-spawner");
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(0);
    // The spawner ignores these signals, which are meant for the daemon.
    int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    for (size_t index = 0; index < sizeof ignored / sizeof ignored[0]; index++) signal(ignored[index], SIG_IGN);
    setpgid(0, 0);
    close_range(3, (unsigned)socket - 1, 0);
    close_range((unsigned)socket + 1, ~0U, 0);
    // The lowest numbers are kept in use, so that received descriptors get higher numbers.
    while (1) {
        int lowest = open("/", O_PATH | O_CLOEXEC);
        if (lowest < 0 || lowest >= FIRST_FREE) {
            if (lowest >= 0) close(lowest);
            break;
        }
    }
    while (1) {
        char byte;
        int descriptors[REQUEST_COUNT];
        size_t count = REQUEST_COUNT;
        if (listd_receive_packet(socket, &byte, 1, descriptors, &count, 1) != 1 || count != REQUEST_COUNT) break;
        struct answer answer = start_program(descriptors);
        for (int index = 0; index < REQUEST_COUNT; index++) close(descriptors[index]);
        if (send(socket, &answer, sizeof answer, MSG_NOSIGNAL) != sizeof answer) break;
    }
    _exit(0);
}

int listd_start_spawner(void) {
    int one, other;
    if (listd_packet_pair(&one, &other) != 0) return -1;
    // The numbers from 3 on stay free, as systemd may have passed descriptors there that were not counted yet.
    int ours = fcntl(one, F_DUPFD_CLOEXEC, 64), its = fcntl(other, F_DUPFD_CLOEXEC, 64);
    close(one);
    close(other);
    pid_t parent = getpid(), process = ours >= 0 && its >= 0 ? fork() : -1;
    if (process == 0) {
        serve(its, parent);
    }
    int error = errno;
    if (its >= 0) close(its);
    if (process < 0) {
        if (ours >= 0) close(ours);
        errno = error;
        return -1;
    }
    spawner = ours;
    return 0;
}

static int write_word(int file, const char *word) {
    size_t length = strlen(word) + 1;
    return write(file, word, length) == (ssize_t)length ? 0 : -1;
}

static int write_words(int file, const char *program, char *const arguments[], char *const environment[]) {
    uint32_t count = 0;
    while (arguments[count] != NULL) count++;
    if (write(file, &count, sizeof count) != sizeof count || write_word(file, program) != 0) return -1;
    for (char *const *word = arguments; *word != NULL; word++) if (write_word(file, *word) != 0) return -1;
    for (char *const *word = environment; *word != NULL; word++) if (write_word(file, *word) != 0) return -1;
    return 0;
}

pid_t listd_spawn_with_network(
    const char *program, char *const arguments[], char *const environment[], int output, int passed) {
    if (spawner < 0) return errno = ENOTCONN, -1;
    int words = memfd_create("words", MFD_CLOEXEC);
    if (words < 0) return -1;
    int descriptors[REQUEST_COUNT] = {words, output, passed};
    int result = write_words(words, program, arguments, environment);
    if (result == 0) result = listd_send_packet(spawner, "", 1, descriptors, REQUEST_COUNT, 1);
    int error = errno;
    close(words);
    if (result != 0) return errno = error, -1;
    struct answer answer;
    ssize_t length;
    do length = recv(spawner, &answer, sizeof answer, 0); while (length < 0 && errno == EINTR);
    if (length != sizeof answer) return errno = length < 0 ? errno : EPIPE, -1;
    if (answer.error == 0) return answer.process;
    // A process that failed to start exits at once and is a child of this process.
    if (answer.process > 0) waitpid(answer.process, NULL, 0);
    return errno = answer.error, -1;
}

int listd_give_up_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}
