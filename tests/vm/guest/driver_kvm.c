// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The driver and KVM on AMD, whose event selects say whether the host is counted alone. The
 * emulated processor has these bits and does not heed them: they are looked at. Exit status 0 if
 * all is well.
 */
#include <linux/kvm.h>
#include <sys/wait.h>
#include "tests/vm/guest/driver.h"

#define PERF_CTL0 0xC0010000
#define HOST_ONLY (1ull << 41)

static int device, kvm = -1;

static int load_module(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	long result = syscall(SYS_finit_module, fd, "", 0);

	close(fd);
	return (int)result;
}

/* What the first counter of CPU 0 counts. */
static unsigned long long event_select(void)
{
	int fd = open("/dev/cpu/0/msr", O_RDONLY | O_CLOEXEC);
	unsigned long long value = 0;

	if (pread(fd, &value, sizeof(value), PERF_CTL0) != sizeof(value))
		value = 0;
	close(fd);
	return value;
}

/* The driver looks every 50 ms. */
static void wait_for_a_look(void)
{
	usleep(60000);
}

static int begin(struct handle *h)
{
	struct vperfctr_control c = instructions(1);

	return open_state(device, h) < 0 || set_control(h->fd, &c) < 0 ? -1 : 0;
}

/* In user mode, flat, with 4 GiB. */
static int set_segments(int cpu)
{
	struct kvm_segment data = { .limit = 0xFFFFFFFF,
				    .selector = 0x23,
				    .type = 3,
				    .present = 1,
				    .dpl = 3,
				    .db = 1,
				    .s = 1,
				    .g = 1 };
	struct kvm_sregs s;

	if (ioctl(cpu, KVM_GET_SREGS, &s) < 0)
		return -1;
	s.cr0 |= 1;
	s.ds = s.es = s.fs = s.gs = s.ss = s.cs = data;
	s.cs.type = 11;
	s.cs.selector = 0x1B;
	return ioctl(cpu, KVM_SET_SREGS, &s);
}

/* A guest that would leave its loop by HLT, which user mode must not: it shuts down. */
static int execute_guest(int vm)
{
	static const unsigned char code[] = { 0xB9, 0x40, 0x42, 0x0F, 0x00, /* mov ecx, 1000000 */
					      0x49,			    /* dec ecx */
					      0x75, 0xFD,		    /* jnz */
					      0xF4 };			    /* hlt */
	struct kvm_userspace_memory_region region = { .memory_size = 0x10000 };
	struct kvm_regs regs = { .rip = 0x1000, .rflags = 2 };
	int cpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	unsigned char *memory = mmap(NULL, 0x10000, PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct kvm_run *run = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, cpu, 0);

	CHECK(cpu >= 0 && memory != MAP_FAILED && run != MAP_FAILED, "a guest's processor");
	region.userspace_addr = (uintptr_t)memory;
	memcpy(memory + 0x1000, code, sizeof(code));
	CHECK(ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region) == 0, "its memory");
	CHECK(set_segments(cpu) == 0 && ioctl(cpu, KVM_SET_REGS, &regs) == 0, "its registers");
	CHECK(ioctl(cpu, KVM_RUN, 0) == 0 && run->exit_reason == KVM_EXIT_SHUTDOWN, "%u",
	      run->exit_reason);
	munmap(run, 4096);
	munmap(memory, 0x10000);
	close(cpu);
	return 0;
}

/* A process without guests, whose counters are this one's. */
static int others(void)
{
	struct handle h;
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(begin(&h) < 0 || !counts_exactly(&h, 0, 100000) ||
		      event_select() != INSTRUCTIONS);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0, "0x%X", status);
	return 0;
}

static int host_only(void)
{
	struct handle h;
	int vm;

	CHECK(begin(&h) == 0 && event_select() == INSTRUCTIONS, "0x%llX", event_select());
	vm = ioctl(kvm, KVM_CREATE_VM, 0);
	CHECK(vm >= 0 && execute_guest(vm) == 0, "a guest");
	wait_for_a_look();
	CHECK(event_select() == (INSTRUCTIONS | HOST_ONLY), "0x%llX", event_select());
	CHECK(counts_exactly(&h, 0, 100000), "with a guest");
	CHECK(others() == 0, "others");
	CHECK(counts_exactly(&h, 0, 100000), "after others");
	CHECK(event_select() == (INSTRUCTIONS | HOST_ONLY), "0x%llX", event_select());
	close(vm);
	wait_for_a_look();
	CHECK(event_select() == INSTRUCTIONS, "without guests: 0x%llX", event_select());
	CHECK(counts_exactly(&h, 0, 100000), "without guests");
	close_state(&h);
	return 0;
}

/* A control that says itself what is counted. */
static int as_controlled(void)
{
	struct vperfctr_control c = instructions(1);
	struct handle h;
	int vm = ioctl(kvm, KVM_CREATE_VM, 0);

	CHECK(vm >= 0 && open_state(device, &h) == 0, "open");
	c.flags |= VPERFCTR_CONTROL_EXTENDED;
	c.cpu_control.evntsel_high[0] = 0x300;
	CHECK(set_control(h.fd, &c) == 0, "host and guest");
	wait_for_a_look();
	CHECK(event_select() == (INSTRUCTIONS | 0x300ull << 32), "0x%llX", event_select());
	close_state(&h);
	close(vm);
	return 0;
}

static int report(const char *test, int failed)
{
	printf("%s %s\n", failed ? "not ok" : "ok", test);
	return failed != 0;
}

int main(void)
{
	static const char *const modules[] = { "/msr.ko", "/irqbypass.ko", "/ccp.ko", "/kvm.ko",
					       "/kvm-amd.ko" };
	unsigned int i;
	int failed;

	setvbuf(stdout, NULL, _IOLBF, 0);
	pin(0);
	for (i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
		if (load_module(modules[i]) < 0)
			printf("%s: %s\n", modules[i], strerror(errno));
	kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (kvm < 0 || load_driver() < 0)
		return 1;
	device = open("/dev/perfctr", O_RDWR | O_CLOEXEC);
	failed = report("host_only", host_only()) | report("as_controlled", as_controlled());
	close(device);
	return unload_driver() < 0 || failed;
}
