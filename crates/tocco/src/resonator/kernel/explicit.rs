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
            use crate::resonator::kernel::{Held, LANES, Line, State, StateMut, Step, join};

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

            /// One chunk of [`held`]; adds to the sums.
            #[inline]
            #[target_feature(enable = $feature)]
            fn hold(modes: &mut Held, force: $vector, stroke: &mut [$vector; PARTS], speed: &mut [$vector; PARTS]) {
                let Held { t, u, a, b, c, e, g, k } = modes;
                for part in 0..PARTS {
                    let d1 = $add(load(t, part), $mul(load(g, part), force));
                    let p1 = $add(load(u, part), $mul(load(k, part), force));
                    let t1 = $add($mul(load(a, part), d1), $mul(load(b, part), p1));
                    let u1 = $add($mul(load(c, part), d1), $mul(load(e, part), p1));
                    store(t, part, t1);
                    store(u, part, u1);
                    stroke[part] = $add(stroke[part], t1);
                    speed[part] = $add(speed[part], u1);
                }
            }

            #[target_feature(enable = $feature)]
            pub fn held(modes: &mut [Held], last_force: Real) -> (Real, Real) {
                let force = $all(last_force);
                let (mut stroke, mut speed) = ([$all(0.0); PARTS], [$all(0.0); PARTS]);
                // Four by four: a seventh less time on large banks.
                let (fours, rest) = modes.as_chunks_mut::<4>();
                for four in fours {
                    for modes in four {
                        hold(modes, force, &mut stroke, &mut speed);
                    }
                }
                for modes in rest {
                    hold(modes, force, &mut stroke, &mut speed);
                }
                (sum(&stroke), sum(&speed))
            }
        }
    };
}
pub(super) use explicit;
