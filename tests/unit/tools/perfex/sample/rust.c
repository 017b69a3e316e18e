// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Rust's names, as its own tool shows them without hashes; the names are rustc's, or follow the
 * grammar in "Symbol Mangling" of the rustc book. What is none of them is left alone, however deep
 * it is.
 */
#include <stdio.h>
#include <string.h>
#include "tests/harness/check.h"
#include "tools/perfex/sample/rust.h"

/* NULL: it is not a name of Rust's. */
static void is(const char *name, const char *shown)
{
	static char text[65537];
	bool done = rust_demangle(name, text, sizeof(text));

	ck_assert_msg(done == (shown != NULL) && (!shown || !strcmp(text, shown)),
		      "%.200s is shown as %.400s", name, done ? text : "nothing");
}

START_TEST(paths)
{
	is("_RNvCs4fqI2P2rA04_5crate4main", "crate::main");
	is("_RNvNtC5crate3mod4main", "crate::mod::main");
	is("_RNCNvC5crate4main0", "crate::main::{closure#0}");
	is("_RNCNvC5crate4mains_0", "crate::main::{closure#1}");
	is("_RNSNvC5crate4main4shim", "crate::main::{shim:shim#0}");
	is("_RNQNvC5crate4mains0_3abc", "crate::main::{Q:abc#2}");
	is("_RNvMC5crateNtB2_3Set3add", "<crate::Set>::add");
	is("_RNvMs_C5crateNtB4_3Set3add", "<crate::Set>::add");
	is("_RNvXC5crateNtB2_3SetNtB2_5Trait3add", "<crate::Set as crate::Trait>::add");
	is("_RNvYNtC5crate3SetNtB4_5Trait3add", "<crate::Set as crate::Trait>::add");
	is("_RINvC5crate3runNtB2_3SetEB2_", "crate::run::<crate::Set>");
	is("_RINvC5crate3runINtB2_3SetlEE", "crate::run::<crate::Set<i32>>");
	is("_RNvNtC5crateu8gdel_5qa4f_1", NULL); /* a length that is wrong */
	is("_RNvNtC5crateu8gdel_5qa1f", "crate::g\303\266del::f");
	is("_RNvC5crateu8_1zckd1wz", NULL);
}
END_TEST

START_TEST(types)
{
	is("_RINvC1a1fabcdefhijlmE",
	   "a::f::<i8, bool, char, f64, str, f32, u8, isize, usize, i32, u32>");
	is("_RINvC1a1fnopstuvxyzE", "a::f::<i128, u128, _, i16, u16, (), ..., i64, u64, !>");
	is("_RINvC1a1fRlQlPlOlE", "a::f::<&i32, &mut i32, *const i32, *mut i32>");
	is("_RINvC1a1fSlAlj3_TEThETheEE", "a::f::<[i32], [i32; 3], (), (u8,), (u8, str)>");
	is("_RINvC1a1fFEuFlElFUKCuEzFK11rust_systemEuE",
	   "a::f::<fn(), fn(i32) -> i32, unsafe extern \"C\" fn(()) -> !, extern \"rust-system\" fn()>");
	is("_RINvC1a1fFG_RL0_hEuFG0_RL1_hRL0_hEuE",
	   "a::f::<for<'a> fn(&'a u8), for<'a, 'b> fn(&'a u8, &'b u8)>");
	is("_RINvC1a1fDNtB2_1TEL_DNtB2_1TNtB2_1UEL_E", "a::f::<dyn a::T, dyn a::T + a::U>");
	is("_RINvC1a1fDINtB2_1ThEp4ItemlEL_DNtB2_1Tp4ItemlEL_E",
	   "a::f::<dyn a::T<u8, Item = i32>, dyn a::T<Item = i32>>");
	is("_RINvC1a1fL_E", "a::f::<'_>");
	is("_RINvC1a1fTllEB7_E", "a::f::<(i32, i32), (i32, i32)>");
}
END_TEST

START_TEST(constants)
{
	is("_RINvC1a1fKj0_Kja_Kln5_Kb1_Kb0_KpE", "a::f::<0, 10, -5, true, false, _>");
	is("_RINvC1a1fKoffffffffffffffffffff_E", "a::f::<0xffffffffffffffffffff>");
	is("_RINvC1a1fKc61_Kc27_Kca_Kc1f_Kc20ac_E",
	   "a::f::<'a', '\\'', '\\n', '\\u{1f}', '\342\202\254'>");
	is("_RINvC1a1fKRe616263_Ke2261_E", "a::f::<\"abc\", {*\"\\\"a\"}>");
	is("_RINvC1a1fKAh1_h2_EKTh1_EKRh1_E", "a::f::<{[1, 2]}, {(1,)}, {&1}>");
	is("_RINvC1a1fKVNtB2_1SUKVNtB2_1STh1_EKVNtB2_1SS1ah1_EE",
	   "a::f::<{a::S}, {a::S(1)}, {a::S { a: 1 }}>");
	is("_RINvC1a1fKb2_E", NULL);
	is("_RINvC1a1fKcd800_E", NULL);
	is("_RINvC1a1fKRe61f_E", NULL);
}
END_TEST

/* LLVM's and GCC's endings stay, but for a hash of the unit. */
START_TEST(endings)
{
	is("_RNvC1a4main.llvm.8384", "a::main");
	is("_RNvC1a4main.cold", "a::main.cold");
	is("_RNvC1a4main.cold.llvm.12", "a::main.cold");
	is("_RNvC1a4mainC1b", "a::main");
	is("_RNvC1a4main$x", NULL);
	is("_ZN1a4main17h0123456789abcdefE.llvm.12AB", "a::main");
}
END_TEST

START_TEST(legacy)
{
	is("_ZN5names4main17hd52b26720289402dE", "names::main");
	is("_ZN42_$LT$names..Ci$u20$as$u20$names..Shape$GT$4area17hbc12af7427718857E",
	   "<names::Ci as names::Shape>::area");
	is("_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$17hcbe69001a6df8e06E",
	   "std::rt::lang_start::{{closure}}");
	is("_ZN4core3ptr66drop_in_place$LT$alloc..boxed..Box$LT$dyn$u20$names..Shape$GT$$GT$"
	   "17hb1d443c8784ad753E",
	   "core::ptr::drop_in_place<alloc::boxed::Box<dyn names::Shape>>");
	is("_ZN1a32$SP$$BP$$RF$$LP$$RP$$C$$u5b$$XY$17h0123456789abcdefE", "a::@*&(),[$XY$");
	is("_ZN1a29$SP$$BP$$RF$$LP$$RP$$C$$u5b$.17h0123456789abcdefE", "a::@*&(),[.");
	is("_ZN1a6b$XY$c17h0123456789abcdefE", "a::b$XY$c");
	is("_ZN1a4$u1$17h0123456789abcdefE", "a::$u1$");
	/* C++'s */
	is("_ZN5space5thingIiE4turnEl", NULL);
	is("_ZN5space5thingE", NULL);
	is("_ZN5space17h0123456789abcdeE", NULL);
	is("_ZN5space17h0123456789abcdeGE", NULL);
	is("_Z4mainv", NULL);
}
END_TEST

START_TEST(no_names)
{
	static char name[200000];

	is("", NULL);
	is("main", NULL);
	is("_R", NULL);
	is("_R0NvC1a4main", NULL);
	is("_RNvC1a9main", NULL);
	is("_RNvC1a4mainx", NULL);
	is("_RNvB1_4main", NULL); /* itself */
	is("_RNvC1a99999999999999999999main", NULL);
	is("_RNvCszzzzzzzzzzzzzzzz_1a4main", NULL);
	/* As deep as it is long; and twice as long with each letter. */
	strcpy(name, "_R");
	memset(name + 2, 'N', 100000);
	is(name, NULL);
	is("_RINvC1a1fTuuETB7_B7_EE", "a::f::<((), ()), (((), ()), ((), ()))>");
	is("_RINvC1a1fTuuETB7_B7_ETBb_Bb_ETBj_Bj_ETBr_Br_ETBz_Bz_ETBH_BH"
	   "_ETBP_BP_ETBX_BX_ETB15_B15_ETB1d_B1d_ETB1n_B1n_ETB1x_B1x_ETB"
	   "1H_B1H_ETB1R_B1R_ETB21_B21_ETB2b_B2b_ETB2l_B2l_ETB2v_B2v_EE",
	   NULL);
}
END_TEST

UNIT_MAIN("rust", 20, paths, types, constants, endings, legacy, no_names)
