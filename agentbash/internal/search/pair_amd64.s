#include "textflag.h"

// func indexPair(p *byte, n, apart int, a, a2, b, b2 byte) int
//
// Two rounds of 32 places are tested at once. The loop for one case of each
// byte has half of the comparisons.
TEXT ·indexPair(SB), NOSPLIT, $0-40
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ apart+16(FP), DI
	VPBROADCASTB a+24(FP), Y0
	VPBROADCASTB a2+25(FP), Y1
	VPBROADCASTB b+26(FP), Y2
	VPBROADCASTB b2+27(FP), Y3
	ADDQ SI, DI
	XORQ AX, AX
	SUBQ $32, CX        // the last place at which 32 bytes can be taken
	LEAQ -32(CX), DX    // and 64
	MOVWLZX a+24(FP), R8
	MOVL R8, R9
	SHRL $8, R9
	CMPB R8, R9
	JNE cases
	MOVWLZX b+26(FP), R8
	MOVL R8, R9
	SHRL $8, R9
	CMPB R8, R9
	JNE cases
	CMPQ AX, DX
	JGT single

loop1:
	VPCMPEQB (SI)(AX*1), Y0, Y4
	VPCMPEQB (DI)(AX*1), Y2, Y5
	VPCMPEQB 32(SI)(AX*1), Y0, Y6
	VPCMPEQB 32(DI)(AX*1), Y2, Y7
	VPAND Y4, Y5, Y4
	VPAND Y6, Y7, Y6
	VPOR Y4, Y6, Y8
	VPTEST Y8, Y8
	JNZ found2
	ADDQ $64, AX
	CMPQ AX, DX
	JLE loop1
	JMP single

cases:
	CMPQ AX, DX
	JGT single

loop2:
	VMOVDQU (SI)(AX*1), Y4
	VMOVDQU (DI)(AX*1), Y5
	VMOVDQU 32(SI)(AX*1), Y6
	VMOVDQU 32(DI)(AX*1), Y7
	VPCMPEQB Y4, Y0, Y8
	VPCMPEQB Y4, Y1, Y4
	VPCMPEQB Y5, Y2, Y9
	VPCMPEQB Y5, Y3, Y5
	VPOR Y8, Y4, Y4
	VPOR Y9, Y5, Y5
	VPAND Y4, Y5, Y4
	VPCMPEQB Y6, Y0, Y8
	VPCMPEQB Y6, Y1, Y6
	VPCMPEQB Y7, Y2, Y9
	VPCMPEQB Y7, Y3, Y7
	VPOR Y8, Y6, Y6
	VPOR Y9, Y7, Y7
	VPAND Y6, Y7, Y6
	VPOR Y4, Y6, Y8
	VPTEST Y8, Y8
	JNZ found2
	ADDQ $64, AX
	CMPQ AX, DX
	JLE loop2

single: // less than 64 places are left
	CMPQ AX, CX
	JGT tail

round:
	VMOVDQU (SI)(AX*1), Y4
	VMOVDQU (DI)(AX*1), Y5
	VPCMPEQB Y4, Y0, Y6
	VPCMPEQB Y4, Y1, Y7
	VPCMPEQB Y5, Y2, Y8
	VPCMPEQB Y5, Y3, Y9
	VPOR Y6, Y7, Y6
	VPOR Y8, Y9, Y8
	VPAND Y6, Y8, Y4
	VPMOVMSKB Y4, BX
	TESTL BX, BX
	JNZ found
	ADDQ $32, AX
	JMP single

tail: // less than 32 are left: test the last 32, some of them again
	LEAQ -32(AX), DX
	CMPQ DX, CX
	JEQ none
	MOVQ CX, AX
	JMP round

found2:
	VPMOVMSKB Y4, BX
	TESTL BX, BX
	JNZ found
	ADDQ $32, AX
	VPMOVMSKB Y6, BX

found:
	BSFL BX, BX
	ADDQ BX, AX
	VZEROUPPER
	MOVQ AX, ret+32(FP)
	RET

none:
	VZEROUPPER
	MOVQ $-1, ret+32(FP)
	RET

// func countLines(p *byte, n int) (newlines int, least uint8)
//
// Y2 counts newlines in each of its 32 bytes, for 255 rounds at most; then
// their sums are added to Y3. Y4 holds the least byte seen in each place.
TEXT ·countLines(SB), NOSPLIT, $0-25
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ $10, AX
	MOVQ AX, X0
	VPBROADCASTB X0, Y0 // newlines
	VPXOR Y1, Y1, Y1    // zero
	VPXOR Y3, Y3, Y3
	VPCMPEQB Y4, Y4, Y4 // all ones
	SHRQ $5, CX         // rounds of 32 bytes

block:
	VPXOR Y2, Y2, Y2
	MOVQ $255, BX
	CMPQ CX, BX
	CMOVQLT CX, BX
	SUBQ BX, CX

round:
	VMOVDQU (SI), Y5
	VPCMPEQB Y5, Y0, Y6
	VPMINUB Y5, Y4, Y4
	VPSUBB Y6, Y2, Y2 // a match is -1
	ADDQ $32, SI
	DECQ BX
	JNZ round
	VPSADBW Y2, Y1, Y2
	VPADDQ Y2, Y3, Y3
	TESTQ CX, CX
	JNZ block

	VEXTRACTI128 $1, Y3, X5
	VPADDQ X5, X3, X3
	VPSRLDQ $8, X3, X5
	VPADDQ X5, X3, X3
	VMOVQ X3, AX
	VPCMPEQB Y4, Y1, Y4 // places that held a zero byte
	VPMOVMSKB Y4, BX
	TESTL BX, BX
	SETEQ BX
	VZEROUPPER
	MOVQ AX, newlines+16(FP)
	MOVB BX, least+24(FP)
	RET
