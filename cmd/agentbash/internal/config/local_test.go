package config

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

// answering is a server that answers every request alike; its port.
func answering(t *testing.T, handler http.HandlerFunc) int {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return portOf(t, s.URL)
}

func saying(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		w.Write([]byte(body))
	}
}

func portOf(t *testing.T, address string) int {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	port, err := strconv.Atoi(u.Port())
	require.NoError(t, err)
	return port
}

// closedPort is one where nobody listens.
func closedPort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return l.Addr().(*net.TCPAddr).Port
}

// silentPort takes connections and never answers.
func silentPort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	return l.Addr().(*net.TCPAddr).Port
}

func modelPort(t *testing.T, model string) int {
	t.Helper()
	s, err := modelserver.Start(&modelserver.Script{Model: model, Replies: []modelserver.Reply{{Text: "never asked for"}}}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.ErrorContains(t, s.Close(), "0 of 1") })
	return portOf(t, s.BaseURL)
}

func TestFindLocal(t *testing.T) {
	hang := make(chan struct{})
	tests := []struct {
		name  string
		ports func(t *testing.T) []int
		want  string // name and model; "" for none
	}{
		{"nobody", func(t *testing.T) []int { return []int{closedPort(t), closedPort(t)} }, ""},
		{"the second", func(t *testing.T) []int { return []int{closedPort(t), modelPort(t, "m")} }, "B m"},
		{"the first of two", func(t *testing.T) []int { return []int{modelPort(t, "x"), modelPort(t, "y")} }, "A x"},
		{"a web page first", func(t *testing.T) []int {
			return []int{answering(t, saying(200, "<html>")), modelPort(t, "m")}
		}, "B m"},
		{"other JSON first", func(t *testing.T) []int {
			return []int{answering(t, saying(200, `{"status":"ok"}`)), answering(t, saying(200, `["m"]`)), modelPort(t, "m")}
		}, "C m"},
		{"an error with a list", func(t *testing.T) []int {
			return []int{answering(t, saying(500, `{"data":[{"id":"m"}]}`))}
		}, ""},
		{"an empty list", func(t *testing.T) []int { return []int{answering(t, saying(200, `{"data":[]}`))} }, ""},
		{"an embedding model before the one that chats", func(t *testing.T) []int {
			return []int{answering(t, saying(200, `{"data":[{"id":"text-embedding-3"},{"id":"chat"}]}`))}
		}, "A chat"},
		{"a redirect", func(t *testing.T) []int {
			to := modelPort(t, "elsewhere")
			return []int{answering(t, func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://127.0.0.1:"+strconv.Itoa(to)+r.URL.Path, http.StatusFound)
			})}
		}, ""},
		{"one that never answers", func(t *testing.T) []int { return []int{silentPort(t), modelPort(t, "m")} }, "B m"},
		{"one that answers slowly", func(t *testing.T) []int {
			return []int{answering(t, func(w http.ResponseWriter, r *http.Request) {
				select {
				case <-hang:
				case <-r.Context().Done():
				}
			}), closedPort(t)}
		}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var cs []Candidate
			for i, port := range tt.ports(t) {
				cs = append(cs, Candidate{Name: string(rune('A' + i)), Port: port})
			}
			got := ""
			for range 100 { // a busy machine may answer later than the search waits
				if l := FindLocal(context.Background(), cs); l != nil {
					got = l.Name + " " + l.Model
					require.Equal(t, "http://127.0.0.1:"+strconv.Itoa(cs[l.Name[0]-'A'].Port)+"/v1", l.BaseURL)
				}
				if got == tt.want {
					break
				}
			}
			require.Equal(t, tt.want, got)
		})
	}
	close(hang)
}

func TestCandidatesInOrderOfPreference(t *testing.T) {
	require.Equal(t, []Candidate{{"Ollama", 11434}, {"LM Studio", 1234}, {"llama.cpp", 8080}, {"vLLM", 8000}}, Candidates())
}

func TestFirstModel(t *testing.T) {
	base := "http://127.0.0.1:" + strconv.Itoa(modelPort(t, "m")) + "/v1/"
	model, err := FirstModel(context.Background(), base, "key")
	require.NoError(t, err)
	require.Equal(t, "m", model)
	_, err = FirstModel(context.Background(), "http://127.0.0.1:"+strconv.Itoa(closedPort(t)), "")
	require.ErrorContains(t, err, "set --model")
}

// BenchmarkFindLocalNobody is what a start without configuration pays.
func BenchmarkFindLocalNobody(b *testing.B) {
	cs := []Candidate{{"A", 1}, {"B", 2}, {"C", 3}, {"D", 4}}
	for b.Loop() {
		FindLocal(context.Background(), cs)
	}
}

// BenchmarkFindLocalSilent is the worst case: the limit of the search.
func BenchmarkFindLocalSilent(b *testing.B) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	cs := []Candidate{{"A", l.Addr().(*net.TCPAddr).Port}}
	start := time.Now()
	for b.Loop() {
		FindLocal(context.Background(), cs)
	}
	b.ReportMetric(float64(time.Since(start).Milliseconds())/float64(b.N), "ms/search")
}

func TestTheFirstModelOfANamedServer(t *testing.T) {
	for body, want := range map[string]string{
		`{"data":[{"id":"nomic-embed-text"},{"id":"m"}]}`: "m", `{"models":[{"name":"m"}]}`: "m", `{"object":"list","models":[{"model":"m"}],"data":[]}`: "m", `["m","n"]`: "m",
		`{"data":[]}`: "", `{"status":"ok"}`: "", `"m"`: "", `[]`: "",
	} {
		got, err := FirstModel(context.Background(), fmt.Sprintf("http://127.0.0.1:%d/v1/", answering(t, saying(200, body))), "")
		require.Equal(t, want, got, body)
		require.Equal(t, want == "", err != nil, body)
	}
}
