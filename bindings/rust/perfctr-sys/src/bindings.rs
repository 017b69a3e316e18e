// SPDX-License-Identifier: LGPL-2.1-or-later
// Made by bindings/rust/generate: change the headers, not this.

#[repr(C)] #[derive(Copy, Clone, Debug)] pub struct perf_event_mmap_page([u8; 0]);
#[repr(C)] #[derive(Copy, Clone, Debug)] pub struct perf_branch_entry([u8; 0]);
#[repr(C)] #[derive(Copy, Clone, Debug)] pub struct perf_ns_link_info([u8; 0]);

pub const PERFCTR_MULTIPLEX: u32 = 64;
pub const PERFCTR_INHERIT: u32 = 256;
pub const PERFCTR_ON_EXEC: u32 = 512;
pub const PERFCTR_DISABLED: u32 = 1024;
pub const PERFCTR_EXCLUSIVE: u32 = 2048;
pub const PERFCTR_PARTIAL: u32 = 4096;
pub const PERFCTR_USER_FALLBACK: u32 = 8192;
pub const PERFCTR_WATCH: u32 = 16384;
pub const PERFCTR_EVENT_TIME: u32 = 1;
pub const PERFCTR_EVENT_TSC: u32 = 2;
pub const PERFCTR_EVENT_KERNEL: u32 = 4;
pub const PERFCTR_EVENT_UNVERIFIED: u32 = 32;
pub const PERFCTR_EVENT_SAMPLES: u32 = 8;
pub const PERFCTR_EVENT_PERCORE: u32 = 16;
pub const PERFCTR_SAMPLER_MMAP: u32 = 65536;
pub const PERFCTR_SAMPLER_MMAP_DATA: u32 = 131072;
pub const PERFCTR_SAMPLER_BUILD_ID: u32 = 262144;
pub const PERFCTR_SAMPLER_COMM: u32 = 524288;
pub const PERFCTR_SAMPLER_TASK: u32 = 1048576;
pub const PERFCTR_SAMPLER_SWITCH: u32 = 2097152;
pub const PERFCTR_SAMPLER_NAMESPACES: u32 = 4194304;
pub const PERFCTR_SAMPLER_CGROUP: u32 = 8388608;
pub const PERFCTR_SAMPLER_KERNEL_TEXT: u32 = 16777216;
pub const PERFCTR_SAMPLER_NO_KERNEL_CHAIN: u32 = 33554432;
pub const PERFCTR_SAMPLER_NO_USER_CHAIN: u32 = 67108864;
pub const PERFCTR_SAMPLER_OVERWRITE: u32 = 134217728;
pub const PERFCTR_SAMPLER_DEFER_USER_CHAIN: u32 = 268435456;
pub const PERFCTR_SAMPLER_AUX_OVERWRITE: u32 = 536870912;
pub const PERFCTR_REGIONS_MOMENTS: u32 = 1;
pub const PERFCTR_REGIONS_HISTOGRAM: u32 = 2;
pub const PERFCTR_REGIONS_THREADS: u32 = 4;
pub const PERFCTR_REGIONS_USER_FALLBACK: u32 = 8;
pub type __pid_t = std::os::raw::c_int;
pub type pid_t = __pid_t;
extern "C" {
    pub fn perfctr_error() -> *const std::os::raw::c_char;
}
pub const PERFCTR_EXACT: perfctr_quality = 0;
pub const PERFCTR_UNWATCHED: perfctr_quality = 1;
pub const PERFCTR_UNVERIFIED: perfctr_quality = 2;
pub const PERFCTR_ESTIMATE: perfctr_quality = 3;
pub const PERFCTR_SCALED: perfctr_quality = 4;
pub const PERFCTR_NOT_COUNTED: perfctr_quality = 5;
pub const PERFCTR_STALE: perfctr_quality = 6;
pub type perfctr_quality = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_reading {
    pub value: u64,
    pub enabled: u64,
    pub running: u64,
    pub quality: std::os::raw::c_uint,
    pub reserved: std::os::raw::c_uint,
}
extern "C" {
    pub fn perfctr_reading_estimate(reading: *const perfctr_reading) -> u64;
}
extern "C" {
    pub fn perfctr_quality_name(quality: std::os::raw::c_uint) -> *const std::os::raw::c_char;
}
pub const PERFCTR_TARGET_THREAD: perfctr_target_type = 0;
pub const PERFCTR_TARGET_PROCESS: perfctr_target_type = 1;
pub const PERFCTR_TARGET_CPU: perfctr_target_type = 2;
pub const PERFCTR_TARGET_CGROUP: perfctr_target_type = 3;
pub const PERFCTR_TARGET_THREAD_ON_CPU: perfctr_target_type = 4;
pub type perfctr_target_type = std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_target {
    pub type_: std::os::raw::c_uint,
    pub id: std::os::raw::c_int,
    pub cpu: std::os::raw::c_int,
    pub cgroup: *const std::os::raw::c_char,
    pub reserved: [std::os::raw::c_uint; 4usize],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_set {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_list {
    _unused: [u8; 0],
}
extern "C" {
    pub fn perfctr_set_open(
        events: *const std::os::raw::c_char,
        target: *const perfctr_target,
        flags: std::os::raw::c_uint,
    ) -> *mut perfctr_set;
}
extern "C" {
    pub fn perfctr_set_size(set: *const perfctr_set) -> std::os::raw::c_uint;
}
extern "C" {
    pub fn perfctr_set_name(
        set: *const perfctr_set,
        i: std::os::raw::c_uint,
    ) -> *const std::os::raw::c_char;
}
extern "C" {
    pub fn perfctr_set_event(
        set: *const perfctr_set,
        i: std::os::raw::c_uint,
        event: *mut perfctr_list_event,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_set_enable(set: *mut perfctr_set) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_set_disable(set: *mut perfctr_set) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_set_reset(set: *mut perfctr_set) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_set_read(
        set: *const perfctr_set,
        readings: *mut perfctr_reading,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_set_check(set: *const perfctr_set) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_processes {
    pub running: std::os::raw::c_uint,
    pub exactly: std::os::raw::c_uint,
    pub watched: std::os::raw::c_uint,
    pub reserved: [std::os::raw::c_uint; 5usize],
}
extern "C" {
    pub fn perfctr_set_processes(
        set: *const perfctr_set,
        processes: *mut perfctr_processes,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_set_reader(
        set: *const perfctr_set,
        i: std::os::raw::c_uint,
        reader: *mut perfctr_reader,
    ) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_part {
    pub tid: pid_t,
    pub cpu: std::os::raw::c_int,
    pub pmu: *const std::os::raw::c_char,
    pub reserved: [std::os::raw::c_uint; 4usize],
}
extern "C" {
    pub fn perfctr_set_parts(set: *const perfctr_set) -> std::os::raw::c_uint;
}
extern "C" {
    pub fn perfctr_set_part(
        set: *const perfctr_set,
        p: std::os::raw::c_uint,
        part: *mut perfctr_part,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_set_read_part(
        set: *const perfctr_set,
        p: std::os::raw::c_uint,
        readings: *mut perfctr_reading,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_set_read_thread(
        set: *const perfctr_set,
        tid: pid_t,
        readings: *mut perfctr_reading,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_set_id(
        set: *const perfctr_set,
        p: std::os::raw::c_uint,
        i: std::os::raw::c_uint,
        id: *mut u64,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_set_close(set: *mut perfctr_set);
}
extern "C" {
    pub fn perfctr_enable_all() -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_disable_all() -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_list_resolve(
        events: *const std::os::raw::c_char,
        flags: std::os::raw::c_uint,
    ) -> *mut perfctr_list;
}
extern "C" {
    pub fn perfctr_list_free(list: *mut perfctr_list);
}
extern "C" {
    pub fn perfctr_list_size(list: *const perfctr_list) -> std::os::raw::c_uint;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_list_event {
    pub name: *const std::os::raw::c_char,
    pub unit: *const std::os::raw::c_char,
    pub reason: *const std::os::raw::c_char,
    pub scale: f64,
    pub item: std::os::raw::c_uint,
    pub nvariants: std::os::raw::c_uint,
    pub flags: std::os::raw::c_uint,
    pub reserved: [std::os::raw::c_uint; 5usize],
}
extern "C" {
    pub fn perfctr_list_event(
        list: *const perfctr_list,
        i: std::os::raw::c_uint,
        event: *mut perfctr_list_event,
    ) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_metrics {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_metric {
    pub name: *const std::os::raw::c_char,
    pub unit: *const std::os::raw::c_char,
    pub formula: *const std::os::raw::c_char,
    pub description: *const std::os::raw::c_char,
    pub reason: *const std::os::raw::c_char,
    pub core: *const std::os::raw::c_char,
    pub threshold: *const std::os::raw::c_char,
}
extern "C" {
    pub fn perfctr_metrics_list(
        cpu: *const std::os::raw::c_char,
        each: ::std::option::Option<
            unsafe extern "C" fn(
                arg: *mut std::os::raw::c_void,
                arg1: *const perfctr_metric,
            ) -> std::os::raw::c_int,
        >,
        arg: *mut std::os::raw::c_void,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_metrics_open(
        names: *const std::os::raw::c_char,
        cpu: *const std::os::raw::c_char,
    ) -> *mut perfctr_metrics;
}
extern "C" {
    pub fn perfctr_metrics_close(metrics: *mut perfctr_metrics);
}
extern "C" {
    pub fn perfctr_metrics_size(metrics: *const perfctr_metrics) -> std::os::raw::c_uint;
}
extern "C" {
    pub fn perfctr_metrics_metric(
        metrics: *const perfctr_metrics,
        i: std::os::raw::c_uint,
        metric: *mut perfctr_metric,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_metrics_events(
        metrics: *const perfctr_metrics,
        n: *mut std::os::raw::c_uint,
    ) -> *const std::os::raw::c_char;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_metric_value {
    pub value: f64,
    pub reason: *const std::os::raw::c_char,
    pub quality: std::os::raw::c_uint,
    pub beyond: std::os::raw::c_uint,
    pub reserved: [std::os::raw::c_uint; 2usize],
}
extern "C" {
    pub fn perfctr_metrics_value(
        metrics: *const perfctr_metrics,
        i: std::os::raw::c_uint,
        readings: *const perfctr_reading,
        value: *mut perfctr_metric_value,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_metrics_values(
        metrics: *const perfctr_metrics,
        readings: *const perfctr_reading,
        values: *mut perfctr_metric_value,
    ) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_metric_node {
    pub parent: *const std::os::raw::c_char,
    pub sample: *const std::os::raw::c_char,
    pub level: std::os::raw::c_uint,
    pub reserved: [std::os::raw::c_uint; 3usize],
}
extern "C" {
    pub fn perfctr_metrics_node(
        metrics: *const perfctr_metrics,
        i: std::os::raw::c_uint,
        node: *mut perfctr_metric_node,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_metrics_error(
        metrics: *const perfctr_metrics,
        i: std::os::raw::c_uint,
        parts: *const perfctr_reading,
        n: std::os::raw::c_uint,
        error: *mut f64,
    ) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_sampler {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_sampler_config {
    pub period: u64,
    pub frequency: u64,
    pub fields: u64,
    pub branches: u64,
    pub user_registers: u64,
    pub interrupt_registers: u64,
    pub user_stack: u32,
    pub max_chain: u32,
    pub flags: u32,
    pub pages: u32,
    pub wakeup_samples: u32,
    pub wakeup_bytes: u32,
    pub precise: u32,
    pub signal: i32,
    pub aux_pages: u32,
    pub wakeup_aux: u32,
    pub reserved: [u64; 3usize],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_record_counts {
    pub enabled: u64,
    pub running: u64,
    pub n: u64,
    pub values: *const u64,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_record_registers {
    pub abi: u64,
    pub n: u64,
    pub values: *const u64,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_record_sample {
    pub ip: u64,
    pub addr: u64,
    pub period: u64,
    pub weight: u64,
    pub data_src: u64,
    pub transaction: u64,
    pub phys_addr: u64,
    pub cgroup: u64,
    pub data_page_size: u64,
    pub code_page_size: u64,
    pub counts: perfctr_record_counts,
    pub nchain: u64,
    pub chain: *const u64,
    pub raw_size: u64,
    pub raw: *const std::os::raw::c_void,
    pub nbranches: u64,
    pub branch_index: u64,
    pub branches: *const perf_branch_entry,
    pub branch_counters: *const u64,
    pub user: perfctr_record_registers,
    pub interrupt: perfctr_record_registers,
    pub user_stack_size: u64,
    pub user_stack: *const std::os::raw::c_void,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_record_mmap {
    pub pid: u32,
    pub tid: u32,
    pub addr: u64,
    pub length: u64,
    pub offset: u64,
    pub major: u32,
    pub minor: u32,
    pub inode: u64,
    pub inode_generation: u64,
    pub prot: u32,
    pub flags: u32,
    pub build_id_size: u32,
    pub build_id: [u8; 20usize],
    pub file: *const std::os::raw::c_char,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_record_comm {
    pub pid: u32,
    pub tid: u32,
    pub name: *const std::os::raw::c_char,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_record_task {
    pub pid: u32,
    pub ppid: u32,
    pub tid: u32,
    pub ptid: u32,
    pub time: u64,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_record_lost {
    pub id: u64,
    pub lost: u64,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_record_throttle {
    pub time: u64,
    pub id: u64,
    pub stream_id: u64,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_record_read {
    pub pid: u32,
    pub tid: u32,
    pub counts: perfctr_record_counts,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_record_switch {
    pub pid: u32,
    pub tid: u32,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_record_aux {
    pub offset: u64,
    pub size: u64,
    pub flags: u64,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_record_itrace {
    pub pid: u32,
    pub tid: u32,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_record_namespaces {
    pub pid: u32,
    pub tid: u32,
    pub n: u64,
    pub link: *const perf_ns_link_info,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_record_ksymbol {
    pub addr: u64,
    pub length: u32,
    pub type_: u16,
    pub flags: u16,
    pub name: *const std::os::raw::c_char,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_record_bpf {
    pub type_: u16,
    pub flags: u16,
    pub id: u32,
    pub tag: [u8; 8usize],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_record_cgroup {
    pub id: u64,
    pub path: *const std::os::raw::c_char,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_record_text_poke {
    pub addr: u64,
    pub old_length: u16,
    pub new_length: u16,
    pub bytes: *const u8,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_record_hw_id {
    pub hw_id: u64,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_record_deferred {
    pub cookie: u64,
    pub nchain: u64,
    pub chain: *const u64,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct perfctr_record {
    pub type_: u32,
    pub misc: u16,
    pub size: u16,
    pub bytes: *const std::os::raw::c_void,
    pub pid: u32,
    pub tid: u32,
    pub time: u64,
    pub id: u64,
    pub stream_id: u64,
    pub cpu: u32,
    pub reserved: u32,
    pub as_: perfctr_record__bindgen_ty_1,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union perfctr_record__bindgen_ty_1 {
    pub sample: perfctr_record_sample,
    pub mmap: perfctr_record_mmap,
    pub comm: perfctr_record_comm,
    pub task: perfctr_record_task,
    pub lost: perfctr_record_lost,
    pub throttle: perfctr_record_throttle,
    pub read: perfctr_record_read,
    pub other: perfctr_record_switch,
    pub aux: perfctr_record_aux,
    pub itrace: perfctr_record_itrace,
    pub namespaces: perfctr_record_namespaces,
    pub ksymbol: perfctr_record_ksymbol,
    pub bpf: perfctr_record_bpf,
    pub cgroup: perfctr_record_cgroup,
    pub text_poke: perfctr_record_text_poke,
    pub hw_id: perfctr_record_hw_id,
    pub deferred: perfctr_record_deferred,
}
extern "C" {
    pub fn perfctr_sampler_open(
        events: *const std::os::raw::c_char,
        target: *const perfctr_target,
        config: *const perfctr_sampler_config,
    ) -> *mut perfctr_sampler;
}
extern "C" {
    pub fn perfctr_sampler_fd(sampler: *const perfctr_sampler) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_sampler_enable(sampler: *mut perfctr_sampler) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_sampler_disable(sampler: *mut perfctr_sampler) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_sampler_refresh(
        sampler: *mut perfctr_sampler,
        samples: std::os::raw::c_uint,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_sampler_set_period(
        sampler: *mut perfctr_sampler,
        period: u64,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_sampler_next(
        sampler: *mut perfctr_sampler,
        record: *mut *const perfctr_record,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_sampler_each(
        sampler: *mut perfctr_sampler,
        each: ::std::option::Option<
            unsafe extern "C" fn(
                arg: *mut std::os::raw::c_void,
                arg1: *const perfctr_record,
            ) -> std::os::raw::c_int,
        >,
        arg: *mut std::os::raw::c_void,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_sampler_lost(
        sampler: *mut perfctr_sampler,
        lost: *mut u64,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_sampler_count(
        sampler: *mut perfctr_sampler,
        i: std::os::raw::c_uint,
        count: *mut u64,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_sampler_check(sampler: *const perfctr_sampler) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_aux {
    pub bytes: *const std::os::raw::c_void,
    pub size: u64,
    pub offset: u64,
    pub cpu: i32,
    pub reserved: u32,
}
extern "C" {
    pub fn perfctr_sampler_next_aux(
        sampler: *mut perfctr_sampler,
        aux: *mut *const perfctr_aux,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_sampler_close(sampler: *mut perfctr_sampler);
}
extern "C" {
    pub fn perfctr_data_src_text(
        data_src: u64,
        text: *mut std::os::raw::c_char,
        size: usize,
    ) -> usize;
}
extern "C" {
    pub fn perfctr_event_check(event: *const std::os::raw::c_char) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_event_name {
    pub name: *const std::os::raw::c_char,
    pub kind: *const std::os::raw::c_char,
    pub description: *const std::os::raw::c_char,
}
extern "C" {
    pub fn perfctr_event_list(
        kind: *const std::os::raw::c_char,
        each: ::std::option::Option<
            unsafe extern "C" fn(
                arg: *mut std::os::raw::c_void,
                arg1: *const perfctr_event_name,
            ) -> std::os::raw::c_int,
        >,
        arg: *mut std::os::raw::c_void,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_cpu_native(
        id: *mut *const std::os::raw::c_char,
        name: *mut *const std::os::raw::c_char,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_provider_name() -> *const std::os::raw::c_char;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_check {
    pub name: *const std::os::raw::c_char,
    pub state: *const std::os::raw::c_char,
    pub remedy: *const std::os::raw::c_char,
    pub ok: std::os::raw::c_int,
}
extern "C" {
    pub fn perfctr_doctor(
        each: ::std::option::Option<
            unsafe extern "C" fn(
                arg: *mut std::os::raw::c_void,
                arg1: *const perfctr_check,
            ) -> std::os::raw::c_int,
        >,
        arg: *mut std::os::raw::c_void,
    ) -> std::os::raw::c_int;
}
pub type __u8 = std::os::raw::c_uchar;
pub type __u16 = std::os::raw::c_ushort;
pub type __s32 = std::os::raw::c_int;
pub type __u32 = std::os::raw::c_uint;
pub type __s64 = std::os::raw::c_longlong;
pub type __u64 = std::os::raw::c_ulonglong;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_reader {
    pub page: *const perf_event_mmap_page,
    pub base: u64,
    pub shift: u32,
    pub types: u32,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_region {
    pub name: *const std::os::raw::c_char,
    pub id: std::os::raw::c_uint,
    pub overlaps: std::os::raw::c_uint,
    pub calibrate: ::std::option::Option<unsafe extern "C" fn()>,
}
extern "C" {
    pub fn perfctr_region_add_bytes(bytes: u64);
}
extern "C" {
    pub fn perfctr_region_add_communication(ns: u64);
}
extern "C" {
    pub fn perfctr_region_by_name(name: *const std::os::raw::c_char) -> *mut perfctr_region;
}
extern "C" {
    pub fn perfctr_regions_start(
        events: *const std::os::raw::c_char,
        keep: std::os::raw::c_uint,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_regions_start_metrics(
        events: *const std::os::raw::c_char,
        metrics: *const std::os::raw::c_char,
        keep: std::os::raw::c_uint,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_regions_stop() -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_regions_thread() -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_calibration {
    _unused: [u8; 0],
}
extern "C" {
    pub fn perfctr_regions_calibrate(
        key: ::std::option::Option<unsafe extern "C" fn()>,
        state: *mut *mut perfctr_calibration,
    ) -> std::os::raw::c_int;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_region_value {
    pub inclusive: u64,
    pub exclusive: u64,
    pub minimum: u64,
    pub maximum: u64,
    pub mean: f64,
    pub deviation: f64,
    pub p50: u64,
    pub p90: u64,
    pub p99: u64,
    pub error: u64,
    pub quality: std::os::raw::c_uint,
    pub reserved: std::os::raw::c_uint,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct perfctr_region_reading {
    pub visits: u64,
    pub unfinished: u64,
    pub uncounted: u64,
    pub nvalues: std::os::raw::c_uint,
    pub reserved: std::os::raw::c_uint,
    pub value: [perfctr_region_value; 16usize],
    pub bytes_inclusive: u64,
    pub bytes_exclusive: u64,
    pub communication_inclusive: u64,
    pub communication_exclusive: u64,
}
extern "C" {
    pub fn perfctr_region_read(
        region: *const perfctr_region,
        reading: *mut perfctr_region_reading,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_region_read_all(
        region: *const perfctr_region,
        reading: *mut perfctr_region_reading,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_region_reset(region: *mut perfctr_region) -> std::os::raw::c_int;
}
pub const PERFCTR_REGIONS_TABLE: perfctr_regions_format = 0;
pub const PERFCTR_REGIONS_CSV: perfctr_regions_format = 1;
pub const PERFCTR_REGIONS_JSON: perfctr_regions_format = 2;
pub type perfctr_regions_format = std::os::raw::c_uint;
extern "C" {
    pub fn perfctr_regions_report(
        file: *const std::os::raw::c_char,
        format: std::os::raw::c_uint,
    ) -> std::os::raw::c_int;
}
extern "C" {
    pub fn perfctr_regions_recover(
        left: *const std::os::raw::c_char,
        file: *const std::os::raw::c_char,
        format: std::os::raw::c_uint,
    ) -> std::os::raw::c_int;
}
