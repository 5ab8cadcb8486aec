package secrettext

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The secrets of the tests are put together here, so that no scanner takes them for
// real ones.
const (
	r20 = "aB3dE6gH9jK2mN5pQ8sT"
	r36 = r20 + "vW1yZ4bC7fG0hJ3k"
	r40 = r36 + "L6nP"
)

var pem = func() string {
	var b strings.Builder
	for range 6 {
		b.WriteString(strings.Repeat("MIIEvQIB"+"ADANBgkq", 4) + "\n")
	}
	return b.String() + "kq8=\n"
}()

func TestFormsAreHidden(t *testing.T) {
	jwt := "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + r36
	for _, row := range []struct{ text, want string }{
		{"ghp_" + r36, "[redacted: GitHub token]"},
		{"x gho_" + r36 + " y ghs_" + r36 + ".", "x [redacted: GitHub token] y [redacted: GitHub token]."},
		{`{"t":"github_pat_` + r20 + "_" + r40 + `"}`, `{"t":"[redacted: GitHub token]"}`},
		{`a\nghp_` + r36 + `\nb`, `a\n[redacted: GitHub token]\nb`},
		{"key sk-" + r40, "key [redacted: API key]"},
		{"sk-ant-api03-" + r40 + "_-" + r20, "[redacted: Anthropic key]"},
		{"sk-proj-" + r40 + "-_" + r20, "[redacted: OpenAI key]"},
		{"AKIA" + "QWERTYUIOP234567" + " x", "[redacted: AWS key id] x"},
		{"ASIA" + "QWERTYUIOP234567", "[redacted: AWS key id]"},
		{"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzKEY", "aws_secret_access_key = [redacted: key]"},
		{`"SecretAccessKey": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzKEY"`, `"SecretAccessKey": "[redacted: key]"`},
		{"xoxb-" + "123456789012-1234567890123-" + r20, "[redacted: Slack token]"},
		{"xoxp-" + "1234567890-" + r20, "[redacted: Slack token]"},
		{"glpat-" + r20, "[redacted: GitLab token]"},
		{"//registry/:_authToken=npm_" + r36, "//registry/:_authToken=[redacted: token]"},
		{"npm_" + r36, "[redacted: npm token]"},
		{"AIza" + r36[:35], "[redacted: Google key]"},
		{"sk_live_" + r20, "[redacted: Stripe key]"},
		{jwt + " end", "[redacted: JWT] end"},
		{"-----BEGIN RSA PRIVATE KEY-----\n" + pem + "-----END RSA PRIVATE KEY-----\n", "-----BEGIN RSA PRIVATE KEY-----\n[redacted: private key]\n-----END RSA PRIVATE KEY-----\n"},
		{"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n" + pem + "-----END", "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n[redacted: private key]\n-----END"},
		{`"-----BEGIN PRIVATE KEY-----\n` + strings.ReplaceAll(pem, "\n", `\n`) + `-----END PRIVATE KEY-----\n"`, `"-----BEGIN PRIVATE KEY-----\n[redacted: private key]\n-----END PRIVATE KEY-----\n"`},
		{"-----BEGIN OPENSSH PRIVATE KEY-----\n" + pem[:100], "-----BEGIN OPENSSH PRIVATE KEY-----\n[redacted: private key]"},
		{pem[40:] + "-----END OPENSSH PRIVATE KEY-----", "[redacted: private key]\n-----END OPENSSH PRIVATE KEY-----"},
		{"mysql -u root -pS3cret db", "mysql -u root -p[redacted: password] db"},
		{"mysqldump -uroot -p'S3 cret' db", "mysqldump -uroot -p'[redacted: password]' db"},
		{"sshpass -p S3cret ssh h", "sshpass -p [redacted: password] ssh h"},
		{"curl -u me:S3cret https://h", "curl -u me:[redacted: password] https://h"},
		{"curl -sSu 'me:S3cret' https://h", "curl -sSu 'me:[redacted: password]' https://h"},
		{"curl https://h --user=me:S3cret", "curl https://h --user=me:[redacted: password]"},
		{"x-api-key: 0a1b2c3d4e5f", "x-api-key: [redacted: key]"},
		{"> Authorization: Basic bWU6UzNjcmV0", "> Authorization: Basic [redacted: credentials]"},
		{`{"Authorization": "Bearer ` + r20 + `"}`, `{"Authorization": "Bearer [redacted: credentials]"}`},
		{"authorization: " + r40, "authorization: [redacted: credentials]"},
		{"Bearer " + r40, "Bearer [redacted: credentials]"},
		{"Cookie: lang=en; sid=" + r20 + "; x=" + r36, "Cookie: lang=en; sid=[redacted: cookie]; x=[redacted: cookie]"},
		{"set-cookie: session=" + r20 + "; Path=/a12345; Max-Age=1234567", "set-cookie: session=[redacted: cookie]; Path=/a12345; Max-Age=1234567"},
		{"The password is hunter2.", "The password is [redacted: password]."},
		{"DB_PASSWORD=correcthorse", "DB_PASSWORD=[redacted: password]"},
		{"password=hunter2&x=1", "password=[redacted: password]&x=1"},
		{"password: hunter2", "password: [redacted: password]"},
		{`password = "s3cr3t!"`, `password = "[redacted: password]"`},
		{`config["password"] = 'hunter2'`, `config["password"] = '[redacted: password]'`},
		{`{\"client_secret\":\"` + r20 + `\"}`, `{\"client_secret\":\"[redacted: secret]\"}`},
		{"API_TOKEN=" + r20, "API_TOKEN=[redacted: token]"},
		{"login --password hunter2 --user me", "login --password [redacted: password] --user me"},
		{"postgres://me:hunter2@h/db", "postgres://me:[redacted: password]@h/db"},
		{"https://:" + r20 + "@h", "https://:[redacted: password]@h"},
	} {
		got := (*Hider)(nil).Hide(row.text)
		require.Equal(t, row.want, got, row.text)
		require.Equal(t, got, New().Hide(got), "what is hidden is none")
		require.True(t, Contains(row.text), row.text)
	}
}

func TestWhatIsNoSecretStays(t *testing.T) {
	for _, text := range []string{
		"commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad", "550e8400-e29b-41d4-a716-446655440000", "sha256:" + strings.Repeat("0a1b2c3d", 8),
		"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4AKIAsk-AIzaSyAB" + r40,
		"github.com/x/y v1.2.3 h1:aB3dE6gH9jK2mN5pQ8sTvW1yZ4bC7fG0hJ3kL6nPq=",
		"password = getpass()", "password = getpass.getpass()", "password := os.Getenv(\"DB_PASSWORD\")", "password = cfg.password1", "password: string;", "password: str = None", "token = parser.next()", "token = tokens[i2]",
		"token := lexer.Next2()", "f(token=token2, password=password1)", `password="${DB_PASSWORD}"`, `password: "{{ .Values.password1 }}"`, "PASSWORD=$1", "--password PASSWORD", "--token <TOKEN>", "password=********", `"password": "changeme123"`,
		"max_tokens=100000", `"total_tokens": 123456789012`, "token_type=bearer2", `<input type="password" autocomplete="new-password">`, `credentials: "same-origin"`, "passwordless = true2", "password_file: /run/secrets/x1", "the password is required", "eval ${ZFTP_PWD:s!1!2!}", "c.PrivateKey = testEd25519PrivateKey", "http://user:***@h", "-----BEGIN TESTING KEY-----\n" + pem + "-----END TESTING KEY-----`, \"PRIVATE KEY\"",
		"the token is invalid", "token: /var/run/secrets/token1", "PWD=/home/me1", "OLDPWD=/a1", `if password == "hunter22" {`, "password != x2y3z4",
		"task-list-with-a-long-name-12345678901234", "pip install scikit-learn sk-learn", "class sk-loadingspinnercontainer", "disk-1234567890abcdefghij1234", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "sk-...", "sk-ant-...", "sk-xxxxxxxxxxxxxxxxxxxxxxxx", "sk-your-key-here-1234567890abc",
		"AKIAxxxxxxxxxxxxxxxx", "eyJhbGciOiJIUzI1NiJ9", "Bearer token", "Authorization: Bearer $TOKEN", `"Authorization": "Bearer " + token2`, `case "Authorization", "Www-Authenticate", "Cookie":`, `"WWW-Authenticate", "Bearer resource_metadata="+u`, "Authorization: Bearer <your token>", `headers["Authorization"] = makeHeader1(x)`, "Cookie: name=value", "Set-Cookie: lang=en; Path=/",
		"-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY----- and then prose follows, of several words and more of them still", "-----BEGIN CERTIFICATE-----\n" + pem + "-----END CERTIFICATE-----",
		"-----BEGIN PUBLIC KEY-----\n" + pem + "-----END PUBLIC KEY-----", "http://user:pass@host", "https://a:b@h", "<a>://[&lt;user&gt;[:&lt;password&gt;]@]h", "username= passphrase= password= x1", "[Authorization]: https://h/rfc6749#section-3.1", "https://host:8080/a@b", "git@github.com:x/y.git", "ssh://git@h:22/x", "mysql -u root -p db", "mysql -P 3306 -p", "mysql -u root -pPASSWORD", "curl -u user https://h:8080/x", `curl -u "$U:$P" h`, "wget --password=$P h",
		"", "p", "-----BEGIN ", "cookie", "password", "password=", "password is ", "Authorization:", "://", "eyJ", "sk-",
	} {
		require.Equal(t, text, New("an-unrelated-key").Hide(text))
	}
}

func TestCommandsLoseAllThatStandsWhereASecretWould(t *testing.T) {
	for text, want := range map[string]string{
		"export API_KEY=abc OTHER=def":                "export API_KEY=[redacted: key] OTHER=def",
		"x --password 'a b' --user me":                "x --password '[redacted: password]' --user me",
		`curl -H "Authorization: Bearer abc.def-ghi"`: `curl -H "Authorization: Bearer [redacted: credentials]"`,
		`curl -H "x-api-key: v"`:                      `curl -H "x-api-key: [redacted: key]"`,
		`curl -H "Cookie: sid=v"`:                     `curl -H "Cookie: sid=[redacted: cookie]"`,
		"echo the password is correct":                "echo the password is [redacted: password]",
		"mysql -pPASS":                                "mysql -p[redacted: password]",
		"curl -u user:pw x":                           "curl -u user:[redacted: password] x",
		"git clone https://me:pw@h/x":                 "git clone https://me:[redacted: password]@h/x",
		"TOKEN=$OTHER make":                           "TOKEN=$OTHER make",
	} {
		require.Equal(t, want, New().HideCommand(text))
	}
}

func TestKnownSecretsAreHiddenInTheirEncodings(t *testing.T) {
	for _, secret := range []string{"key-of-somebody", "p?ss~w>rd", strings.Repeat(r40, 4)} {
		h := New(secret+"\n", "short")
		reversed := []byte(secret)
		slices.Reverse(reversed)
		forms := []string{secret, string(reversed), hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret)))}
		for before := range 4 {
			for after := range 3 {
				text := []byte(strings.Repeat("<", before) + secret + strings.Repeat("\n", after))
				for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
					forms = append(forms, enc.EncodeToString(text))
				}
			}
		}
		for _, form := range forms {
			for _, width := range []int{1000, 76, 7} { // as base64, xxd and fold cut lines
				var lines strings.Builder
				for i := 0; i < len(form); i += width {
					lines.WriteString(form[i:min(i+width, len(form))] + "\r\n")
				}
				got := h.Hide("before\n" + lines.String() + "after")
				require.Contains(t, got, "[redacted: key", form)
				require.Less(t, len(strings.NewReplacer("\r\n", "", "before\n", "", "after", "").Replace(got)), len("[redacted: key, reversed]")+11, "%s: %s", form, got)
			}
		}
	}
	require.Equal(t, "short", New("short", "").Hide("short"))
}

func TestName(t *testing.T) {
	for name, want := range map[string]bool{
		"PWD": false, "OLDPWD": false, "DB_PWD": true, "MYPWD": false, "NUGET_PAT1": true, "PATH": false, "GIT_PAT": true, "MY_KEY": true, "KEYMAP": false, "npm_config__auth": true, "MONKEY": false,
		"OPENAI_API_KEY": true, "AWS_ACCESS_KEY_ID": true, "SSH_AUTH_SOCK": false, "XAUTHORITY": false, "PASSWORD2": true, "TOKENIZERS_PARALLELISM": true,
	} {
		require.Equal(t, want, Name(name), name)
	}
}

// What is hidden may be looked for in any text at all.
func FuzzHide(f *testing.F) {
	f.Add("password=hunter2 -----BEGIN PRIVATE KEY-----\\n")
	f.Fuzz(func(t *testing.T, text string) {
		h := New("some-known-key")
		for _, got := range []string{h.Hide(text), h.HideCommand(text)} {
			kept := strings.Split(got, "[redacted: ")
			at := strings.Index(text, kept[0])
			require.Zero(t, at, "the beginning stays")
		}
	})
}

func BenchmarkHide(b *testing.B) {
	var code, log, base strings.Builder
	for i := range 400 {
		fmt.Fprintf(&code, "\tif token := parser.next(%d); token.Password != \"\" { return errors.New(\"the secret is not set\") }\n", i)
		fmt.Fprintf(&log, "2026-01-02T03:04:%02d GET https://example.org/a/b/%d?page_token=x 200 authorization ok cookie set\n", i%60, i)
		base.WriteString(strings.Repeat("aB3dE6gH9jK2mN5pQ8sTvW1yZ4bC7fG0hJ3kL6nPqR5t", 2)[:76] + "\n")
	}
	h := New("sk-"+r40, r36)
	for name, text := range map[string]string{"code": code.String(), "log": log.String(), "base64": base.String()} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				h.Hide(text)
			}
		})
	}
}

// Texts that are made to be looked at again and again cost no more than others of
// their size, but for a factor.
func BenchmarkHideHostile(b *testing.B) {
	for _, piece := range []string{"eyJ", "sk-proj-", `password="`, "://a:b", "mysql -", "Cookie: a=b;", "-----BEGIN PRIVATE KEY-----\n", "-----END PRIVATE KEY-----", "Authorization: Basic "} {
		text := strings.Repeat(piece, 30000/len(piece))
		b.Run(piece[:3], func(b *testing.B) {
			for b.Loop() {
				new(Hider).Hide(text)
			}
		})
	}
}
