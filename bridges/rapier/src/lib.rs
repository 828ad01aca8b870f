// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is heard of a world of Rapier: its contacts, step by step, as records for a
//! [`Stream`](tocco_contact_stream::Stream).
//!
//! Rapier's events carry forces only. So velocities and places are kept before the step; after it, the contacts that the
//! solver saw say their impulses. A collider says what it is by its `user_data`: see [`tag`].

use rapier3d::prelude::*;
use std::collections::HashMap;
use tocco_contact_stream::Record;

/// `user_data` of a collider: the thing it belongs to, and its material.
pub fn tag(thing: u64, material: u16) -> u128 {
    u128::from(thing) | u128::from(material) << 64
}

fn untag(data: u128) -> (u64, u16) {
    (data as u64, (data >> 64) as u16)
}

/// How a body moved before the step.
#[derive(Clone, Copy)]
struct Moved {
    linear: Vector,
    angular: Vector,
    centre: Vector,
}

const STILL: Moved = Moved { linear: Vector::ZERO, angular: Vector::ZERO, centre: Vector::ZERO };

/// Listens to a world: [`Ear::before`] every step, [`Ear::after`] it.
#[derive(Default)]
pub struct Ear {
    bodies: HashMap<RigidBodyHandle, Moved>,
    places: HashMap<ColliderHandle, Pose>,
    records: Vec<Record>,
}

impl Ear {
    /// Nothing heard yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The world is about to step: what moves, and where it is.
    pub fn before(&mut self, bodies: &RigidBodySet, colliders: &ColliderSet) {
        self.bodies.clear();
        for (handle, body) in bodies.iter().filter(|(_, body)| body.is_dynamic_or_kinematic()) {
            let moved = Moved { linear: body.linvel(), angular: body.angvel(), centre: body.center_of_mass() };
            self.bodies.insert(handle, moved);
        }
        self.places.clear();
        self.places.extend(colliders.iter().map(|(handle, collider)| (handle, *collider.position())));
    }

    /// The world has stepped: a record for every place that pushed, several for a pair that touches in several.
    pub fn after(
        &mut self,
        gravity: Vector,
        narrow_phase: &NarrowPhase,
        bodies: &RigidBodySet,
        colliders: &ColliderSet,
    ) -> &[Record] {
        self.records.clear();
        for pair in narrow_phase.contact_pairs() {
            let (Some(one), Some(other)) = (colliders.get(pair.collider1), colliders.get(pair.collider2)) else {
                continue;
            };
            let parents = [one.parent(), other.parent()];
            let of = |handle: Option<RigidBodyHandle>| handle.and_then(|handle| bodies.get(handle));
            let [first, second] = parents.map(of);
            // What sleeps keeps its last impulses.
            let acts = |body: Option<&RigidBody>| {
                body.is_some_and(|body| body.is_dynamic_or_kinematic() && !body.is_sleeping())
            };
            if !acts(first) && !acts(second) {
                continue;
            }
            let [moved_1, moved_2] =
                parents.map(|handle| handle.and_then(|h| self.bodies.get(&h)).copied().unwrap_or(STILL));
            let pull = |body: Option<&RigidBody>| match body {
                Some(body) if body.is_dynamic() => gravity * body.gravity_scale(),
                _ => Vector::ZERO,
            };
            let place = self.places.get(&pair.collider1).copied().unwrap_or(*one.position());
            let ((thing_1, material_1), (thing_2, material_2)) = (untag(one.user_data), untag(other.user_data));
            for manifold in pair.solver_manifolds() {
                let normal = manifold.data.normal;
                let place = manifold.subshape_pos1().map_or(place, |local| place * *local);
                for contact in manifold.contacts().iter().filter(|contact| contact.data.impulse > 0.0) {
                    let point = place * contact.local_p1;
                    let speed = |moved: Moved| moved.linear + moved.angular.cross(point - moved.centre);
                    let relative = speed(moved_1) - speed(moved_2);
                    let closing = relative.dot(normal);
                    let after = |body: Option<&RigidBody>, moved: Moved| {
                        body.map_or(Vector::ZERO, |b| b.linvel() + b.angvel().cross(point - moved.centre))
                    };
                    let parting = (after(second, moved_2) - after(first, moved_1)).dot(normal);
                    let turning = moved_1.angular - moved_2.angular;
                    let turning = (turning - normal * turning.dot(normal)).length();
                    // The ball runs off on the floor, not the floor on the ball: the nearer centre of what can turn.
                    let arm = |body: Option<&RigidBody>, moved: Moved| {
                        let turns = body.is_some_and(|body| body.is_dynamic());
                        if turns { (point - moved.centre).dot(normal).abs() } else { Real::INFINITY }
                    };
                    let arm = arm(first, moved_1).min(arm(second, moved_2));
                    let yields = yielding(first, moved_1, point, normal) + yielding(second, moved_2, point, normal);
                    self.records.push(Record {
                        pair: [thing_1, thing_2],
                        materials: [material_1, material_2],
                        impulse_n_s: f64::from(contact.data.impulse),
                        closing_m_s: f64::from(closing),
                        parting_m_s: f64::from(parting),
                        closing_m_s2: f64::from((pull(first) - pull(second)).dot(normal)),
                        slip_m_s: f64::from((relative - normal * closing).length()),
                        roll_m_s: if arm.is_finite() { f64::from(turning * arm) } else { 0.0 },
                        gap_m: f64::from(contact.dist),
                        mass_kg: 1.0 / f64::from(yields),
                        places: 1,
                        point_m: [point.x, point.y, point.z].map(f64::from),
                    });
                }
            }
        }
        &self.records
    }
}

/// How far a body yields along a normal, 1/kg.
fn yielding(body: Option<&RigidBody>, moved: Moved, point: Vector, normal: Vector) -> Real {
    let Some(body) = body.filter(|body| body.is_dynamic()) else { return 0.0 };
    let arm = (point - moved.centre).cross(normal);
    let mass = body.mass_properties();
    (mass.effective_inv_mass * normal).dot(normal) + (mass.effective_world_inv_inertia * arm).dot(arm)
}
