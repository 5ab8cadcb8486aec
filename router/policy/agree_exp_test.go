package policy
import ("testing";"math/rand";"os";"strconv";"time";"fmt";"mvdan.cc/sh/v3/syntax";"strings")
func TestAgreeBulk(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("N"))
	r := rand.New(rand.NewSource(time.Now().UnixNano()))
	fails, valid, unk := 0, 0, 0
	why := map[string]int{}
	ex := map[string]string{}
	for i := 0; i < n; i++ {
		g := gen{Rand: r}
		s := g.text()
		if _, ok := prettyPrint(t, s); ok { valid++; if _, u := commandsIn(t, s); !u { unk++; 
			src := &source{text: s}; src.prepare()
			_, err := syntax.NewParser().Parse(strings.NewReader(src.text), ""); e := fmt.Sprint(err); if j := strings.Index(e, ": "); j > 0 { e = e[j:] }; why[e]++; if len(ex[e]) == 0 || len(s) < len(ex[e]) { ex[e] = s } } }
		if !t.Run("x", func(t *testing.T) { agree(t, s) }) { fails++ ; if fails > 12 { return } }
	}
	fmt.Println("valid", valid, "not understood", unk)
	for k, v := range why { fmt.Printf("%d %s\n     %q\n", v, k, ex[k]) }
}
