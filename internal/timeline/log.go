package timeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
)

// Read returns the records of a log, each a line of JSON; a line that was cut off is passed
// over, and where there is no log there are none.
func Read[T any](path string) (list []T, err error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for line := range bytes.Lines(b) {
		var one T
		if json.Unmarshal(line, &one) == nil {
			list = append(list, one)
		}
	}
	return list, err
}

// Append adds a record to a log, which is made if need be, for its owner alone.
func Append[T any](path string, record T) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(Encode([]T{record}))
	return errors.Join(err, f.Close())
}

// Encode is a log of these records, which JSON can hold.
func Encode[T any](list []T) []byte {
	var b bytes.Buffer
	for _, one := range list {
		line, err := json.Marshal(one)
		if err != nil {
			panic(err)
		}
		b.Write(append(line, '\n'))
	}
	return b.Bytes()
}
