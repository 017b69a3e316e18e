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
	return text
}
# The end of a call, with its bytes if it has some; Fortran's arguments are addresses.
function end_of_call(language) {
	if (rule[1] == "-")
		return sprintf("mpi_end(CALL_%s)", name)
	if (rule[3])
		return sprintf("mpi_%s_end_of_all(CALL_%s, a%d, a%d, a%d)", language, name, rule[1], rule[2], rule[3])
	return sprintf("mpi_%s_end(CALL_%s, a%d, a%d)", language, name, rule[1], rule[2])
}
function emit(result, own, real, n, language,  special) {
	special = rule[1] == "init" || rule[1] == "finalize"
	printf "EXPORT %s %s(%s);\n%s %s(%s)\n{\n", result, own, n ? list("word a", n) : "void", result, own, n ? list("word a", n) : "void"
	print "\tstatic void (*real)(void);"
	if (result == "int")
		print "\tint result;"
	print ""
	if (special)
		printf "\tmpi_%s_begin(&real, \"%s\");\n", rule[1], real
	else
		printf "\tmpi_begin(CALL_%s, &real, \"%s\");\n", name, real
	printf "\t%s((%s (*)(%s))real)(%s);\n", result == "int" ? "result = " : "", result, n ? types(n) : "void", list("a", n)
	if (special)
		printf "\tmpi_%s_end();\n", rule[1]
	else
		printf "\t%s;\n", end_of_call(language)
	if (result == "int")
		print "\treturn result;"
	print "}\n"
}
/^#/ || !NF { next }
{ lines[++calls] = $0 }
# Takes a line apart.
function look_at(line,  field, n, i) {
	n = split(line, field, " ")
	name = field[1]
	arguments = field[2]
	split("", rule)
	for (i = 3; i <= n; i++)
		rule[i - 2] = field[i]
	return rule[1] != "init" && rule[1] != "finalize"
}
function enumerate(format,  i) {
	for (i = 1; i <= calls; i++)
		if (look_at(lines[i]))
			printf format, name
}
function make_header() {
	print "#ifndef PERFCTR_COLLECT_MPI_CALLS_H\n#define PERFCTR_COLLECT_MPI_CALLS_H\n\nenum mpi_call {"
	enumerate("\tCALL_%s,\n")
	print "\tMPI_CALLS\n};\n\n#define MPI_REGIONS \\"
	enumerate("\tPERFCTR_REGION_INIT(\"MPI_%s\"), \\\n")
	print "\n#define MPI_NAMES \\"
	enumerate("\t\"MPI_%s\", \\\n")
	print "\n#endif"
}
# As compilers name them in Fortran, with the error as last argument; and Open MPI's names for the module mpi_f08.
function make_call(  lower, n) {
	lower = tolower(name)
	n = rule[1] == "init" || rule[1] == "finalize" ? rule[2] : arguments + 1
	emit("int", "MPI_" name, "PMPI_" name, arguments, "c")
	emit("void", "mpi_" lower "_", "pmpi_" lower "_", n, "fortran")
	emit("void", "mpi_" lower "__", "pmpi_" lower "_", n, "fortran")
	emit("void", "mpi_" lower, "pmpi_" lower "_", n, "fortran")
	emit("void", "MPI_" toupper(name), "pmpi_" lower "_", n, "fortran")
	emit("void", "mpi_" lower "_f08_", "pmpi_" lower "_f08_", n, "fortran")
}
END {
	print "/* This was made of collect/mpi.calls. */"
	if (header) {
		make_header()
		exit
	}
	print "#include \"collect/mpi.h\"\n"
	for (i = 1; i <= calls; i++) {
		look_at(lines[i])
		make_call()
	}
}
