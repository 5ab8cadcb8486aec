#include "textflag.h"

// LOOKUP leaves in a the groups that the 32 bytes at an offset can belong to.
#define LOOKUP(offset, low, high, a, b) \
	VMOVDQU offset(SI)(AX*1), a \
	VPSRLW $4, a, b \
	VPAND Y6, a, a \
	VPAND Y6, b, b \
	VPSHUFB a, low, a \
	VPSHUFB b, high, b \
	VPAND a, b, a

// func findBytes(p *byte, n int, masks *[3][2][32]byte) int
TEXT ·findBytes(SB), NOSPLIT, $0-32
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ masks+16(FP), DI
	VMOVDQU (DI), Y0
	VMOVDQU 32(DI), Y1
	VMOVDQU 64(DI), Y2
	VMOVDQU 96(DI), Y3
	VMOVDQU 128(DI), Y4
	VMOVDQU 160(DI), Y5
	MOVQ $0x0f0f0f0f0f0f0f0f, AX
	MOVQ AX, X6
	VPBROADCASTQ X6, Y6
	XORQ AX, AX
	SUBQ $32, CX // the last place at which 32 can be tested

round:
	LOOKUP(0, Y0, Y1, Y8, Y9)
	LOOKUP(1, Y2, Y3, Y10, Y11)
	LOOKUP(2, Y4, Y5, Y12, Y13)
	VPAND Y8, Y10, Y8
	VPAND Y8, Y12, Y8
	VPTEST Y8, Y8
	JNZ found
	ADDQ $32, AX
	CMPQ AX, CX
	JLE round

	LEAQ -32(AX), DX // less than 32 are left: test the last 32, some of them again
	CMPQ DX, CX
	JEQ none
	MOVQ CX, AX
	JMP round

found:
	VPXOR Y7, Y7, Y7
	VPCMPEQB Y7, Y8, Y8
	VPMOVMSKB Y8, BX
	NOTL BX
	BSFL BX, BX
	ADDQ BX, AX
	VZEROUPPER
	MOVQ AX, ret+24(FP)
	RET

none:
	VZEROUPPER
	MOVQ $-1, ret+24(FP)
	RET
