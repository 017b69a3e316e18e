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
# The begin of a call, with its bytes, if it has some.
function begin_of_call(language) {
	if (rule[1] == "-")
		return "mpi_begin(region)"
	if (rules == 2)
		return sprintf("mpi_%s_begin(region, a%d, a%d)", language, rule[1], rule[2])
	if (rules == 3)
		return sprintf("mpi_%s_begin_buffer(region, a%d, a%d, a%d)", language, rule[1], rule[2], rule[3])
	return sprintf("mpi_%s_begin_all(region, a%d, a%d, a%d, a%d, %s)", language, rule[1], rule[2],
		rule[3], rule[4], rule[5] == "remote" ? "true" : "false")
}
function call(n) {
	return sprintf("((word (*)(%s))function.real)(%s)", types(n), list("a", n))
}
# Each hands on what the other function returns, if it has a result at all.
function emit(own, real, n, language) {
	printf "EXPORT word %s(%s);\nword %s(%s)\n{\n", own, n ? list("word a", n) : "void", own, n ? list("word a", n) : "void"
	printf "\tstatic struct mpi_function function = { NULL, NULL, %s, \"%s\", \"%s\" };\n",
		is_special() ? "&mpi_program" : "&regions[CALL_" name "]", own, real
	printf "\tstruct perfctr_region *region = mpi_enter(&function, __builtin_frame_address(0));\n\tword result;\n\n"
	printf "\tif (!region)\n\t\treturn %s;\n", call(n)
	if (rule[1] == "finalize")
		print "\tmpi_program_end();"
	if (!is_special())
		printf "\t%s;\n", begin_of_call(language)
	printf "\tresult = %s;\n", call(n)
	if (is_special())
		print "\tmpi_leave();"
	else
		print "\tmpi_end(function.region);"
	if (rule[1] == "init")
		print "\tmpi_program_begin();"
	print "\treturn result;\n}\n"
}
/^#/ || !NF { next }
{ lines[++calls] = $0 }
# Takes a line apart.
function look_at(line,  field, n, i) {
	n = split(line, field, " ")
	name = field[1]
	arguments = field[2]
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
	emit("mpi_" lower "__", "pmpi_" lower "_", n, "fortran")
	emit("mpi_" lower, "pmpi_" lower "_", n, "fortran")
	emit("MPI_" toupper(name), "pmpi_" lower "_", n, "fortran")
	emit("mpi_" lower "_f08_", "pmpi_" lower "_f08_", n, "fortran")
}
END {
	print "/* This was made of collect/mpi.calls. */\n#include \"collect/mpi.h\"\n\nenum {"
	enumerate("\tCALL_%s,\n")
	print "};\n\nstatic struct perfctr_region regions[] = {"
	enumerate("\tPERFCTR_REGION_INIT(\"MPI_%s\"),\n")
	print "};\n"
	for (i = 1; i <= calls; i++) {
		look_at(lines[i])
		make_call()
	}
}
