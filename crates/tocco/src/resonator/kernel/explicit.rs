// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two kernels of sustained contact in explicit vectors: compilers pair the two rows of the state instead of the
//! lanes when left alone. Same operations in the same order as `step` and `held` of `lanes.rs`.

macro_rules! explicit {
    (
        $module:ident, $feature:literal, $vector:ident, $width:literal,
        $load:ident, $store:ident, $all:ident, $mul:ident, $add:ident
    ) => {
        #[allow(clippy::needless_range_loop, reason = "a lane is an index: the same one in every operand")]
        pub mod $module {
            use super::*;
            use crate::math::Real;
            use crate::resonator::kernel::{HeldStep, LANES, Line, State, StateMut, Step, join};

            const PARTS: usize = LANES / $width;

            #[inline]
            #[target_feature(enable = $feature)]
            fn load(line: &Line, part: usize) -> $vector {
                // SAFETY: `part < PARTS`, so the read stays inside the line's eight numbers.
                unsafe { $load(line.0[part * $width..].as_ptr()) }
            }

            #[inline]
            #[target_feature(enable = $feature)]
            fn store(line: &mut Line, part: usize, value: $vector) {
                // SAFETY: `part < PARTS`, so the write stays inside the line's eight numbers.
                unsafe { $store(line.0[part * $width..].as_mut_ptr(), value) }
            }

            #[inline]
            #[target_feature(enable = $feature)]
            fn sum(parts: &[$vector; PARTS]) -> Real {
                let mut line = Line::ZERO;
                for part in 0..PARTS {
                    store(&mut line, part, parts[part]);
                }
                join(&line.0)
            }

            #[target_feature(enable = $feature)]
            pub fn step(
                State { q, p }: StateMut,
                Step { qq, qp, pq, pp, bq, bp }: Step<&[Line]>,
                shape: &[Line],
                force: Real,
                watch: &[Line],
                tap: &[Line],
            ) -> (Real, Real) {
                let n = q.len();
                let p = &mut p[..n];
                let (qq, qp, pq, pp) = (&qq[..n], &qp[..n], &pq[..n], &pp[..n]);
                let (bq, bp) = (&bq[..n], &bp[..n]);
                let (shape, watch, tap) = (&shape[..n], &watch[..n], &tap[..n]);
                let force = $all(force);
                let (mut stroke, mut speed) = ([$all(0.0); PARTS], [$all(0.0); PARTS]);
                for i in 0..n {
                    for part in 0..PARTS {
                        let f = $mul(load(&shape[i], part), force);
                        let (q0, p0) = (load(&q[i], part), load(&p[i], part));
                        let (a, b) = (load(&qq[i], part), load(&qp[i], part));
                        let dq = $add($add($mul(a, q0), $mul(b, p0)), $mul(load(&bq[i], part), f));
                        let dp = $add($mul(load(&pq[i], part), q0), $mul(load(&pp[i], part), p0));
                        let q1 = $add(q0, dq);
                        let p1 = $add(p0, $add(dp, $mul(load(&bp[i], part), f)));
                        store(&mut q[i], part, q1);
                        store(&mut p[i], part, p1);
                        let next = $add($mul(a, q1), $mul(b, p1));
                        stroke[part] = $add(stroke[part], $mul(load(&watch[i], part), next));
                        speed[part] = $add(speed[part], $mul(load(&tap[i], part), p1));
                    }
                }
                (sum(&stroke), sum(&speed))
            }

            #[target_feature(enable = $feature)]
            pub fn held(
                State { q: d, p }: StateMut,
                HeldStep { a, b, c, e, g, k }: HeldStep<&[Line]>,
                force: Real,
            ) -> (Real, Real) {
                let n = d.len();
                let p = &mut p[..n];
                let (a, b, c, e, g, k) = (&a[..n], &b[..n], &c[..n], &e[..n], &g[..n], &k[..n]);
                let force = $all(force);
                let (mut stroke, mut speed) = ([$all(0.0); PARTS], [$all(0.0); PARTS]);
                for i in 0..n {
                    for part in 0..PARTS {
                        let (d0, p0) = (load(&d[i], part), load(&p[i], part));
                        let d1 = $add($mul(load(&a[i], part), d0), $mul(load(&b[i], part), p0));
                        let p1 = $add($mul(load(&c[i], part), d0), $mul(load(&e[i], part), p0));
                        let d1 = $add(d1, $mul(load(&g[i], part), force));
                        let p1 = $add(p1, $mul(load(&k[i], part), force));
                        store(&mut d[i], part, d1);
                        store(&mut p[i], part, p1);
                        stroke[part] = $add(stroke[part], d1);
                        speed[part] = $add(speed[part], p1);
                    }
                }
                (sum(&stroke), sum(&speed))
            }
        }
    };
}
pub(super) use explicit;
