// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Fuzzes controls: one is refused with a reason, or its program runs on the simulated processor
 * without a fault. With libFuzzer (clang -fsanitize=fuzzer); or, compiled with -DSTANDALONE, by the
 * files named on the command line and FUZZ_CONTROLS made-up inputs for each processor. A program
 * for each ISA: -DFUZZ_POWERPC, -DFUZZ_GENERIC, or else x86.
 *
 * An input is a valid control and what to change in it, since hardly any random one is accepted:
 *
 *	byte 0		processor
 *	byte 1		how its description differs; bit 7: the control is for a whole CPU
 *	bytes 2-5	which valid control
 *	then, each	what to change: field, element, operation, and 4 bytes of operand
 */

/* The processors, and their valid controls, are those of the test of the engine. */
#define main test_engine
int main(void);
#if defined(FUZZ_POWERPC)
#include "tests/sim/powerpc_engine.c"
#elif defined(FUZZ_GENERIC)
#include "tests/sim/generic_engine.c"
#else
#include "tests/sim/x86_engine.c"
#endif
#undef main

enum { HEADER = 6, CHANGE = 7, MAX_CHANGES = 4, FAMILIES = sizeof(families) / sizeof(families[0]) };

/* The fields of a control, by the names that diagnoses use, as words. */
struct field {
	const char *name;
	size_t first, n;
};

#define SPAN(name, member, n)                                             \
	{                                                                 \
		name, offsetof(struct perfctr_cpu_control, member) / 4, n \
	}
#define FIELD(member) SPAN(#member, member, sizeof(((struct perfctr_cpu_control *)0)->member) / 4)

static const struct field fields[] = {
	FIELD(tsc_on),
	FIELD(nractrs),
	FIELD(nrictrs),
	FIELD(pmc_map),
	FIELD(evntsel),
	FIELD(ireset),
	SPAN("_reserved", _reserved1, 4),
#if defined(FUZZ_POWERPC)
	FIELD(ppc.mmcr0),
	FIELD(ppc.mmcr2),
#elif defined(FUZZ_GENERIC)
	FIELD(evntsel_high),
#else
	FIELD(evntsel_high),
	FIELD(offcore_rsp),
	FIELD(offcore_rsp_high),
	FIELD(pebs_frontend),
	FIELD(p4.escr),
	FIELD(p4.pebs_enable),
	FIELD(p4.pebs_matrix_vert),
#endif
};

enum {
	FIELDS = sizeof(fields) / sizeof(fields[0]),
	WORDS = sizeof(struct perfctr_cpu_control) / 4,
};

/* How the description of a processor may differ from a typical one's. */
enum variant { TYPICAL, NO_INTERRUPTS, FEWER_COUNTERS, OLDER, BY_REGISTER, MORE, VARIANTS };

/* A described and simulated processor: two cores of it, numbers 0 and other. */
struct target {
	struct machine m;
	unsigned int other;
	uint32_t reg[PERFCTR_SLOTS];
	void *fresh; /* the registers of a core that nobody has used */
	unsigned long accepted, refused;
};

static struct target targets[FAMILIES][VARIANTS];

#define DEMAND(condition)                                                                       \
	do {                                                                                    \
		if (!(condition)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                                \
		}                                                                               \
	} while (0)

static void describe(struct perfctr_cpu *cpu, const struct family *family, enum variant variant)
{
	DEMAND(perfctr_cpu_named(family->id, cpu) == 0);
	if (family->fixed)
		cpu->fixed = family->fixed;
	/* The simulated processors have Sandy Bridge's. */
	if (cpu->offcore_width > 38)
		cpu->offcore_width = 38;
	switch (variant) {
	case NO_INTERRUPTS: cpu->pcint = 0; break;
	case FEWER_COUNTERS:
		if (cpu->counters & cpu->counters >> 1)
			cpu->counters &= cpu->counters >> 1;
		break;
	case OLDER:
		cpu->fixed = 0;
		cpu->counters &= cpu->ext_core ? 0xF : 0xFFFFFFFF;
		cpu->ext_core = 0;
		break;
	case BY_REGISTER: cpu->no_rdpmc = 1; break;
	case MORE:
		cpu->ht = family->model->shared;
		cpu->full_width = cpu->rules == PERFCTR_RULES_ARCH && cpu->version >= 5;
		break;
	default: break;
	}
}

/* As the driver takes the hardware. The simulated processors stay open. */
static void target_open(struct target *t, const struct family *family, enum variant variant)
{
	struct machine *m = &t->m;
	unsigned int cpu, slot, n;
	uint64_t value;
	uint32_t reg;

	m->family = family;
	t->other = family->stride;
	describe(&m->cpu, family, variant);
	sim_open(m->sim, 2 * family->stride, family->model);
	for (cpu = 0; cpu <= t->other; cpu += family->stride) {
		m->core[cpu].sim = &m->sim[cpu];
		for (slot = 0; slot < PERFCTR_SLOTS; slot++) {
			t->reg[slot] = control_register(&m->cpu, slot);
			if (t->reg[slot])
				perfctr_core_write_control(&m->core[cpu], t->reg[slot], 0);
		}
		for (n = 0; setup_register(&m->cpu, n, &reg, &value) == 0; n++)
			perfctr_core_write_control(&m->core[cpu], reg, value);
	}
	t->fresh = malloc(family->model->size);
	DEMAND(t->fresh);
	memcpy(t->fresh, m->sim[0].registers, family->model->size);
}

/* Each input finds the processor as the first did. */
static void target_reset(struct target *t)
{
	struct machine *m = &t->m;
	unsigned int cpu;

	for (cpu = 0; cpu <= t->other; cpu += m->family->stride) {
		memcpy(m->sim[cpu].registers, t->fresh, m->family->model->size);
		m->sim[cpu].tsc = 0;
		m->sim[cpu].pmi = false;
		memset(&m->core[cpu].cache, 0, sizeof(m->core[cpu].cache));
		m->core[cpu].cache.cpu = (int)cpu;
	}
	memset(&m->thread[0], 0, sizeof(m->thread[0]));
}

/* What the engine's test leaves out, and is too much to be found by chance: registers beside. */
static void extend(const struct perfctr_cpu *cpu, struct thread *thread)
{
#if !defined(FUZZ_POWERPC) && !defined(FUZZ_GENERIC)
	struct perfctr_cpu_control *c = &thread->control;

	if (thread->n == 0 || random_below(3))
		return;
	if (cpu->rules == PERFCTR_RULES_P4) {
		c->p4.pebs_enable = 0x01000001; /* replay tagging */
		c->p4.pebs_matrix_vert = 1;
	} else if (cpu->frontend && c->pmc_map[0] < 32 && thread->intent[0].event != 0x01B7) {
		c->evntsel[0] = (c->evntsel[0] & ~0xFFFFu) | 0x01C6;
		c->pebs_frontend = 0x11;
		thread->intent[0].event = 0x01C6;
	}
#else
	(void)cpu;
	(void)thread;
#endif
}

/* Clear what the rules are not to look at. */
static void hide(struct perfctr_cpu_control *control, unsigned int flags)
{
	if (!(flags & PERFCTR_COMPILE_EXTENDED))
		control->_reserved1 = control->_reserved2 = control->_reserved3 = 0;
	control->_reserved4 = 0;
}

static uint32_t word(const uint8_t *data)
{
	return data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;
}

static void change(struct perfctr_cpu_control *control, const uint8_t *data)
{
	static const uint32_t boundary[] = {
		0,  1,	2,	7,	    8,		16,	    17,		18,
		31, 32, 0xFFFF, 0x3FFFFFFF, 0x40000000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
	};
	const struct field *f = &fields[data[0] % FIELDS];
	uint32_t *words = (uint32_t *)control, operand = word(data + 3), old;
	uint32_t used = control->nractrs + control->nrictrs;
	/* Mostly an element that means something, or the first that does not. */
	uint32_t *w = &words[f->first + data[1] % (data[1] < 224 && used < f->n ? used + 1 : f->n)];

	old = *w;
	switch (data[2] % 5) {
	case 0: *w ^= 1u << operand % 32; break;
	case 1: *w = operand; break;
	case 2: *w = boundary[operand % (sizeof(boundary) / sizeof(boundary[0]))]; break;
	case 3:
		*w = words[operand % WORDS];
		words[operand % WORDS] = old;
		break;
	default: *w += operand % 5 - 2;
	}
}

/* A diagnosis must name a field, and in it the bits that are wrong. */
static void check_diagnosis(const struct perfctr_cpu_control *control,
			    const struct perfctr_diagnosis *d)
{
	const struct field *f = fields;
	uint32_t value = 0;
	size_t i;

	DEMAND(d->field && d->rule && *d->rule);
	while (f < fields + FIELDS && strcmp(f->name, d->field) != 0)
		f++;
	DEMAND(f < fields + FIELDS);
	DEMAND(d->index == -1 || (f->n > 1 && d->index >= 0 && (size_t)d->index < f->n));
	for (i = 0; i < f->n; i++)
		if (d->index == -1 || (size_t)d->index == i)
			value |= ((const uint32_t *)control)[f->first + i];
	DEMAND((d->bits & ~value) == 0);
	/* What perfctr 2.6 answered with EPERM: bits of an event select, and missing interrupts. */
	DEMAND(d->forbidden <= 1);
	DEMAND(!d->forbidden || !strncmp(d->field, "evntsel", 8) || !strncmp(d->field, "p4.", 3) ||
	       control->nrictrs);
}

static void check_program(struct target *t, const struct perfctr_cpu_control *control,
			  const struct perfctr_program *program)
{
	struct perfctr_core *core = &t->m.core[0];
	uint8_t used[PERFCTR_SLOTS] = { 0 };
	unsigned int i;

	DEMAND(program->nr_writes <= PERFCTR_WRITES);
	DEMAND(program->nrctrs <= PERFCTR_COUNTERS && program->nrctrs <= PERFCTR_NR_CTRS);
	DEMAND(program->nr_clears <= PERFCTR_CLEARS);
	DEMAND(program->nractrs == control->nractrs);
	DEMAND(program->nrctrs == control->nractrs + control->nrictrs);
	DEMAND(program->async >= -1 && program->async < (int)program->nr_writes);
	DEMAND(program->nr_writes || !program->nrctrs);
	for (i = 0; i < program->nr_writes; i++) {
		const struct perfctr_write *write = &program->write[i];

		DEMAND(write->slot < PERFCTR_SLOTS && !used[write->slot]++);
		DEMAND(write->reg && write->reg == t->reg[write->slot]);
		DEMAND(program->stops || write->stopped == write->value);
	}
	for (i = 0; i < program->nrctrs; i++) {
		const struct perfctr_place *place = &program->counter[i];

		DEMAND((uint32_t)place->mask == 0xFFFFFFFF);
		/* Where there is no such counter, this faults. */
		perfctr_core_read_counter(core, place->reg);
	}
	for (i = 0; i < program->nr_clears; i++)
		perfctr_core_read_counter(core, program->clear[i]);
}

/* Two results of compiling the same control. What lies after the ends of arrays does not count. */
static bool same(const struct perfctr_program *a, const struct perfctr_program *b)
{
	bool equal = memcmp(a->write, b->write, a->nr_writes * sizeof(a->write[0])) == 0 &&
		     memcmp(a->clear, b->clear, a->nr_clears * sizeof(a->clear[0])) == 0;
	unsigned int i;

	for (i = 0; i < a->nrctrs && equal; i++) {
		const struct perfctr_place *p = &a->counter[i], *q = &b->counter[i];

		equal = p->map == q->map && p->reg == q->reg && p->mask == q->mask &&
			p->ack == q->ack && p->ireset == q->ireset && p->upper == q->upper;
	}
	return equal && a->id == b->id && a->nr_writes == b->nr_writes &&
	       a->nractrs == b->nractrs && a->nrctrs == b->nrctrs && a->ack_reg == b->ack_reg &&
	       a->async == b->async && a->async_value == b->async_value &&
	       a->async_stopped == b->async_stopped && a->by_register == b->by_register &&
	       a->negative == b->negative && a->one_core == b->one_core &&
	       a->nr_clears == b->nr_clears;
}

/* Let something happen to the thread; returns how much, at most, a counter counts of it. */
static uint64_t events(struct target *t, unsigned int cpu)
{
	const struct thread *thread = &t->m.thread[0];
	struct sim_step step = {
		.user = random_bool(),
		.cycles = 1 + random_below(8),
		.per_cycle = random_below(4),
	};

	step.event = 0x55;
	if (thread->n) {
		const struct intent *intent = &thread->intent[random_below(thread->n)];

		step.event = intent->event;
		step.per_cycle = random_below(intent->large ? 65 : 4);
	}
	sim_run(&t->m.sim[cpu], &step);
	return (uint64_t)step.cycles * (step.per_cycle + 1);
}

/* A counter that goes backwards, if only by one, seems to have counted almost 2^32. */
static void check_sums(struct target *t, struct perfctr_core *running, uint64_t happened)
{
	struct thread *thread = &t->m.thread[0];
	unsigned int i;
	uint64_t sum;

	for (i = 0; i < thread->program.nrctrs; i++) {
		sum = thread->state.pmc[i].sum;
		if (running)
			sum += perfctr_counter_now(running, &thread->program, i) -
			       thread->state.pmc[i].start;
		DEMAND(sum >= thread->ledger[i] && sum <= happened);
		thread->ledger[i] = sum;
	}
}

/* A thread's life: on one core, sampled, on the other core, and back. */
static void run_program(struct target *t)
{
	struct machine *m = &t->m;
	struct thread *thread = &m->thread[0];
	const unsigned int other = thread->program.one_core ? 0 : t->other;
	const unsigned int cpus[] = { 0, other, other, 0 };
	uint64_t happened = 0;
	unsigned int i;

	perfctr_cpu_update_control(&thread->state, &thread->program, thread->control.tsc_on,
				   ++m->last_id);
	for (i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		struct perfctr_core *core = &m->core[cpus[i]];

		perfctr_cpu_resume(core, &thread->state, &thread->program);
		happened += events(t, cpus[i]);
		check_sums(t, core, happened);
		if (i == 0) {
			perfctr_cpu_sample(core, &thread->state, &thread->program);
			happened += events(t, cpus[i]);
			check_sums(t, core, happened);
		}
		perfctr_cpu_suspend(core, &thread->state, &thread->program);
		check_sums(t, NULL, happened);
		if (perfctr_cpu_identify_overflow(&thread->state, &thread->program))
			perfctr_cpu_ireload(&thread->state);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* What the compiler leaves unwritten differs, so the results would, too. */
	static struct perfctr_program programs[2];
	static struct perfctr_cpu_control copy;
	struct perfctr_diagnosis d[2];
	unsigned int family, variant, flags, i;
	struct target *t;
	struct thread *thread;
	int result[2];
	size_t at;

	if (size < HEADER)
		return 0;
	family = data[0] % FAMILIES;
	variant = (data[1] & 0x7F) % VARIANTS;
	flags = (data[1] & 0x80 ? PERFCTR_COMPILE_GLOBAL : 0) |
		(data[1] & 0x40 ? 0 : PERFCTR_COMPILE_EXTENDED);
	t = &targets[family][variant];
	if (!t->fresh)
		target_open(t, &families[family], variant);
	target_reset(t);
	thread = &t->m.thread[0];
	random_state = 88172645463325252u ^ word(data + 2);
	thread->control.tsc_on = t->m.cpu.no_tsc ? 0 : random_bool();
	thread->n = families[family].control(&t->m.cpu, &thread->control, thread->intent);
	extend(&t->m.cpu, thread);
	hide(&thread->control, flags);
	for (at = HEADER; at + CHANGE <= size && at < HEADER + MAX_CHANGES * CHANGE; at += CHANGE)
		change(&thread->control, data + at);

	copy = thread->control;
	for (i = 0; i < 2; i++) {
		memset(&programs[i], i ? 0xFF : 0, sizeof(programs[i]));
		memset(&d[i], i ? 0xFF : 0, sizeof(d[i]));
		result[i] = compile(&t->m, &thread->control, flags, &programs[i], &d[i]);
	}
	DEMAND(memcmp(&copy, &thread->control, sizeof(copy)) == 0);
	DEMAND(result[0] == result[1]);
	if (result[0] < 0) {
		t->refused++;
		/* Unchanged it is valid; but PowerPC's take no notice of missing interrupts. */
		DEMAND(at > HEADER || (thread->control.nrictrs && !t->m.cpu.pcint));
		check_diagnosis(&thread->control, &d[0]);
		DEMAND(d[0].field == d[1].field && d[0].index == d[1].index &&
		       d[0].bits == d[1].bits && d[0].rule == d[1].rule &&
		       d[0].forbidden == d[1].forbidden);
		return 0;
	}
	t->accepted++;
	check_program(t, &thread->control, &programs[0]);
	DEMAND(same(&programs[0], &programs[1]));
	hide(&copy, flags);
	DEMAND(compile(&t->m, &copy, flags, &programs[1], &d[1]) == 0);
	DEMAND(same(&programs[0], &programs[1]));
	thread->program = programs[0];
	run_program(t);
	return 0;
}

#ifdef STANDALONE

#include <signal.h>

static uint8_t input[HEADER + MAX_CHANGES * CHANGE];
static size_t input_size;

/* A fault: the input, for xxd -r -p, and its control. */
static void show(int signal_number)
{
	const struct target *t = &targets[input[0] % FAMILIES][(input[1] & 0x7F) % VARIANTS];
	const uint32_t *words = (const uint32_t *)&t->m.thread[0].control;
	size_t i, k;

	(void)signal_number;
	for (i = 0; i < input_size; i++)
		fprintf(stderr, "%02x", input[i]);
	fprintf(stderr, "\n%s, variant %d, flags %d\n", t->m.family ? t->m.family->name : "?",
		(input[1] & 0x7F) % VARIANTS, input[1] >> 6);
	for (i = 0; i < FIELDS; i++)
		for (k = 0; k < fields[i].n; k++)
			if (words[fields[i].first + k])
				fprintf(stderr, "%s[%zu] 0x%X\n", fields[i].name, k,
					words[fields[i].first + k]);
}

/* xorshift64: the same numbers in every run. */
static uint8_t next(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint8_t)(state >> 32);
}

int main(int argc, char **argv)
{
	const char *number = getenv("FUZZ_CONTROLS");
	unsigned long n = number ? strtoul(number, NULL, 10) : 40000, accepted, refused, k;
	unsigned int family, variant;
	int i, failed = 0;
	FILE *file;

	signal(SIGABRT, show);
	for (i = 1; i < argc; i++) {
		file = fopen(argv[i], "rb");
		if (!file) {
			perror(argv[i]);
			return 1;
		}
		input_size = fread(input, 1, sizeof(input), file);
		fclose(file);
		LLVMFuzzerTestOneInput(input, input_size);
	}
	for (family = 0; family < FAMILIES; family++) {
		for (k = 0; k < n; k++) {
			input_size = HEADER + CHANGE * (next() % (MAX_CHANGES + 1u));
			input[0] = (uint8_t)family;
			for (i = 1; i < (int)input_size; i++)
				input[i] = next();
			LLVMFuzzerTestOneInput(input, input_size);
		}
		accepted = refused = 0;
		for (variant = 0; variant < VARIANTS; variant++) {
			accepted += targets[family][variant].accepted;
			refused += targets[family][variant].refused;
		}
		printf("%s: %lu accepted, %lu refused\n", families[family].name, accepted, refused);
		/* Refusing all, or accepting all, would pass everything above. */
		failed |= 100 * accepted < n || 100 * refused < n;
	}
	return failed;
}

#endif
