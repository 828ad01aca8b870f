// SPDX-License-Identifier: MIT OR Apache-2.0
//! A contact that lasts: what most samples of most contacts are, looked up once for a whole stretch of them.
//!
//! **What.** An island of one contact that is closed, at one step per sample, with nothing on the move but forces and guided
//! velocities. [`World::step`] of such a sample is what [`Lasting::step`] does, without its loops; any other is left to it.
//!
//! **Step.** The stretch is one loop for each pair of bodies and law that are met most ([`Lasting::lend`]), written once and compiled
//! for each, and for the vectors that the processor has: half of what a sample of a small body costs was finding out what it is,
//! and a tenth the way of numbers through memory from one function to the next.
//!
//! **Sources.** Rath 2004; physics.md D.2, D.4.

use super::world::{Health, World};
use super::{Contact, Law, Site};
use crate::interactor::Solution;
use crate::interactor::friction::Friction;
use crate::interactor::impact::Spring;
use crate::math::Real;
use crate::resonator::Resonator;
use crate::resonator::inertial::Mass;
use crate::resonator::kernel::Path;
use crate::resonator::modal::Modal;
use crate::resonator::partials::Partials;
use core::any::Any;

/// One partner of the contact.
struct Partner<'a, B: ?Sized> {
    site: Site,
    body: &'a mut B,
    /// It yields to nothing, and moves at this velocity, m/s.
    rigid: Option<Real>,
    /// Forces of outsiders at its ports, N, and whether they move it.
    forces: &'a mut [Real],
    pushed: bool,
}

/// The contact with all that its samples need.
pub(crate) struct Lasting<'a, A: ?Sized, B: ?Sized> {
    pub index: usize,
    pub contact: &'a mut Contact,
    first: Partner<'a, A>,
    second: Partner<'a, B>,
    /// Of both partners, m/N.
    compliance: Real,
    sample_s: Real,
    max_level: usize,
    work: &'a mut Real,
    health: &'a mut Health,
    path: Path,
}

/// Who takes a stretch of such samples.
pub(crate) trait Borrower {
    /// Takes it; returns the first sample that is not done.
    fn take<A: Resonator + ?Sized, B: Resonator + ?Sized, L: Kind>(self, lasting: Lasting<'_, A, B>) -> usize;
}

/// What a law is told of a step.
pub(crate) struct Task {
    from: Real,
    s0: Real,
    compliance: Real,
    dt: Real,
    guess: Real,
}

/// Which law it is, for laws that are met most.
pub(crate) trait Kind {
    /// A whole step, with something beside it: [`Interactor::step`](crate::interactor::Interactor::step).
    fn step(law: &mut Law, task: &Task, beside: impl FnMut()) -> Solution;
}

/// Any law.
struct Unknown;
/// [`Friction`].
struct Rubs;
/// [`Spring`].
struct Springs;

impl Kind for Unknown {
    #[inline]
    fn step(law: &mut Law, task: &Task, mut beside: impl FnMut()) -> Solution {
        let &Task { from, s0, compliance, dt, guess } = task;
        law.step(from, s0, compliance, dt, guess, &mut beside)
    }
}

impl Kind for Rubs {
    #[inline(always)]
    fn step(law: &mut Law, task: &Task, beside: impl FnMut()) -> Solution {
        let &Task { from, s0, compliance, dt, guess } = task;
        // SAFETY: this kind is lent where the law was asked, and none takes its place in a stretch.
        unsafe { law.trusted::<Friction>() }.step_here(from, s0, compliance, dt, guess, beside)
    }
}

impl Kind for Springs {
    #[inline(always)]
    fn step(law: &mut Law, task: &Task, _beside: impl FnMut()) -> Solution {
        let &Task { from, s0, compliance, dt, guess } = task;
        // SAFETY: as above.
        unsafe { law.trusted::<Spring>() }.step_here(from, s0, compliance, dt, guess)
    }
}

/// The loop in 256-bit vectors and instructions that name where they write.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn take_avx2<A: Resonator + ?Sized, B: Resonator + ?Sized, L: Kind>(
    to: impl Borrower,
    lasting: Lasting<'_, A, B>,
) -> usize {
    to.take::<A, B, L>(lasting)
}

/// The same in 512-bit vectors.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn take_avx512<A: Resonator + ?Sized, B: Resonator + ?Sized, L: Kind>(
    to: impl Borrower,
    lasting: Lasting<'_, A, B>,
) -> usize {
    to.take::<A, B, L>(lasting)
}

impl World {
    /// The contact of an island that may last; none if its samples need [`World::step`]. `[audio]`
    #[inline]
    pub(crate) fn lasting(&mut self, island: usize) -> Option<Lasting<'_, dyn Resonator, dyn Resonator>> {
        let Self { islands, contacts, bodies, forces, pushed, rigid, linked, matrix, work, health, .. } = self;
        let group = &islands[island];
        if group.contacts.1 - group.contacts.0 != 1
            || group.level != 0
            || !group.fresh
            || group.moving
            || group.relabels
        {
            return None;
        }
        let index = linked[group.contacts.0];
        let contact = &mut contacts[index];
        let plain =
            contact.estimated && contact.texture.is_none() && contact.travel.is_none() && contact.last_touch.is_some();
        if !plain || contact.exact || contact.law.presser().is_some() {
            return None;
        }
        if !contact.law.engages(contact.compression, 0.0) {
            return None;
        }
        let (a, b) = (contact.a, contact.b);
        let pair = [a.body, b.body];
        let Ok([first, second]) = bodies.get_disjoint_mut(pair) else { return None };
        let Ok([on_first, on_second]) = forces.get_disjoint_mut(pair) else { return None };
        let partner = |site: Site, body, forces| Partner::new(site, body, rigid[site.body], forces, pushed[site.body]);
        Some(Lasting {
            index,
            contact,
            first: partner(a, &mut **first, on_first),
            second: partner(b, &mut **second, on_second),
            compliance: matrix[group.matrix],
            sample_s: self.sample_s,
            max_level: self.max_level,
            work,
            health,
            path: self.path,
        })
    }
}

impl<'a> Partner<'a, dyn Resonator> {
    fn new(site: Site, body: &'a mut dyn Resonator, rigid: bool, forces: &'a mut [Real], pushed: bool) -> Self {
        let rigid = rigid.then(|| body.velocity(0));
        Self { site, body, rigid, forces, pushed }
    }

    fn is<T: Resonator>(&self) -> bool {
        (&*self.body as &dyn Any).is::<T>()
    }

    /// The same where the kind of body is known.
    fn known<T: Resonator>(self) -> Option<Partner<'a, T>> {
        let Self { site, body, rigid, forces, pushed } = self;
        let body = (body as &mut dyn Any).downcast_mut()?;
        Some(Partner { site, body, rigid, forces, pushed })
    }
}

impl<B: Resonator + ?Sized> Partner<'_, B> {
    /// How far it would go in the coming step without the contact's force, m.
    #[inline(always)]
    fn free_stroke(&mut self, dt: Real) -> Real {
        if let Some(velocity) = self.rigid {
            return dt * velocity;
        }
        if self.pushed {
            for (port, &force) in self.forces.iter().enumerate() {
                if force != 0.0 {
                    self.body.push(port, force);
                }
            }
        }
        self.body.free_stroke(self.site.port)
    }

    /// True if it may step ahead while the contact is solved.
    #[inline(always)]
    fn begins(&self) -> bool {
        self.rigid.is_none() && !self.pushed && self.body.begins(self.site.port)
    }

    /// The step under the contact's force; returns the work of outsiders, J.
    #[inline(always)]
    fn step(&mut self, force: Real, dt: Real) -> Real {
        if let Some(velocity) = self.rigid {
            return -fault!(LEDGER_HAND, force * velocity * dt, 0.0);
        }
        if !self.pushed {
            self.body.step_under(self.site.port, force);
            return 0.0;
        }
        self.body.push(self.site.port, force);
        let mut work = 0.0;
        for (port, &outside) in self.forces.iter().enumerate() {
            if outside != 0.0 {
                work += fault!(LEDGER_FORCE, outside * self.body.free_stroke(port), 0.0);
            }
        }
        self.body.commit();
        work
    }

    fn set(&mut self, param: usize, value: Real) {
        self.body.set(param, value);
        self.rigid = self.rigid.map(|_| self.body.velocity(0));
    }
}

impl Lasting<'_, dyn Resonator, dyn Resonator> {
    /// Lends it to somebody, with the kinds of its partners known where they are common ones. `[audio]`
    pub fn lend(self, to: impl Borrower) -> Option<usize> {
        let Self { index, contact, first, second, compliance, sample_s, max_level, work, health, path } = self;
        macro_rules! lasting {
            ($first:expr, $second:expr) => {{
                let (first, second) = ($first, $second);
                Lasting { index, contact, first, second, compliance, sample_s, max_level, work, health, path }
            }};
        }
        macro_rules! lend {
            ($first:expr, $second:expr) => {
                Some(to.take::<_, _, Unknown>(lasting!($first, $second)))
            };
            ($law:ty, $first:expr, $second:expr) => {{
                let lasting = lasting!($first, $second);
                Some(match path {
                    // SAFETY: these paths are only made by `Path::all` after the CPU said what it has.
                    #[cfg(target_arch = "x86_64")]
                    Path::Avx2 => unsafe { take_avx2::<_, _, $law>(to, lasting) },
                    // SAFETY: as above.
                    #[cfg(target_arch = "x86_64")]
                    Path::Avx512 => unsafe { take_avx512::<_, _, $law>(to, lasting) },
                    _ => to.take::<_, _, $law>(lasting),
                })
            }};
        }
        // The page's engine must be small: there only what is struck and rubbed most has loops of its own.
        let is_small = cfg!(target_arch = "wasm32");
        let (rubs, springs) = (!is_small && contact.law.is::<Friction>(), !is_small && contact.law.is::<Spring>());
        if second.is::<Modal>() {
            match first.is::<Mass>() {
                true if springs => lend!(Springs, first.known::<Mass>()?, second.known::<Modal>()?),
                true => lend!(first.known::<Mass>()?, second.known::<Modal>()?),
                false if rubs => lend!(Rubs, first, second.known::<Modal>()?),
                false => lend!(first, second.known::<Modal>()?),
            }
        } else if !is_small && second.is::<Partials>() {
            if rubs {
                lend!(Rubs, first, second.known::<Partials>()?)
            } else {
                lend!(first, second.known::<Partials>()?)
            }
        } else if !is_small && first.is::<Modal>() {
            if second.is::<Mass>() {
                lend!(first.known::<Modal>()?, second.known::<Mass>()?)
            } else {
                lend!(first.known::<Modal>()?, second)
            }
        } else if !is_small && first.is::<Partials>() {
            lend!(first.known::<Partials>()?, second)
        } else {
            lend!(first, second)
        }
    }

    /// One sample of whatever law. False, with nothing done, if it needs [`World::step`]. `[audio]`
    pub fn step_once(&mut self, tick: u64) -> bool {
        self.step::<Unknown>(tick)
    }

    /// The indices of its bodies.
    pub fn bodies(&self) -> [usize; 2] {
        [self.first.site.body, self.second.site.body]
    }

    /// Which of them are not the island's to step.
    pub fn rigid(&self) -> [bool; 2] {
        [self.first.rigid.is_some(), self.second.rigid.is_some()]
    }
}

impl<A: Resonator + ?Sized, B: Resonator + ?Sized> Lasting<'_, A, B> {
    /// One sample. False, with nothing done, if it needs [`World::step`]. `[audio]`
    #[inline(always)]
    pub fn step<L: Kind>(&mut self, tick: u64) -> bool {
        let (dt, from) = (self.sample_s, self.contact.compression);
        let closed = match &self.contact.law {
            Law::Normal(_) => from > 0.0,
            Law::Tangential { .. } => true,
            Law::General(law) => law.engages(from, 0.0),
        };
        if !closed {
            return false;
        }
        let s0 = self.first.free_stroke(dt) - self.second.free_stroke(dt);
        let contact = &mut *self.contact;
        if !contact.goes_on_whole(s0, dt, tick) && contact.want_level(true, s0, dt, tick).min(self.max_level) != 0 {
            self.first.body.unpush();
            self.second.body.unpush();
            return false;
        }
        contact.last_touch = Some(tick);
        let guess = contact.guess();
        let (first, second) = (&mut self.first, &mut self.second);
        let (one, other) = (first.begins(), second.begins());
        let task = Task { from, s0, compliance: self.compliance, dt, guess };
        let beside = || {
            if one {
                first.body.begin(first.site.port);
            }
            if other {
                second.body.begin(second.site.port);
            }
        };
        let found = L::step(&mut contact.law, &task, beside);
        let force = found.force;
        *self.work += self.first.step(-force, dt);
        *self.work += self.second.step(fault!(THIRD_LAW, force, times 0.98), dt);
        contact.follow(found.stroke, force);
        (contact.force, contact.iterations) = (force, found.iterations);
        self.health.count(&found);
        true
    }

    /// Both partners.
    pub fn partners(&self) -> (&A, &B) {
        (&*self.first.body, &*self.second.body)
    }

    /// Sets a force of outsiders for the coming sample, N. `[audio]`
    pub fn set_force(&mut self, site: Site, force_n: Real) {
        if self.first.site.body == site.body {
            self.first.forces[site.port] = force_n;
        }
        if self.second.site.body == site.body {
            self.second.forces[site.port] = force_n;
        }
    }

    /// Sets a parameter of a partner that moves by the sample. `[audio]`
    pub fn set(&mut self, body: usize, param: usize, value: Real) {
        if self.first.site.body == body {
            self.first.set(param, value);
        }
        if self.second.site.body == body {
            self.second.set(param, value);
        }
    }
}
