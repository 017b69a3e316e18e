// SPDX-License-Identifier: LGPL-2.1-or-later
/* Compares collect/ompt.h with a compiler's omp-tools.h: compiling is the test. */
#include <omp-tools.h>
#include "collect/ompt.h"

#define SAME(ours, theirs) _Static_assert((long long)(ours) == (long long)(theirs), #theirs)

SAME(OMPT_PARALLEL_BEGIN, ompt_callback_parallel_begin);
SAME(OMPT_PARALLEL_END, ompt_callback_parallel_end);
SAME(OMPT_TASK_CREATE, ompt_callback_task_create);
SAME(OMPT_TASK_SCHEDULE, ompt_callback_task_schedule);
SAME(OMPT_IMPLICIT_TASK, ompt_callback_implicit_task);
SAME(OMPT_TARGET, ompt_callback_target);
SAME(OMPT_WORK, ompt_callback_work);
SAME(OMPT_SYNC_REGION, ompt_callback_sync_region);
SAME(OMPT_BEGIN, ompt_scope_begin);
SAME(OMPT_END, ompt_scope_end);
SAME(OMPT_LOOP, ompt_work_loop);
SAME(OMPT_SECTIONS, ompt_work_sections);
SAME(OMPT_SINGLE, ompt_work_single_executor);
SAME(OMPT_DISTRIBUTE, ompt_work_distribute);
SAME(OMPT_TASKLOOP, ompt_work_taskloop);
SAME(OMPT_BARRIER_IMPLICIT, ompt_sync_region_barrier_implicit);
SAME(OMPT_BARRIER_PARALLEL, ompt_sync_region_barrier_implicit_parallel);
SAME(OMPT_BARRIER_IMPLEMENTATION, ompt_sync_region_barrier_implementation);
SAME(OMPT_BARRIER_TEAMS, ompt_sync_region_barrier_teams);
SAME(OMPT_TASKWAIT, ompt_sync_region_taskwait);
SAME(OMPT_TASKGROUP, ompt_sync_region_taskgroup);
SAME(OMPT_COMPLETE, ompt_task_complete);
SAME(OMPT_YIELD, ompt_task_yield);
SAME(OMPT_CANCEL, ompt_task_cancel);
SAME(OMPT_DETACH, ompt_task_detach);
SAME(OMPT_EARLY_FULFILL, ompt_task_early_fulfill);
SAME(OMPT_LATE_FULFILL, ompt_task_late_fulfill);
SAME(OMPT_SWITCH, ompt_task_switch);
SAME(OMPT_TASKWAIT_COMPLETE, ompt_taskwait_complete);
SAME(OMPT_SOMETIMES, ompt_set_sometimes);
SAME(OMPT_LEAGUE, ompt_parallel_league);
SAME(OMPT_TASK_INITIAL, ompt_task_initial);
SAME(OMPT_TASK_EXPLICIT, ompt_task_explicit);
SAME(sizeof(union ompt_word), sizeof(ompt_data_t));
SAME(sizeof(struct ompt_tool), sizeof(ompt_start_tool_result_t));
