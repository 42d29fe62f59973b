/* The first process of every container: starts the program, and is there when it ends.

   Theory of operation. The engine starts us as process 1 of a container whose every fence stands already:
   own namespaces, no capabilities, a system call filter, limits. What only the judge can give comes over
   a Unix socket that it has mounted for us and on which it accepts one connection:

     judge                                 we
     accept                       <------  connect
                                  <------  READY and a descriptor of /work, in which nothing foreign ran yet
     FILE path, contents          ------>  written below /work               (any number of times)
     GO, words, stdout, stderr,   ------>  fork: the child takes the descriptors and executes the words
         channel if asked for
                                  <------  STARTED
                                           wait; reap whatever is orphaned
     KILL, at any time            ------>  kill everything but us
                                  <------  END with the wait status and the processor time of all
     close                        ------>  exit, and with us goes the container

   So outputs never pass through the engine, the environment is exactly what the judge says, and between END
   and close the judge reads the control group and /work of a container in which only we are left. When
   the judge dies its end of the socket closes: everything is killed and we exit; nothing outlives its judge.

   Everything after GO is hostile and has our user id. It cannot harm us: as process 1 of the namespace we
   get no signal from inside that we do not handle, and we handle none; we are not dumpable, so /proc/1 is
   closed and the filter refuses ptrace; no descriptor of ours but the intended ones survives the exec.

   Static and without threads or allocation, so that it runs in an empty image and starts in a millisecond. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOCKET_PATH "/.warpcourt/socket"

enum { READY = 'R', FILE_ = 'F', GO = 'G', STARTED = 'S', KILL = 'K', END = 'E', FAILED = '!' };
enum { PACKET_BYTES = 4096, MAX_WORDS = 4096, MAX_DESCRIPTORS = 4 };

struct go {
    uint8_t kind;
    uint8_t reserved[3];
    uint32_t arguments;
    uint32_t variables;
};

struct end {
    uint8_t kind;
    uint8_t reserved[3];
    int32_t status;
    uint64_t cpu_us;
};

struct packet {
    char data[PACKET_BYTES];
    ssize_t bytes;
    int descriptors[MAX_DESCRIPTORS];
    int count;
};

static int judge = -1;

/* Say what failed and end: the judge shows it to the operator, for it is never a program's fault. */
static void fail(const char* what) {
    char text[256];
    int length = snprintf(text, sizeof text, "%c%s: %s", FAILED, what, strerror(errno));
    if (judge < 0 || send(judge, text, (size_t)length, MSG_NOSIGNAL) < 0) dprintf(2, "enter: %s\n", text + 1);
    _exit(1);
}

static void connect_to_judge(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = SOCKET_PATH};
    int made = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (made < 0) fail("socket");
    if (connect(made, (struct sockaddr*)&address, sizeof address) < 0) fail("connect to " SOCKET_PATH);
    judge = made;
}

static void send_ready(void) {
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr aligned;
    } control = {{0}};
    char word = READY;
    struct iovec data = {&word, 1};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct cmsghdr* header = CMSG_FIRSTHDR(&message);
    int work = open("/work", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (work < 0) fail("open /work");
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &work, sizeof work);
    if (sendmsg(judge, &message, MSG_NOSIGNAL) < 0) fail("send the working directory");
    close(work);
}

/* The next packet of the judge; false when it has closed its end. */
static int receive(struct packet* packet) {
    union {
        char bytes[CMSG_SPACE(sizeof(int) * MAX_DESCRIPTORS)];
        struct cmsghdr aligned;
    } control;
    struct iovec data = {packet->data, sizeof packet->data - 1};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    do packet->bytes = recvmsg(judge, &message, MSG_CMSG_CLOEXEC);
    while (packet->bytes < 0 && errno == EINTR);
    if (packet->bytes <= 0) return 0;
    if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) errno = EMSGSIZE, fail("receive");
    packet->data[packet->bytes] = 0;
    packet->count = 0;
    for (struct cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header))
        if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
            packet->count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
            memcpy(packet->descriptors, CMSG_DATA(header), sizeof(int) * (size_t)packet->count);
        }
    return 1;
}

/* Write one file below the working directory; the judge has checked its name. */
static void write_file(struct packet* packet) {
    char* path = packet->data + 1;
    if (packet->count != 1) errno = EPROTO, fail("a file without contents");
    for (char* slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(path, 0755) < 0 && errno != EEXIST) fail(path);
        *slash = '/';
    }
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (file < 0) fail(path);
    off_t at = 0;
    ssize_t moved;
    while ((moved = sendfile(file, packet->descriptors[0], &at, 1 << 20)) > 0) continue;
    if (moved < 0) fail(path);
    close(file);
    close(packet->descriptors[0]);
}

/* Point at `count` strings of `text`, which end with NUL; returns what is left of it. */
static char* split(char* text, char* end, char** words, uint32_t count) {
    for (uint32_t index = 0; index < count; ++index) {
        char* nul = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;
        if (!nul) errno = EPROTO, fail("words");
        words[index] = text;
        text = nul + 1;
    }
    words[count] = NULL;
    return text;
}

/* In the child: take the descriptors, become the program. All others close with the exec. */
static void become(struct packet* packet, char** arguments, char** variables) {
    const sigset_t none = {0};
    int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    setsid();
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int index = 0; index < packet->count; ++index)  /* out of the way of 0 to 3 */
        packet->descriptors[index] = fcntl(packet->descriptors[index], F_DUPFD_CLOEXEC, 10);
    if (dup2(input, 0) < 0 || dup2(packet->descriptors[1], 1) < 0 || dup2(packet->descriptors[2], 2) < 0 ||
        (packet->count > 3 && dup2(packet->descriptors[3], 3) < 0)) {
        dprintf(2, "descriptors: %s\n", strerror(errno));
        _exit(126);
    }
    environ = variables; /* its PATH counts */
    execvp(arguments[0], arguments);
    dprintf(2, "%s: %s\n", arguments[0], strerror(errno));
    _exit(127);
}

/* Start the program; returns its process id. */
static pid_t start(struct packet* packet) {
    static char* arguments[MAX_WORDS + 1];
    static char* variables[MAX_WORDS + 1];
    struct go go;
    struct stat words;
    if (packet->bytes != sizeof go || packet->count < 3) errno = EPROTO, fail("go");
    memcpy(&go, packet->data, sizeof go);
    if (go.arguments == 0 || go.arguments > MAX_WORDS || go.variables > MAX_WORDS)
        errno = E2BIG, fail("words");
    if (fstat(packet->descriptors[0], &words) < 0) fail("words");
    size_t bytes = (size_t)words.st_size;
    char* text = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, packet->descriptors[0], 0);
    if (text == MAP_FAILED) fail("words");
    char* end = text + bytes;
    split(split(text, end, arguments, go.arguments), end, variables, go.variables);
    pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) become(packet, arguments, variables);
    for (int index = 0; index < packet->count; ++index) close(packet->descriptors[index]);
    send(judge, &(char){STARTED}, 1, MSG_NOSIGNAL);
    return child;
}

/* Wait until `child` has ended, or until the judge wants its end; returns its wait status. Zombies on the way
   are reaped, so that they do not count against the limit of processes. */
static int await(pid_t child, int children) {
    struct pollfd events[] = {{.fd = judge, .events = POLLIN}, {.fd = children, .events = POLLIN}};
    int status = 0, ended = 0;
    while (!ended) {
        if (poll(events, 2, -1) < 0 && errno != EINTR) fail("poll");
        if (events[0].revents) {
            kill(-1, SIGKILL);
            while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
            return status;
        }
        struct signalfd_siginfo signal_read;
        while (read(children, &signal_read, sizeof signal_read) > 0) continue;
        pid_t process;
        int process_status;
        while ((process = waitpid(-1, &process_status, WNOHANG)) > 0)
            if (process == child) status = process_status, ended = 1;
    }
    return status;
}

/* Kill and reap all that is left: after this nobody but us is in the container. */
static void bury(void) {
    pid_t process;
    do {
        kill(-1, SIGKILL);
        process = waitpid(-1, NULL, 0);
    } while (process > 0 || errno == EINTR);
}

static void send_end(int status) {
    struct rusage used;
    struct end end = {.kind = END, .status = status};
    getrusage(RUSAGE_CHILDREN, &used);
    end.cpu_us = (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 +
                 (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    send(judge, &end, sizeof end, MSG_NOSIGNAL);
}

int main(void) {
    static struct packet packet;
    sigset_t child_ended;
    prctl(PR_SET_DUMPABLE, 0);
    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_ended, NULL);
    int children = signalfd(-1, &child_ended, SFD_NONBLOCK | SFD_CLOEXEC);
    if (children < 0) fail("signalfd");
    connect_to_judge();
    if (chdir("/work") < 0) fail("chdir /work");
    send_ready();
    while (receive(&packet)) {
        if (packet.data[0] == FILE_) {
            write_file(&packet);
        } else if (packet.data[0] == GO) {
            int status = await(start(&packet), children);
            bury();
            send_end(status);
            while (receive(&packet)) continue; /* until the judge has seen all it wants to see */
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        } else {
            return 1;
        }
    }
    return 1;
}
