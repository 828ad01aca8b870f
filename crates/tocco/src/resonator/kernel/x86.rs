// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernels of sustained contact in vectors of four and of eight.

use super::explicit::explicit;
use core::arch::x86_64::*;

explicit!(lanes4, "avx2", __m256d, 4, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_set1_pd, _mm256_mul_pd, _mm256_add_pd);
explicit!(
    lanes8,
    "avx512f",
    __m512d,
    8,
    _mm512_loadu_pd,
    _mm512_storeu_pd,
    _mm512_set1_pd,
    _mm512_mul_pd,
    _mm512_add_pd
);
