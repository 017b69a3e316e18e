// SPDX-License-Identifier: LGPL-2.1-or-later
/* The operations on states of driver_sequences' members: calls, the page and its mappings. */
#include <linux/futex.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/uio.h>
#include <time.h>
#include "tests/vm/guest/sequences.h"

#define PAGE 4096u
#ifndef MADV_COLD
#define MADV_COLD 20
#endif

/* ---- one memory ---- */

static void *page[PAGES]; /* mappings of states */
atomic_bool crowded;	  /* somebody else runs here, too */
/* Where mappings move, which may be of two pages: nothing of the program's own lies after it. */
static unsigned char nest[PAGES + 2][PAGE] __attribute__((aligned(4096)));
static struct party *my_party;

/* While the page is looked at: what a fault has to say. */
static sigjmp_buf after_fault;
static volatile sig_atomic_t looking;

static void on_fault(int signo, siginfo_t *info, void *context)
{
	struct sigaction act = { .sa_handler = SIG_DFL };
	bool counter = signo == READ_SIGNAL && info->si_code != SEGV_MAPERR &&
		       info->si_code != SEGV_ACCERR;

	(void)context;
	if (looking)
		siglongjmp(after_fault, counter ? 2 : 1);
	sigaction(signo, &act, NULL);
}

/* An overflow: some state goes on. It need not be the one that has overflowed. */
static void on_overflow(int signo)
{
	atomic_fetch_add(&my_party->bound, 1000);
	raw(SYS_ioctl, FIRST_SLOT + (signo + (int)ticks()) % SLOTS, PERFCTR_IOC_IRESUME);
}

static void take_signals(void)
{
	struct sigaction fault = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER };
	struct sigaction overflow = { .sa_handler = on_overflow, .sa_flags = SA_RESTART };
	struct sigaction none = { .sa_handler = SIG_IGN };

	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGBUS, &fault, NULL);
	sigaction(SIGILL, &fault, NULL);
	sigaction(SIGUSR1, &overflow, NULL);
	sigaction(SIGUSR2, &none, NULL);
}

static void forget_pages(void)
{
	memset(page, 0, sizeof(page));
	atomic_store(&crowded, false);
	looking = 0;
}

void begin_memory(struct party *party)
{
	my_party = party;
	forget_pages();
	take_signals();
}

void leave_pages(void)
{
	unsigned int i;

	for (i = 0; i < PAGES; i++)
		if (page[i])
			raw(SYS_munmap, page[i], PAGE);
	forget_pages();
}

/* Is there a state's mapping, whatever its address? */
static bool maps_have_page(void)
{
	static char text[16384];
	long fd = raw(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY), n, length = 0;

	while (fd >= 0 &&
	       (n = raw(SYS_read, fd, text + length, sizeof(text) - 1 - (unsigned long)length)) > 0)
		length += n;
	raw(SYS_close, fd);
	text[length] = '\0';
	return strstr(text, "vperfctr") != NULL;
}

/* In a child with a memory of its own. */
void check_not_inherited(struct member *self)
{
	bool found = atomic_load(&crowded) && one_in(self, 8);
	unsigned char resident;
	unsigned int i;

	for (i = 0; i < PAGES; i++)
		found |= page[i] && raw(SYS_mincore, page[i], PAGE, &resident) != -ENOMEM;
	if (found && maps_have_page())
		wrong(self, INHERITED, "a child of fork has its parent's page");
	forget_pages();
}

/* ---- time ---- */

void nap(long microseconds)
{
	struct timespec time = { 0, microseconds * 1000 };

	raw(SYS_nanosleep, &time, NULL);
}

static unsigned int number_of(const struct member *self)
{
	return self->party ? (unsigned int)(self->party - shared->party) + 1 : PARTIES + 1;
}

bool is_alone(const struct member *self)
{
	return atomic_load(&shared->alone) == number_of(self);
}

void let_others_be_alone(const struct member *self)
{
	/* Who looked up from time to time would be what the timer sees. */
	struct timespec limit = { 10, 0 };
	unsigned int who;

	while ((who = atomic_load(&shared->alone)) && who != number_of(self) &&
	       !atomic_load(&shared->stop))
		raw(SYS_futex, &shared->alone, FUTEX_WAIT, who, &limit);
}

bool be_alone(struct member *self)
{
	unsigned int nobody = 0;

	if (!atomic_compare_exchange_strong(&shared->alone, &nobody, number_of(self)))
		return false;
	atomic_fetch_add(&shared->alones, 1);
	/* Until they have noticed. */
	nap(3000);
	return true;
}

void wake_others(void)
{
	atomic_store(&shared->alone, 0);
	raw(SYS_futex, &shared->alone, FUTEX_WAKE, 1 << 20);
}

void be_among_others(const struct member *self)
{
	if (is_alone(self))
		wake_others();
}

void let_pass(struct member *self, bool long_enough)
{
	unsigned int k;

	if (long_enough && is_alone(self)) {
		note(self, OP_PASS_TIME, 0);
		nap(60000);
		return;
	}
	for (k = 1 + below(self, 3); k; k--)
		raw(SYS_sched_yield);
	if (one_in(self, 4))
		nap(below(self, 1000));
}

/* ---- the driver's calls ---- */

static bool is_one_of(int error, const int *errors)
{
	for (; *errors; errors++)
		if (*errors == error)
			return true;
	return false;
}

/* What the page says, with a valid argument. Rights can be missing only to another thread. */
static bool is_documented(unsigned long request, bool own, int error)
{
	static const int opens[] = { EEXIST, ENODEV, ESRCH, ENOMEM, EINTR, EACCES, EPERM, 0 };
	static const int opens_own[] = { EEXIST, ENODEV, ENOMEM, 0 };
	static const int controls[] = { EBADF, ESRCH, EBUSY, ENOMEM, EINTR, EACCES, EPERM, 0 };
	static const int resumes[] = { EBADF, ESRCH, EINTR, EINVAL, 0 };
	static const int others[] = { EBADF, ESRCH, EINTR, 0 };

	switch (request) {
	case PERFCTR_IOC_OPEN: return is_one_of(error, own ? opens_own : opens);
	case PERFCTR_IOC_CONTROL: return is_one_of(error, controls);
	case PERFCTR_IOC_IRESUME: return is_one_of(error, resumes);
	default: return is_one_of(error, others);
	}
}

static long call(struct member *self, enum operation operation, int fd, unsigned long request,
		 void *argument, bool own)
{
	struct entry *entry = note(self, operation, fd);
	long result = raw(SYS_ioctl, fd, request, argument);

	entry->result = result;
	self->changes += operation == OP_CONTROL || operation == OP_IRESUME ||
			 operation == OP_UNLINK;
	if (result < 0 && !is_documented(request, own, (int)-result))
		wrong(self, CALLS, "%s fails with errno %ld", operation_names[operation], -result);
	return result;
}

int any_slot(struct member *self)
{
	return FIRST_SLOT + (int)below(self, SLOTS);
}

/* What kills or stops is for those whose end nobody minds. */
static int any_signal(struct member *self)
{
	static const int signals[] = { SIGUSR1, SIGUSR2, SIGUSR1, SIGUSR2,
				       SIGKILL, SIGKILL, SIGSTOP, SIGTERM };

	return signals[below(self, self->leads ? 4 : 8)];
}

static struct vperfctr_control any_control(struct member *self, bool foreign)
{
	unsigned int n = one_in(self, 8) ? 0 : 1 + below(self, shared->counters);
	struct vperfctr_control c = instructions(shared->counters ? n : 0);
	struct perfctr_cpu_control *cpu = &c.cpu_control;

	cpu->tsc_on = !one_in(self, 8);
	if (cpu->nractrs && one_in(self, foreign ? 3 : 6)) {
		cpu->nrictrs = 1;
		cpu->nractrs--;
		cpu->evntsel[cpu->nractrs] |= EVNTSEL_INT;
		cpu->ireset[cpu->nractrs] = -2000 - (int)below(self, 100000);
		c.si_signo = any_signal(self);
		if (foreign && one_in(self, 2))
			c.si_signo = SIGKILL;
	}
	c.preserve = one_in(self, 2) ? (uint32_t)rnd(self) : 0;
	c.flags = one_in(self, 6) ? VPERFCTR_CONTROL_CLOEXEC : 0;
	return c;
}

static void control(struct member *self, int fd, bool foreign)
{
	struct vperfctr_control c = any_control(self, foreign);
	struct perfctr_call_control control = { .control = (uintptr_t)&c,
						.control_size = sizeof(c) };

	int proof;

	/* A proof answers a refusal. */
	if (call(self, OP_CONTROL, fd, PERFCTR_IOC_CONTROL, &control, false) != -EACCES)
		return;
	proof = open_proof(false);
	control.proof = (unsigned int)(proof + 1);
	call(self, OP_CONTROL, fd, PERFCTR_IOC_CONTROL, &control, false);
	raw(SYS_close, proof);
}

bool open_slot(struct member *self, pid_t tid, bool creat, int slot)
{
	struct perfctr_call_open open = { .abi_version = PERFCTR_ABI_VERSION,
					  .tid = tid,
					  .creat = creat };
	long fd;

	if (self->bare && !tid)
		return false;
	fd = call(self, creat ? OP_OPEN : OP_FIND, DEVICE, PERFCTR_IOC_OPEN, &open, !tid);
	if (fd < 0)
		return false;
	/* Which surely is not the leader's own, as one that others have a number for may be. */
	if (!one_in(self, 4))
		control(self, (int)fd, tid != 0);
	raw(SYS_dup3, fd, slot ? slot : any_slot(self), one_in(self, 2) ? O_CLOEXEC : 0);
	raw(SYS_close, fd);
	return creat;
}

static void check_sums(struct member *self, const struct perfctr_sum_ctrs *sum)
{
	uint64_t bound = atomic_load(&self->party->bound), most = 0, relation;
	unsigned int i;

	for (i = 0; i < PERFCTR_NR_CTRS; i++)
		if (sum->pmc[i] > most)
			most = sum->pmc[i];
	relation = bound ? most * 1000 / bound : 0;
	if (most > bound && shared->exact)
		wrong(self, BOUND, "%llu instructions, of %llu at most", (unsigned long long)most,
		      (unsigned long long)bound);
	else if (relation > atomic_load(&shared->highest))
		atomic_store(&shared->highest, relation);
	if (sum->tsc > ticks() - self->party->began)
		wrong(self, CLOCK, "%llu ticks, of %llu", (unsigned long long)sum->tsc,
		      (unsigned long long)(ticks() - self->party->began));
}

int read_sums(struct member *self, int fd, struct perfctr_sum_ctrs *sum)
{
	struct perfctr_call_read read = { .sum = (uintptr_t)sum, .sum_size = sizeof(*sum) };
	long result = call(self, OP_READ, fd, PERFCTR_IOC_READ, &read, false);

	if (result == 0)
		check_sums(self, sum);
	return (int)-result;
}

bool same_sums(const struct perfctr_sum_ctrs *a, const struct perfctr_sum_ctrs *b, bool clock)
{
	unsigned int i;

	for (i = 0; i < PERFCTR_NR_CTRS; i++)
		if (a->pmc[i] != b->pmc[i])
			return false;
	return !clock || a->tsc == b->tsc;
}

void map_slot(struct member *self)
{
	static const int errors[] = { EBADF, ESRCH, ENOMEM, EINTR, EPERM, EACCES, 0 };
	unsigned int i = below(self, PAGES);
	int fd = any_slot(self);
	struct entry *entry = note(self, OP_MAP, fd);
	long at = raw(SYS_mmap, NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);

	entry->result = at;
	if (at < 0 && at > -4096) {
		if (!is_one_of((int)-at, errors))
			wrong(self, CALLS, "mmap fails with errno %ld", -at);
		return;
	}
	if (page[i])
		raw(SYS_munmap, page[i], PAGE);
	page[i] = (void *)at;
}

/* On somebody's state who runs, and is nobody's tracee. */
void call_victim(struct member *self)
{
	static const unsigned long requests[] = { PERFCTR_IOC_IRESUME, PERFCTR_IOC_UNLINK,
						  PERFCTR_IOC_READ };
	struct perfctr_sum_ctrs sum;
	struct perfctr_call_read read = { .sum = (uintptr_t)&sum, .sum_size = sizeof(sum) };
	struct entry *entry = note(self, OP_VICTIM, VICTIM);

	if (one_in(self, 4))
		entry->result = raw(SYS_mmap, NULL, PAGE, PROT_READ, MAP_SHARED, VICTIM, 0);
	else
		entry->result = raw(SYS_ioctl, VICTIM, requests[below(self, 3)], &read);
	if (entry->result != -ESRCH && !atomic_load(&shared->stop))
		wrong(self, CALLS, "a call on a bystander's state returns %ld", entry->result);
}

void call_slot(struct member *self, pid_t tid)
{
	struct perfctr_sum_ctrs sum;

	switch (below(self, 16)) {
	case 0:
	case 1:
	case 2:
	case 3: open_slot(self, tid, true, 0); break;
	case 4: open_slot(self, tid, false, 0); break;
	case 5:
	case 6:
	case 7:
	case 8: control(self, any_slot(self), false); break;
	case 9: call(self, OP_IRESUME, any_slot(self), PERFCTR_IOC_IRESUME, NULL, false); break;
	case 10: call(self, OP_UNLINK, any_slot(self), PERFCTR_IOC_UNLINK, NULL, false); break;
	case 11:
	case 12: map_slot(self); break;
	case 13: note(self, OP_CLOSE, raw(SYS_close, any_slot(self))); break;
	default: read_sums(self, any_slot(self), &sum); break;
	}
}

/* A detached state has no thread that could resume it. It never changes any more. */
void look_twice(struct member *self)
{
	long fd = raw(SYS_fcntl, any_slot(self), F_DUPFD_CLOEXEC, FIRST_OWN);
	struct perfctr_sum_ctrs a, b;
	struct entry *entry = note(self, OP_STILL, fd);
	int error;

	if (fd < 0)
		return;
	if (call(self, OP_IRESUME, (int)fd, PERFCTR_IOC_IRESUME, NULL, false) == -ESRCH &&
	    read_sums(self, (int)fd, &a) == 0) {
		let_pass(self, one_in(self, 6));
		error = read_sums(self, (int)fd, &b);
		entry->result = 1;
		if (error)
			wrong(self, FINAL, "a detached state can't be read: errno %d", error);
		else if (!same_sums(&a, &b, true))
			wrong(self, FINAL, "a detached state has changed: %llu and %llu",
			      (unsigned long long)a.pmc[0], (unsigned long long)b.pmc[0]);
	}
	raw(SYS_close, fd);
}

/* ---- mappings ---- */

/*
 * Only its own thread can read a page, and it may be another's that shared the memory, and has
 * ended. One's own has another beginning after each rest.
 */
static bool counts_here(const struct handle *h)
{
	unsigned int status = h->page->cstatus, before = h->page->tsc_start;

	if (!perfctr_cstatus_has_tsc(status) || !perfctr_cstatus_nrctrs(status))
		return false;
	nap(1);
	status = h->page->cstatus;
	return h->page->tsc_start != before && perfctr_cstatus_has_tsc(status) &&
	       perfctr_cstatus_nrctrs(status);
}

void read_page(struct member *self)
{
	unsigned int i = below(self, PAGES);
	struct handle h = { .page = page[i] };
	struct entry *entry;
	uint64_t value;

	/* Others may take it away between a look and the read. */
	if (!h.page || atomic_load(&crowded) || (!self->leads && atomic_load(&self->party->traced)))
		return;
	entry = note(self, OP_RDPMC, (long)i);
	switch (sigsetjmp(after_fault, 0)) {
	case 0:
		looking = 1;
		if (counts_here(&h)) {
			entry->result = h.page->cstatus;
			value = read_pmc(&h, 0);
			if (shared->exact && value > atomic_load(&self->party->bound))
				wrong(self, BOUND, "by RDPMC: %llu instructions",
				      (unsigned long long)value);
		}
		looking = 0;
		break;
	case 2:
		looking = 0;
		if (self->leads || !atomic_load(&self->party->traced))
			wrong(self, READS, "RDPMC faults; cstatus is 0x%X", h.page->cstatus);
		break;
	default:
		/* What madvise() or mprotect() has done. */
		looking = 0;
		raw(SYS_munmap, page[i], PAGE);
		page[i] = NULL;
	}
}

/* What the page of a mapping says; 0: nothing, since madvise() or mprotect() has taken it away. */
static unsigned int page_status(unsigned int i)
{
	unsigned int status = 0;

	if (page[i] && !sigsetjmp(after_fault, 0)) {
		looking = 1;
		status = *(volatile unsigned int *)page[i];
	}
	looking = 0;
	return status;
}

bool page_is_readable(unsigned int i)
{
	return perfctr_cstatus_has_tsc(page_status(i));
}

static void move_page(struct member *self, unsigned int i)
{
	static const int flags[] = { MREMAP_MAYMOVE | MREMAP_FIXED, MREMAP_MAYMOVE,
				     MREMAP_MAYMOVE | MREMAP_FIXED };
	void *to = nest[below(self, PAGES)];
	long at;
	unsigned int k;

	at = raw(SYS_mremap, page[i], PAGE, PAGE << one_in(self, 8), flags[below(self, 3)], to);
	if (at < 0 && at > -4096)
		return;
	/* Another one was there. */
	for (k = 0; k < PAGES; k++)
		if (page[k] == (void *)at)
			page[k] = NULL;
	page[i] = (void *)at;
}

static void advise_page(struct member *self, unsigned int i)
{
	static const int advices[] = { MADV_DOFORK,	MADV_DOFORK,   MADV_DOFORK,
				       MADV_DONTFORK,	MADV_DONTNEED, MADV_KEEPONFORK,
				       MADV_WIPEONFORK, MADV_COLD,     MADV_MERGEABLE,
				       MADV_WILLNEED,	MADV_FREE,     MADV_DODUMP };
	int advice = advices[below(self, sizeof(advices) / sizeof(advices[0]))];

	note(self, OP_ADVISE, advice)->result = raw(SYS_madvise, page[i], PAGE, advice);
}

static void protect_page(struct member *self, unsigned int i)
{
	static const int protections[] = { PROT_READ, PROT_READ, PROT_NONE,
					   PROT_READ | PROT_WRITE };
	int protection = protections[below(self, 4)];
	struct entry *entry = note(self, OP_PROTECT, protection);

	entry->result = raw(SYS_mprotect, page[i], PAGE, protection);
	if (entry->result == 0 && protection & PROT_WRITE && !atomic_load(&crowded))
		wrong(self, CALLS, "the page can be made writable");
}

static void splice_page(struct member *self, unsigned int i)
{
	struct iovec part = { page[i], 64 };
	int pipes[2];

	if (raw(SYS_pipe2, pipes, O_CLOEXEC) < 0)
		return;
	note(self, OP_SPLICE, 0)->result = raw(SYS_vmsplice, pipes[1], &part, 1, SPLICE_F_NONBLOCK);
	raw(SYS_close, pipes[0]);
	raw(SYS_close, pipes[1]);
}

void change_page(struct member *self)
{
	unsigned int i = below(self, PAGES);

	if (!page[i])
		return;
	switch (below(self, 16)) {
	case 0:
	case 1:
	case 2:
		note(self, OP_UNMAP, (long)i)->result = raw(SYS_munmap, page[i], PAGE);
		page[i] = NULL;
		break;
	case 3:
	case 4:
	case 5:
		note(self, OP_REMAP, (long)i);
		move_page(self, i);
		break;
	case 6: protect_page(self, i); break;
	case 7:
		note(self, OP_REMAP_FILE, (long)i)->result = raw(SYS_remap_file_pages, page[i],
								 PAGE, 0, below(self, 2), 0);
		break;
	case 8: splice_page(self, i); break;
	default: advise_page(self, i); break;
	}
}
