package stub

import (
	"bytes"
	"encoding/binary"
	"unsafe"

	"github.com/agentbash/agentbash/router/internal/protocol"
)

// client is copied, not called.
func client()

var _ = client

func clientCode() *byte

// end stands behind the last instruction of client.
const end = uint64(0x646e65206465444d)

// Where things are in the file; all of it is loaded at base. client knows these
// places.
const (
	base      = 0x400000
	params    = 0x100 // the length of the address, then:
	sockaddr  = params + 0x08
	devNull   = params + 0x80
	messages  = params + 0xa0 // address and length of each
	texts     = params + 0xe0
	code      = 0x800
	maxSocket = 107 // bytes of a path that struct sockaddr_un holds, with its NUL
)

// Program returns the program that calls the host at the socket, or nil if
// there is none for this system or this path.
func Program(socket string) []byte {
	machine := machineCode()
	if machine == nil || len(socket) > maxSocket {
		return nil
	}
	file := make([]byte, code, code+len(machine))
	le := binary.LittleEndian
	writeHeader(file, uint64(code+len(machine)))
	le.PutUint32(file[params:], uint32(2+len(socket)+1))
	le.PutUint16(file[sockaddr:], 1) // AF_UNIX
	copy(file[sockaddr+2:], socket)
	copy(file[devNull:], "/dev/null")
	at := texts
	for i, text := range []string{": " + protocol.NoHost + "\n", ": " + protocol.Others + "\n", ": " + protocol.Lost + "\n", protocol.NoName + "\n"} {
		le.PutUint64(file[messages+16*i:], uint64(base+at))
		le.PutUint64(file[messages+16*i+8:], uint64(len(text)))
		at += copy(file[at:code], text)
	}
	return append(file, machine...)
}

// machineCode is the function client as it stands in this program's text.
func machineCode() []byte {
	const most = 4096
	text := unsafe.Slice(clientCode(), most)
	mark := binary.LittleEndian.AppendUint64(nil, end)
	n := bytes.Index(text, mark)
	if n < 0 {
		return nil
	}
	return bytes.Clone(text[:n])
}

// writeHeader writes an ELF header and two program headers (System V ABI, chapters 4
// and 5): all of the file, readable and executable, and a stack that is not
// executable.
func writeHeader(file []byte, size uint64) {
	const (
		headerSize, programSize       = 64, 56
		class64, littleEndian         = 2, 1
		executable, amd64, version1   = 2, 62, 1
		load, gnuStack                = 1, 0x6474e551
		canExecute, canWrite, canRead = 1, 2, 4
	)
	le := binary.LittleEndian
	copy(file, "\x7fELF")
	file[4], file[5], file[6] = class64, littleEndian, version1
	le.PutUint16(file[16:], executable)
	le.PutUint16(file[18:], amd64)
	le.PutUint32(file[20:], version1)
	le.PutUint64(file[24:], base+code) // where it starts
	le.PutUint64(file[32:], headerSize)
	le.PutUint16(file[52:], headerSize)
	le.PutUint16(file[54:], programSize)
	le.PutUint16(file[56:], 2)
	all := file[headerSize:]
	le.PutUint32(all, load)
	le.PutUint32(all[4:], canRead|canExecute)
	le.PutUint64(all[16:], base)
	le.PutUint64(all[24:], base)
	le.PutUint64(all[32:], size)
	le.PutUint64(all[40:], size)
	le.PutUint64(all[48:], 0x1000)
	stack := all[programSize:]
	le.PutUint32(stack, gnuStack)
	le.PutUint32(stack[4:], canRead|canWrite)
	le.PutUint64(stack[48:], 16)
}
