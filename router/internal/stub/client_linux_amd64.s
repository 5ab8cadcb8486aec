#include "textflag.h"

// The program is loaded here, headers and all; params follows the headers. The
// offsets are those of elf_linux_amd64.go.
#define PARAMS   0x400100
#define SOCKADDR (PARAMS+0x08)
#define DEVNULL  (PARAMS+0x80)
#define NOHOST   (PARAMS+0xa0)
#define OTHERS   (PARAMS+0xb0)
#define LOST     (PARAMS+0xc0)
#define NONAME   (PARAMS+0xd0)

// What is on the stack, from R15.
#define MSGHDR 0
#define IOV    64
#define CMSG   128
#define SIZE   192
#define ANSWER 200
#define CWD    512

#define EPERM  -1
#define EINTR  -4
#define EACCES -13

// func client()
//
// It is copied into a file of its own and never called. It starts as the kernel
// starts a program: argc is at 0(SP), argv behind it, and the words of argv
// stand in memory one after another, each ended by a NUL (execve(2), the
// System V ABI for AMD64, 3.4.1). It refers to no symbol, calls nothing, and
// lives in registers that system calls leave alone: R13 is the command's name,
// R14 the end of the last word, BX the socket. Below SP is free memory: there
// are no signal handlers.
TEXT ·client(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ SP, R12
	LEAQ -0x2000(R12), R15
	MOVQ 0(R12), AX
	TESTQ AX, AX
	JZ   noname
	MOVQ 8(R12), R13
	MOVQ (R12)(AX*8), R14

lastword:
	MOVBLZX (R14), CX
	INCQ    R14
	TESTB   CX, CX
	JNZ     lastword

	// The name is what stands behind the last slash of argv[0].
	MOVQ R13, SI

basename:
	MOVBLZX (SI), CX
	INCQ    SI
	CMPB    CX, $0x2f
	JNE     noslash
	MOVQ    SI, R13

noslash:
	TESTB CX, CX
	JNZ   basename

	// "agent:call" takes the name as its first argument.
	MOVQ $0x61633a746e656761, CX
	CMPQ CX, (R13)
	JNE  named
	MOVL 7(R13), CX
	CMPL CX, $0x006c6c61
	JNE  named
	CMPQ 0(R12), $2
	JLT  noname
	MOVQ 16(R12), R13

named:
	// A descriptor that is closed is opened on /dev/null, to be read: who
	// writes to it gets an error. The lowest free number is its own.
	XORL BX, BX

descriptor:
	MOVL  BX, DI
	MOVL  $1, SI          // F_GETFD
	MOVL  $72, AX         // fcntl
	SYSCALL
	TESTQ AX, AX
	JGE   isopen
	MOVL  $DEVNULL, DI
	XORL  SI, SI          // O_RDONLY
	MOVL  $2, AX          // open
	SYSCALL

isopen:
	INCL BX
	CMPL BX, $3
	JLT  descriptor

	MOVL  $1, DI          // AF_UNIX
	MOVL  $0x80001, SI    // SOCK_STREAM|SOCK_CLOEXEC
	XORL  DX, DX
	MOVL  $41, AX         // socket
	SYSCALL
	TESTQ AX, AX
	JLT   nohost
	MOVQ  AX, BX

connect:
	MOVQ  BX, DI
	MOVL  $PARAMS, CX
	MOVL  (CX), DX
	MOVL  $SOCKADDR, SI
	MOVL  $42, AX         // connect
	SYSCALL
	CMPQ  AX, $EINTR
	JEQ   connect
	CMPQ  AX, $EACCES
	JEQ   others
	CMPQ  AX, $EPERM
	JEQ   others
	TESTQ AX, AX
	JLT   nohost

	LEAQ  CWD(R15), DI
	MOVL  $4096, SI
	MOVL  $79, AX         // getcwd, whose length counts the NUL
	SYSCALL
	TESTQ AX, AX
	JGT   haveDir
	MOVB  $0, CWD(R15)
	MOVL  $1, AX

haveDir:
	// The message: its size (4 bytes, big endian), the directory, the words.
	LEAQ   SIZE(R15), CX
	MOVQ   CX, (IOV+0)(R15)
	MOVQ   $4, (IOV+8)(R15)
	LEAQ   CWD(R15), CX
	MOVQ   CX, (IOV+16)(R15)
	MOVQ   AX, (IOV+24)(R15)
	MOVQ   R14, DX
	SUBQ   R13, DX
	MOVQ   R13, (IOV+32)(R15)
	MOVQ   DX, (IOV+40)(R15)
	ADDQ   DX, AX
	MOVL   AX, CX
	BSWAPL CX
	MOVL   CX, SIZE(R15)
	LEAQ   4(AX), R12      // what has to be sent

	MOVQ $0, (MSGHDR+0)(R15)
	MOVQ $0, (MSGHDR+8)(R15)
	LEAQ IOV(R15), CX
	MOVQ CX, (MSGHDR+16)(R15)
	MOVQ $3, (MSGHDR+24)(R15)
	LEAQ CMSG(R15), CX
	MOVQ CX, (MSGHDR+32)(R15)
	MOVQ $32, (MSGHDR+40)(R15)
	MOVQ $0, (MSGHDR+48)(R15)
	MOVQ $28, (CMSG+0)(R15)
	MOVL $1, (CMSG+8)(R15)  // SOL_SOCKET
	MOVL $1, (CMSG+12)(R15) // SCM_RIGHTS
	MOVL $0, (CMSG+16)(R15)
	MOVL $1, (CMSG+20)(R15)
	MOVL $2, (CMSG+24)(R15)
	MOVL $0, (CMSG+28)(R15)

send:
	MOVQ BX, DI
	MOVQ R15, SI
	MOVL $0x4000, DX      // MSG_NOSIGNAL
	MOVL $46, AX          // sendmsg
	SYSCALL
	CMPQ AX, $EINTR
	JEQ  send
	CMPQ AX, R12
	JNE  lost
	XORL R12, R12         // bytes of the answer

answer:
	MOVQ  BX, DI
	LEAQ  ANSWER(R15)(R12*1), SI
	MOVL  $2, DX
	SUBL  R12, DX
	XORL  AX, AX          // read
	SYSCALL
	CMPQ  AX, $EINTR
	JEQ   answer
	TESTQ AX, AX
	JLE   lost
	ADDQ  AX, R12
	CMPQ  R12, $2
	JLT   answer
	CMPB  ANSWER(R15), $0x52 // incall.Reply
	JNE   lost
	MOVBLZX (ANSWER+1)(R15), DI

exit:
	MOVL $231, AX         // exit_group
	SYSCALL

noname:
	MOVL $NONAME, CX
	MOVL $2, DI
	MOVQ 0(CX), SI
	MOVQ 8(CX), DX
	MOVL $1, AX           // write
	SYSCALL
	MOVL $2, DI           // usage
	JMP  exit

nohost:
	MOVL $NOHOST, CX
	JMP  complain

others:
	MOVL $OTHERS, CX
	JMP  complain

lost:
	MOVL $LOST, CX

complain:
	// The command's name and the message, in one write.
	MOVQ 0(CX), AX
	MOVQ AX, (IOV+16)(R15)
	MOVQ 8(CX), AX
	MOVQ AX, (IOV+24)(R15)
	MOVQ R13, SI

nameend:
	MOVBLZX (SI), CX
	INCQ    SI
	TESTB   CX, CX
	JNZ     nameend
	DECQ    SI
	SUBQ    R13, SI
	MOVQ    R13, (IOV+0)(R15)
	MOVQ    SI, (IOV+8)(R15)
	MOVL    $2, DI
	LEAQ    IOV(R15), SI
	MOVL    $2, DX
	MOVL    $20, AX       // writev
	SYSCALL
	MOVL    $3, DI        // transport
	JMP     exit

	// elf_linux_amd64.go looks for this to find the end.
	QUAD $0x646e65206465444d

// func clientCode() *byte
TEXT ·clientCode(SB), NOSPLIT, $0-8
	LEAQ ·client(SB), AX
	MOVQ AX, ret+0(FP)
	RET
