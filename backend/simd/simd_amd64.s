#include "textflag.h"

// func dotsAVX2(dst, query, rows *float32, n, dim int)
//
// A row's sum is kept in 4 × 8 parts by the position of the value modulo 32, so
// that the additions overlap; the values behind the last whole 8 go to a part of
// their own.
TEXT ·dotsAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ query+8(FP), R8
	MOVQ rows+16(FP), SI
	MOVQ n+24(FP), CX
	MOVQ dim+32(FP), R9

row:
	MOVQ   R8, DX
	MOVQ   R9, BX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS X8, X8, X8
	SUBQ   $32, BX
	JLT    eights

by32:
	VMOVUPS     (DX), Y4
	VMOVUPS     32(DX), Y5
	VMOVUPS     64(DX), Y6
	VMOVUPS     96(DX), Y7
	VFMADD231PS (SI), Y4, Y0
	VFMADD231PS 32(SI), Y5, Y1
	VFMADD231PS 64(SI), Y6, Y2
	VFMADD231PS 96(SI), Y7, Y3
	ADDQ        $128, DX
	ADDQ        $128, SI
	SUBQ        $32, BX
	JGE         by32

eights:
	ADDQ $24, BX
	JLT  ones

by8:
	VMOVUPS     (DX), Y4
	VFMADD231PS (SI), Y4, Y0
	ADDQ        $32, DX
	ADDQ        $32, SI
	SUBQ        $8, BX
	JGE         by8

ones:
	ADDQ $8, BX
	JZ   sum

by1:
	VMOVSS      (DX), X4
	VFMADD231SS (SI), X4, X8
	ADDQ        $4, DX
	ADDQ        $4, SI
	DECQ        BX
	JNZ         by1

sum:
	VADDPS       Y1, Y0, Y0
	VADDPS       Y3, Y2, Y2
	VADDPS       Y2, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VHADDPS      X0, X0, X0
	VHADDPS      X0, X0, X0
	VADDSS       X8, X0, X0
	VMOVSS       X0, (DI)
	ADDQ         $4, DI
	DECQ         CX
	JNZ          row
	VZEROUPPER
	RET

// func dots4AVX2(dst *int32, query *int16, rows *int8, m, dim, dim16 int)
//
// Sixteen values of a row are widened to 16 bits and multiplied with each of the
// four query rows; pairs of products are added to 32 bits, which no product of
// 8-bit values overflows.
TEXT ·dots4AVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ query+8(FP), R8
	MOVQ rows+16(FP), SI
	MOVQ m+24(FP), CX
	MOVQ dim+32(FP), R9
	MOVQ dim16+40(FP), R10
	LEAQ (R10)(R10*1), R11    // bytes of a query row
	LEAQ (R11)(R11*2), R12    // of three
	LEAQ (CX)(CX*2), R13      // results of three query rows
	MOVQ CX, R14              // results of one

next:
	MOVQ  SI, AX
	MOVQ  R8, DX
	MOVQ  R10, BX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3

by16:
	VPMOVSXBW (AX), Y4
	VPMADDWD  (DX), Y4, Y5
	VPMADDWD  (DX)(R11*1), Y4, Y6
	VPMADDWD  (DX)(R11*2), Y4, Y7
	VPMADDWD  (DX)(R12*1), Y4, Y8
	VPADDD    Y5, Y0, Y0
	VPADDD    Y6, Y1, Y1
	VPADDD    Y7, Y2, Y2
	VPADDD    Y8, Y3, Y3
	ADDQ      $16, AX
	ADDQ      $32, DX
	SUBQ      $16, BX
	JNZ       by16

	// The four sums of eight become the four values of X0.
	VPHADDD      Y1, Y0, Y0
	VPHADDD      Y3, Y2, Y2
	VPHADDD      Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, (DI)
	VPEXTRD      $1, X0, (DI)(R14*4)
	VPEXTRD      $2, X0, (DI)(R14*8)
	VPEXTRD      $3, X0, (DI)(R13*4)
	ADDQ         $4, DI
	ADDQ         R9, SI
	DECQ         CX
	JNZ          next
	VZEROUPPER
	RET
