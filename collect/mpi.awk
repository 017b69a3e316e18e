# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes of mpi.calls the functions that programs call in the place of MPI's, in C and in Fortran, as C.
# Arguments are words, whatever their types: so the functions are right for each MPI, whose handles are numbers or
# pointers, and a number's upper half is passed on as it came.
function list(prefix, n,  i, text) {
	for (i = 1; i <= n; i++)
		text = text (i > 1 ? ", " : "") prefix i
	return text
}
function types(n,  i, text) {
	for (i = 1; i <= n; i++)
		text = text (i > 1 ? ", " : "") "word"
	return n ? text : "void"
}
# Adds the bytes of a call that succeeded: in C it returns 0, and in Fortran its last argument is that.
function bytes_of_call(n, language,  form, i) {
	form = each_of ? "_each" : rules > 3 ? "_all" : rules > 2 ? "_buffer" : ""
	printf "\tif (%s", language == "c" ? "(int)result == 0" : "mpi_succeeded(a" n ")"
	if (root)
		printf " && mpi_takes_part(%s, %s)", language == "c" ? "(int)a" root : "*(const int *)a" root, is_sender
	print ")"
	printf "\t\tmpi_%s_add%s(", language, form
	for (i = 1; i <= rules && i < 5; i++)
		printf "%s%s", (i > 1 ? ", " : ""), (rule[i] ? "a" rule[i] : "0")
	if (each_of)
		printf ", a%s", each_of
	print (rules > 3 ? rule[5] == "remote" ? ", true" : ", false" : "") ");"
}
function call(n) {
	return sprintf("((word (*)(%s))mpi_functions[%d].real)(%s)", types(n), functions, list("a", n))
}
function begin(attribute, own, real, n, usual) {
	table = table sprintf("\t{ .own_region = %s, .name = \"%s\", .real_name = \"%s\"%s },\n",
		is_special() ? "&mpi_program" : "&regions[CALL_" name "]", own, real, usual)
	printf "%s word %s(%s);\nword %s(%s)\n{\n", attribute, own, n ? list("word a", n) : "void", own, n ? list("word a", n) : "void"
}
function call_uncounted(n, condition) {
	printf "\tif (%s) {\n\t\tresult = %s;\n\t\tNO_JUMP;\n\t\treturn result;\n\t}\n", condition, call(n)
}
# Each hands on what the other function returns, if it has a result at all.
function emit(own, real, n, language,  function_) {
	function_ = "mpi_functions[" functions "]"
	begin("EXPORT BY_ITSELF", own, real, n)
	printf "\tstruct mpi_frame frame;\n\tstruct perfctr_region *region = mpi_enter(&%s, &frame);\n\tword result;\n%s\n", function_, is_special() ? "" : "\tuint64_t since;\n"
	call_uncounted(n, "!region")
	if (rule[1] == "finalize")
		print "\tmpi_program_end();"
	if (!is_special())
		print "\tperfctr_region_begin(region);"
	if (!is_special())
		print "\tsince = mpi_clock();"
	printf "\tresult = %s;\n", call(n)
	if (!is_special())
		print "\tmpi_add_communication(since);"
	if (!is_special() && rule[1] != "-")
		bytes_of_call(n, language)
	print "\tmpi_leave();"
	if (!is_special())
		print "\tperfctr_region_end(" function_ ".region);"
	if (rule[1] == "init")
		print "\tmpi_program_begin();"
	print "\treturn result;\n}\n"
	functions++
}
# Another name for the same calls the usual one, whatever the program itself has of that name.
function emit_names(usual, real, n, names,  each, first, count, i) {
	printf "extern __typeof__(%s) own_%s __attribute__((alias(\"%s\"), visibility(\"hidden\")));\n\n", usual, usual, usual
	first = functions - 1
	count = split(names, each, " ")
	for (i = 1; i <= count; i++) {
		begin("EXPORT", each[i], real, n, ", .usual = &mpi_functions[" first "]")
		print "\tword result;\n"
		call_uncounted(n, "!mpi_is_there(&mpi_functions[" functions "])")
		printf "\treturn own_%s(%s);\n}\n\n", usual, list("a", n)
		functions++
	}
}
/^#/ || !NF { next }
{ lines[++calls] = $0 }
# Takes a line apart.
function look_at(line,  field, n, i) {
	n = split(line, field, " ")
	name = field[1]
	arguments = field[2]
	root = each_of = 0
	if (field[n - 1] == "root" || field[n - 1] == "sender") {
		root = field[n]
		is_sender = field[n - 1] == "sender" ? "true" : "false"
		n -= 2
	}
	if (field[n - 1] == "each") {
		each_of = field[n]
		n -= 2
	}
	split("", rule)
	rules = n - 2
	for (i = 3; i <= n; i++)
		rule[i - 2] = field[i]
}
function is_special() {
	return rule[1] == "init" || rule[1] == "finalize"
}
function enumerate(format,  i) {
	for (i = 1; i <= calls; i++) {
		look_at(lines[i])
		if (!is_special())
			printf format, name
	}
}
# As compilers name them in Fortran, with the error as last argument; and Open MPI's names for the module mpi_f08.
function make_call(  lower, n) {
	lower = tolower(name)
	n = is_special() ? rule[2] : arguments + 1
	emit("MPI_" name, "PMPI_" name, arguments, "c")
	emit("mpi_" lower "_", "pmpi_" lower "_", n, "fortran")
	emit_names("mpi_" lower "_", "pmpi_" lower "_", n, "mpi_" lower "__ mpi_" lower " MPI_" toupper(name))
	emit("mpi_" lower "_f08_", "pmpi_" lower "_f08_", n, "fortran")
}
END {
	functions = 0
	print "/* This was made of collect/mpi.calls. */\n#include \"collect/mpi.h\"\n\nenum {"
	enumerate("\tCALL_%s,\n")
	print "};\n\nstatic struct perfctr_region regions[] = {"
	enumerate("\tPERFCTR_REGION_INIT(\"MPI_%s\"),\n")
	print "};\n"
	for (i = 1; i <= calls; i++) {
		look_at(lines[i])
		make_call()
	}
	print "struct mpi_function mpi_functions[] = {\n" table "};\n\nconst unsigned int mpi_nfunctions = " functions ";"
}
