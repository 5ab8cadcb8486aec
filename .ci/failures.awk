# What the tests that failed said themselves, from the output of go test -v.
/^=== (RUN|PAUSE|CONT|NAME) / { name = $3; next }
match($0, /^ *--- FAIL: [^ ]+/) { split(substr($0, RSTART, RLENGTH), words, ": "); failed[++n] = pkg + 0 SUBSEP words[2] }
/^ *--- (PASS|SKIP): / { next }
/^(ok|FAIL|\?)[ \t].*\// { pkg++; name = ""; next }
{ said[pkg + 0, name] = said[pkg + 0, name] $0 "\n" }
END {
	for (i = 1; i <= n; i++) printf "%s", said[failed[i]]
	for (p = 0; p <= pkg; p++) printf "%s", said[p, ""]
}
