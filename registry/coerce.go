package registry

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

var anyParam = &Param{}

// orAny is q, or a parameter of no declared type when q is nil.
func (q *Param) orAny() *Param {
	if q == nil {
		return anyParam
	}
	return q
}

// holds reports whether the parameter can be of the type.
func (q *Param) holds(typ string) bool {
	if q.Type == typ {
		return true
	}
	return slices.ContainsFunc(q.AnyOf, func(u Param) bool { return u.holds(typ) })
}

// alone is the value of a flag that stands alone.
func (q *Param) alone() string { return cmp.Or(q.Alone, "true") }

// isFlag reports whether the parameter needs no value: it says so, or is a boolean, or nothing but these and null.
func (q *Param) isFlag() bool {
	if q.Alone != "" {
		return true
	}
	for i := range q.AnyOf {
		if u := &q.AnyOf[i]; u.Type != Null && !u.isFlag() {
			return false
		}
	}
	return q.Type == Boolean || len(q.AnyOf) > 0
}

// isFlagWord reports whether a flag takes a word that follows it.
func (q *Param) isFlagWord(word string) bool {
	_, err := q.coerceWords([]string{word})
	return err == nil
}

// isStructured reports whether the parameter is an object, an array or null: then @FILE and - are no text.
func (q *Param) isStructured() bool {
	if q == nil || len(q.AnyOf) == 0 {
		return q != nil && (q.Type == Object || q.Type == Array)
	}
	return !slices.ContainsFunc(q.AnyOf, func(u Param) bool { return u.Type != Null && !u.isStructured() })
}

// placeholder stands for the value in help and advice.
func (q *Param) placeholder() string {
	switch {
	case len(q.Enum) > 0:
		return strings.Join(q.Enum, "|")
	case q.isStructured() && len(q.AnyOf) > 0:
		return q.AnyOf[0].placeholder()
	}
	return cmp.Or(map[string]string{"": "TEXT", String: "TEXT", Integer: "N", Number: "N", Boolean: "true|false", Array: "'[...]'", Object: "'{...}'"}[q.Type], "VALUE")
}

// coerceWords makes the value from the words given for it: one, or several for an array.
func (q *Param) coerceWords(words []string) (any, error) {
	if len(q.AnyOf) > 0 {
		return q.coerceUnion(words)
	}
	if q.Type == Array {
		return q.coerceArray(words)
	}
	if i := slices.Index(q.Enum, words[0]); i >= 0 && q.Type == "" && len(q.values) == len(q.Enum) {
		return q.values[i], nil
	}
	v, err := q.coerceScalar(words[0])
	if err != nil {
		return nil, err
	}
	return v, q.allows(v)
}

// wrongType says that what is shown is not of the declared type.
func (q *Param) wrongType(shown string) error {
	return fmt.Errorf("%s is not %s", shown, map[string]string{
		String:  "text: put it in quotes",
		Integer: "an integer: write a whole number such as 5",
		Number:  "a number: write one such as 5 or 0.25",
		Boolean: "a boolean: write true or false",
		Array:   "a JSON array: write '[...]', or repeat the parameter",
		Object:  "a JSON object: write '{\"key\": \"value\"}'",
		Null:    "null: write null",
	}[q.Type])
}

// coerceUnion tries the members that the word is the very text of, then text, then
// the other ways to write a value (yes, 1.0), then a word as the one element of an array.
func (q *Param) coerceUnion(words []string) (any, error) {
	var errs []string
	bare := len(words) > 1 || !strings.HasPrefix(strings.TrimSpace(words[0]), "[")
	var members, items []*Param
	for _, u := range q.branches() {
		if u.Type != Array || !bare {
			members = append(members, u)
		} else {
			items = append(items, u.element(0))
		}
	}
	if items != nil {
		members = append(members, &Param{Type: Array, Items: anyOf(items)})
	}
	for pass := range 4 {
		for _, u := range members {
			isBare := bare && u.Type == Array
			if isBare != (pass == 3) || len(words) > 1 && !isBare {
				continue
			}
			v, err := u.coerceWords(words)
			_, isText := v.(string)
			isText = isText && len(u.Enum) == 0
			if err == nil && isText == (pass == 1) && (pass > 0 || isTextOf(v, words[0])) {
				return v, nil
			} else if err != nil && (pass == 0 || isBare) {
				errs = append(errs, err.Error())
			}
		}
	}
	return nil, errors.New(strings.Join(errs, "; "))
}

// anyOf is a parameter that is one of these. Enums of one type are one, and so is what has nothing but a type.
func anyOf(list []*Param) *Param {
	q := &Param{Name: list[0].Name}
	for _, u := range list {
		i := slices.IndexFunc(q.AnyOf, func(have Param) bool {
			return have.Type == u.Type && have.isSimple() && u.isSimple() && (have.Enum == nil) == (u.Enum == nil)
		})
		if i < 0 {
			q.AnyOf = append(q.AnyOf, *u)
			continue
		}
		have := &q.AnyOf[i]
		for j, text := range u.Enum {
			if !slices.Contains(have.Enum, text) {
				have.Enum = append(slices.Clone(have.Enum), text)
				have.values = append(slices.Clone(have.values), u.values[min(j, len(u.values)):min(j+1, len(u.values))]...)
			}
		}
	}
	if len(q.AnyOf) == 1 {
		return &q.AnyOf[0]
	}
	return q
}

// isSimple reports a parameter of which a type and an enum tell all.
func (q *Param) isSimple() bool {
	return q.Type != Object && q.Type != Array && q.AnyOf == nil && q.Min == nil && q.Max == nil && q.Role == "" && q.also == nil && q.lost == nil
}

// branches are the members of a union, and of unions in it.
func (q *Param) branches() (list []*Param) {
	if len(q.AnyOf) == 0 {
		return []*Param{q}
	}
	for i := range q.AnyOf {
		list = append(list, q.AnyOf[i].branches()...)
	}
	return list
}

// isTextOf reports whether a word is how a value prints; of objects and arrays every way is.
func isTextOf(v any, word string) bool {
	switch v.(type) {
	case []any, map[string]any:
		return true
	}
	text, err := wordOf(v)
	return err == nil && text == word
}

func looksLikeJSON(word string) bool {
	word = strings.TrimSpace(word)
	return strings.HasPrefix(word, "[") || strings.HasPrefix(word, "{")
}

// coerceArray takes one JSON array, or each word as an element. Text that begins
// like JSON is an element only of a JSON array, since it is more likely a broken one; but
// a path may.
func (q *Param) coerceArray(words []string) (any, error) {
	if len(words) == 1 && strings.HasPrefix(strings.TrimSpace(words[0]), "[") {
		v, err := DecodeJSON([]byte(words[0]))
		if err != nil {
			return nil, fmt.Errorf("%s is not a JSON array (%v): write '[...]', or repeat the parameter", quoteCut(words[0]), err)
		}
		return v, nil
	}
	out := make([]any, 0, len(words))
	for _, w := range words {
		v, err := q.element(len(out)).coerceWords([]string{w})
		if _, isText := v.(string); isText && looksLikeJSON(w) && q.element(len(out)).Role == "" {
			return nil, fmt.Errorf(`%s is not a JSON array: write '["...", "..."]', also for text that begins with [ or {`, quoteCut(w))
		} else if err != nil {
			return nil, fmt.Errorf("element %d: %w", len(out)+1, err)
		}
		out = append(out, v)
	}
	return out, nil
}

var integer = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[+-]?\d+$`) })
var number = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`) })

func (q *Param) coerceScalar(s string) (any, error) {
	switch q.Type {
	case String:
		return s, nil
	case Integer, Number:
		if !number().MatchString(s) {
			break
		}
		n := json.Number(jsonNumber(s))
		if q.Type == Integer {
			n = wholeNumber(n)
		}
		if q.isOfType(n) {
			return n, nil
		}
	case Boolean:
		switch strings.ToLower(s) {
		case "true", "yes", "on", "1":
			return true, nil
		case "false", "no", "off", "0":
			return false, nil
		}
	case Null:
		if s == "null" {
			return nil, nil
		}
	case Object:
		v, err := DecodeJSON([]byte(s))
		if err != nil {
			return nil, fmt.Errorf("%s is not a JSON object (%v): write '{\"key\": \"value\"}'", quoteCut(s), err)
		}
		if m, ok := v.(map[string]any); ok {
			return m, nil
		}
	default:
		return guessValue(s), nil
	}
	return nil, q.wrongType(quoteCut(s))
}

// wholeNumber is an integer of JSON, where 5.0 and 1e3 are some too (JSON Schema
// 2020-12, section 4.2.3), spelled like a word; else it is n.
func wholeNumber(n json.Number) json.Number {
	m := number().FindStringSubmatch(n.String())
	if m == nil || integer().MatchString(n.String()) || len(n) > 400 || len(m[2]) > len("e+999") { // big numbers cost
		return n
	}
	if r, ok := new(big.Rat).SetString(n.String()); ok && r.IsInt() {
		return json.Number(r.Num().String())
	}
	return n
}

// jsonNumber makes a number JSON's own spelling and keeps every digit that counts.
func jsonNumber(s string) string {
	s, neg := strings.CutPrefix(strings.TrimPrefix(s, "+"), "-")
	mant, exp := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mant, exp = s[:i], s[i:]
	}
	whole, frac, point := strings.Cut(mant, ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if point && frac != "" {
		whole += "." + frac
	}
	if neg {
		whole = "-" + whole
	}
	return whole + exp
}

// allows reports a value that is not in the enum, or a number outside the declared range.
func (q *Param) allows(v any) error {
	n, ok := v.(json.Number)
	if len(q.Enum) > 0 {
		switch v.(type) {
		case []any, map[string]any: // of these an enum is the whole schema's to judge
		default:
			if text, _ := wordOf(v); !slices.Contains(q.Enum, text) {
				return fmt.Errorf("%s is not one of %s", quoteCut(text), strings.Join(q.Enum, ", "))
			}
		}
	}
	if !ok || q.Min == nil && q.Max == nil {
		return nil
	}
	f, err := n.Float64()
	switch {
	case err != nil:
		return fmt.Errorf("%s is out of range", n)
	case q.Min != nil && f < *q.Min:
		return fmt.Errorf("%s is below the least value, %s", n, formatNumber(*q.Min))
	case q.Max != nil && f > *q.Max:
		return fmt.Errorf("%s is above the greatest value, %s", n, formatNumber(*q.Max))
	}
	return nil
}

func formatNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// guessValue is for values of no declared type. It knows arrays and objects of JSON,
// and, where their own text is the word itself, true, false, integers and decimal
// fractions; every other word stays a string.
func guessValue(s string) any {
	if s == "true" || s == "false" {
		return s == "true"
	}
	if s != "" && len(s) < 400 && number().MatchString(s) && jsonNumber(s) == s && !strings.ContainsAny(s, "eE") && s != "-0" {
		return json.Number(s)
	}
	if looksLikeJSON(s) {
		if v, err := DecodeJSON([]byte(s)); err == nil {
			return v
		}
	}
	return s
}

// DecodeJSON decodes one JSON value and nothing after it; numbers stay
// literal (json.Number).
func DecodeJSON(b []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("there is more after the value")
	}
	return v, nil
}
