// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CLinux.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

// Everything that a handler calls is async-signal-safe, but backtrace(3). That loads a library at its first call, so it is
// called once before, and later neither allocates nor locks (libgcc finds frames with _dl_find_object since GCC 12).

static const int crashes[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};

enum { crash_count = sizeof crashes / sizeof *crashes, most_frames = 64, stack_size = 64 << 10 };

// How long the death may wait for a reader of the trace, in milliseconds.
enum { patience = 20 };

static atomic_bool is_tracing;
static pthread_key_t stack_key;
static _Thread_local bool has_stack;
static char program[1024];
// The thread that writes the trace, and its signal.
static atomic_int crashing;
static int first_signal;

// A part of the trace that is written at once, so that a pipe with room for it does not block.
struct text {
    size_t length;
    char bytes[4096];
};

static void add(struct text *text, const char *string) {
    while (*string != 0 && text->length < sizeof text->bytes) text->bytes[text->length++] = *string++;
}

static void add_number(struct text *text, uintptr_t number, unsigned base) {
    char digits[20], *digit = digits + sizeof digits;
    *--digit = 0;
    do *--digit = "0123456789abcdef"[number % base];
    while ((number /= base) != 0);
    add(text, digit);
}

static void write_out(struct text *text) {
    struct pollfd output = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (text->length > 0 && poll(&output, 1, patience) == 1) {
        ssize_t written = write(STDERR_FILENO, text->bytes, text->length);
        (void)written;
    }
    text->length = 0;
}

// Adds one line, `NUMBER FILE(+OFFSET)`, as addr2line(1) takes both.
static void add_frame(struct text *text, unsigned number, uintptr_t address) {
    struct dl_find_object found;
    const char *file = "?";
    if (_dl_find_object((void *)address, &found) == 0) {
        file = found.dlfo_link_map->l_name;
        if (*file == 0) file = program;
        address -= found.dlfo_link_map->l_addr;
    }
    if (text->length + strlen(file) + 64 > sizeof text->bytes) write_out(text);
    add_number(text, number, 10);
    add(text, number < 10 ? "  " : " ");
    add(text, file);
    add(text, "(+0x");
    add_number(text, address, 16);
    add(text, ")\n");
}

static uintptr_t interrupted_address(const ucontext_t *context) {
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)context->uc_mcontext.pc;
#else
    return 0;
#endif
}

static void write_trace(const ucontext_t *context) {
    static void *frames[most_frames];
    static struct text text;
    int count = backtrace(frames, most_frames);
    uintptr_t crash = interrupted_address(context);
    // The first frames are those of the handler and of the kernel's return from it.
    int frame = 0;
    while (frame < count && (uintptr_t)frames[frame] != crash) frame++;
    add(&text, "\nCurrent stack trace:\n");
    add_frame(&text, 0, crash);
    // The other addresses are those to which calls return, and each call is before.
    for (unsigned number = 1; ++frame < count; number++) add_frame(&text, number, (uintptr_t)frames[frame] - 1);
    write_out(&text);
}

static void handle_crash(int number, siginfo_t *info, void *context) {
    (void)info;
    int none = 0;
    if (atomic_compare_exchange_strong(&crashing, &none, gettid())) {
        first_signal = number;
        write_trace(context);
    } else if (none != gettid()) {
        // Another thread ends the process in a moment.
        while (true) pause();
    }
    // A crash while the trace was written ends here, too.
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, first_signal);
    signal(first_signal, SIG_DFL);
    tgkill(getpid(), gettid(), first_signal);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void release_stack(void *stack) {
    stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    munmap(stack, stack_size);
}

void listd_trace_crashes(void) {
    void *frames[4];
    backtrace(frames, 4);
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    if (pthread_key_create(&stack_key, release_stack) != 0) return;
    atomic_store(&is_tracing, true);
    listd_trace_thread();
    struct sigaction action = {.sa_sigaction = handle_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    for (int crash = 0; crash < crash_count; crash++) sigaction(crashes[crash], &action, NULL);
}

void listd_trace_thread(void) {
    if (has_stack || !atomic_load_explicit(&is_tracing, memory_order_relaxed)) return;
    has_stack = true;
    void *stack = mmap(NULL, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) return;
    stack_t own = {.ss_sp = stack, .ss_size = stack_size};
    sigaltstack(&own, NULL);
    pthread_setspecific(stack_key, stack);
}
