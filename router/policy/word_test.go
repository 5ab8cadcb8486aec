package policy

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKnownWords asks bash what args gets where everything is known: it must be
// foreseen as it is, with nothing left open.
func TestKnownWords(t *testing.T) {
	for _, line := range []string{
		`args {a,b}{1..3} x{,y}z {01..10..3} {c..a} a{b,{c,d}}e {a {a}`,
		`args 'a b'"c d"\ e $'\x61\t\u62\063\'' "\$x \"\\ \a"`,
		`args ~ ~/x a~ "~" x=~/y`,
		`x='a  b c'; args $x "$x" p$x"q r"$x`,
		`IFS=:; x=a::b:; args $x "$x" "$x"c`,
		`IFS=' ,'; x='a , b,,c '; args $x`,
		`IFS=; x='a b'; args $x`,
		`x=; args $x "$x" '' "$x"$x`,
		`set -- 'a b' c; args "$@" $* "$*" x"$@"y "${@:2}" "${1#a}"`,
		`a=(p 'q r' s); args "${a[@]}" ${a[1]} "${a[*]}" "${a[@]:1}" "${a[@]:1:1}" "${a[@]#p}" "${a[@]/s/t}"`,
		`x=a.b.c; args ${x%.*} ${x%%.*} ${x#*.} ${x##*.} ${x/./-} ${x//./-} ${x/#a.} ${x/%.c} ${x/#?/z} ${x//\./_} ${x::2}`,
		`x=abcdef; args ${x:2} ${x:1:2} ${x: -2} ${x:1:-2} ${x:0:1}${x:5}`,
		`x=aB; args ${x^^} ${x,,} ${x@U} ${x@L}`,
		`x=aXb; p='?'; args ${x#$p} ${x%"X"*} ${x/X/$x} ${x%"*"} ${x/"a"X/q} ${x#\a}`,
		`args $((1+2*3)) $((7/2)) $((-7%4)) $((1<<4|3)) $((~5))`,
		`n=2 x=abc; ((m=n*2)); args ${x:n-1} $((n+n)) $m`,
		`unset x; args ${x:-d} ${x-e} ${x:=f} $x; y=; args ${y:-g} "${y-h}"`,
		`x=y y=z; args ${!x}; declare -n r=y; args $r`,
		`declare -A h; h[k]=v; args "${h[k]}"`,
		`args [ '*' \* "[a]"`,
		`f() { local x=$1; args "$x"; }; f 'a b'`,
		`x=$(echo a b); args $x "$x"; args $(printf '%s\n' 'c d' e)`,
		`args a"$(echo 'b c')"d; read -r x y <<< 'p q'; args "${x:+s}"`,
	} {
		t.Run(line, func(t *testing.T) {
			calls, ok := runScript(t, "HOME=/home/u; "+line)
			require.True(t, ok)
			j := newJudge(&World{Dir: "/src/dir", Home: "/home/u"}, line)
			j.text(j.src)
			var foreseen [][]string
			for _, p := range j.parts {
				if len(p.words) == 0 || p.words[0].text != "args" {
					continue
				}
				var argv []string
				for _, w := range p.words[1:] {
					argv = append(argv, w.text)
				}
				foreseen = append(foreseen, argv)
			}
			for _, argv := range calls {
				require.Contains(t, foreseen, argv)
			}
		})
	}
}

// TestANSIC asks bash for what $'...' holds; what is not known may be anything.
func TestANSIC(t *testing.T) {
	for _, text := range []string{`a`, `\x72m`, `\162m`, `\562`, `\x{72}m`, `\cIx`, `a\0b`, `\u00e9\U1F600`, `\e\a\b\f\n\r\t\v\\\'\"\?`, `\q\xg\8`, `\x`, `\18`} {
		out, err := exec.Command("/bin/bash", "-c", "LC_ALL=C.UTF-8; printf %s $'"+text+"'").Output()
		require.NoError(t, err)
		if got := ansiC(text); got != anyText {
			require.Equal(t, string(out), got, text)
		}
	}
	require.Equal(t, "rm", ansiC(`\x72\155`))
	require.Equal(t, "rm", echoed(`\0162\x6d`))
	require.Equal(t, `\`+"\t", echoed(`\\\t`))
}

// TestTextsThatPanicTheLibrary judges what its functions do not survive.
func TestTextsThatPanicTheLibrary(t *testing.T) {
	for _, line := range []string{"x=a; rm ${x//$'\\xff'/b} ${x%$'\\xff'}", "x=$'\\xff'; rm ${x#?}", "rm {a/16#&=*\xff,a}[[}", "x=1; rm $((x << -1)) $((1 / 0)) $((x++ + (x)++))"} {
		v := judgeLine(line, ws())
		for _, r := range v.Reasons {
			require.NotContains(t, r.Text, "cannot be judged", "%q", line)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		glob, text string
		is         bool
	}{
		{"r?", "rm", true}, {"r?", "r", false}, {"[a-r]*", "rm", true}, {"[!r]m", "rm", true}, // what is in a set is not looked at
		{"/a/*", "/a/b", true}, {"/a/*", "/a/b/c", false}, {`r\*`, "r*", true}, {`r\*`, "rm", false},
		{"[", "[", true}, {"[b-a]", "x", true}, // no pattern: it can only raise
	} {
		require.Equal(t, c.is, match(c.glob, c.text), "%q %q", c.glob, c.text)
	}
	require.True(t, match("*", strings.Repeat("a", 1<<12)))
}
