package policy
import ("testing";"math/rand";"os";"strconv";"time";"fmt")
func TestAgreeBulk(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("N"))
	r := rand.New(rand.NewSource(time.Now().UnixNano()))
	fails, valid, unk := 0, 0, 0
	for i := 0; i < n; i++ {
		g := gen{Rand: r}
		s := g.text()
		if _, ok := prettyPrint(t, s); ok { valid++; if _, u := commandsIn(t, s); !u { unk++; if unk < 20 { fmt.Printf("UNK %q\n", s) } } }
		if !t.Run("x", func(t *testing.T) { agree(t, s) }) { fails++ ; if fails > 12 { return } }
	}
	fmt.Println("valid", valid, "not understood", unk)
}
