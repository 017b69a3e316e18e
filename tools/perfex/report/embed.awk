# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes C of text files: an array of characters for each, named after it, without the tabs that begin its lines.
# usage: awk -f embed.awk NAME=FILE...	(each NAME=FILE is text of C's "const char NAME[]")
# Awks disagree on backslashes in replacements. Question marks would make trigraphs.
function quoted(text, i, letter, result) {
	for (i = 1; i <= length(text); i++) {
		letter = substr(text, i, 1)
		result = result (index("\\\"?", letter) ? "\\" : "") letter
	}
	return result
}
BEGIN {
	print "// SPDX-License-Identifier: LGPL-2.1-or-later"
	print "#include \"tools/perfex/report/embedded.h\""
	for (i = 1; i < ARGC; i++) {
		split(ARGV[i], part, "=")
		printf "\nconst char %s[] =\n", part[1]
		while ((status = (getline line <part[2])) > 0) {
			sub(/^\t+/, "", line)
			printf "\t\"%s\\n\"\n", quoted(line)
		}
		if (status < 0) {
			print "embed.awk: " part[2] " can't be read" >"/dev/stderr"
			exit 1
		}
		print "\t;"
	}
	exit
}
