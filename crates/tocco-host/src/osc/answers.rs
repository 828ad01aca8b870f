// SPDX-License-Identifier: MIT OR Apache-2.0
//! Answers on their way, in turn for every sender, and who may have them.
//!
//! An address on a packet may be forged. On a socket that others can reach, an answer goes only to an address from which a number
//! came back that was sent there; before that at most the number goes, now and then, which is no longer than what asked for it. A
//! packet from this very machine cannot be forged from outside.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasher;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Answers that wait for one sender, at most; senders for whom answers wait: who has most of them makes room for another.
const MOST_EACH: usize = 16_384;
const MOST_SENDERS: usize = 256;
/// Answers that wait in all, at most.
const MOST: usize = 65_536;
/// A number holds for so long, at least.
const LASTING: Duration = Duration::from_secs(30);
/// A sender is asked so often, at most. Of so many it is known when they were asked; the one asked first is forgotten for another, who
/// is asked in any case: a question is no longer than what asked for it.
const ASK: Duration = Duration::from_millis(200);
const MOST_ASKED: usize = 256;
/// Senders who are known; those not heard of for longest are forgotten.
const MOST_KNOWN: usize = 1024;

/// Who is meant by an address: on this machine a program, elsewhere a machine, which has as many ports as it likes.
pub fn sender(address: SocketAddr) -> SocketAddr {
    if address.ip().is_loopback() { address } else { SocketAddr::new(address.ip(), 0) }
}

/// Answers that wait for a sender, each with where exactly it goes.
type Waiting = VecDeque<(SocketAddr, Vec<u8>)>;

/// Answers that wait, a queue for each sender: ports of one machine share theirs. Questions have one of their own, in which whoever
/// forges addresses makes room for others and takes none from answers.
#[derive(Default)]
pub struct Answers {
    queues: VecDeque<(SocketAddr, Waiting)>,
    count: usize,
    questions: Waiting,
    question_next: bool,
}

impl Answers {
    /// True if nothing waits.
    pub fn is_empty(&self) -> bool {
        self.count == 0 && self.questions.is_empty()
    }

    /// A question to somebody who has not shown where he is; the oldest makes room.
    pub fn ask(&mut self, to: SocketAddr, bytes: Vec<u8>) {
        if self.questions.len() >= MOST_ASKED {
            self.questions.pop_front();
        }
        self.questions.push_back((to, bytes));
    }

    /// True if so many more for one receiver find room.
    pub fn has_room(&self, to: SocketAddr, more: usize) -> bool {
        let own = self.queues.iter().find(|(of, _)| *of == sender(to)).map_or(0, |(_, queue)| queue.len());
        own + more <= MOST_EACH
    }

    /// One more; who has too many himself loses it, else whoever has most loses his last.
    pub fn push(&mut self, to: SocketAddr, bytes: Vec<u8>) {
        if !self.has_room(to, 1) {
            return;
        }
        let of = sender(to);
        let known = self.queues.iter().position(|(other, _)| *other == of);
        if known.is_none() && self.queues.len() >= MOST_SENDERS {
            let most = self.longest();
            self.count -= self.queues.remove(most).map_or(0, |(_, queue)| queue.len());
        } else if self.count >= MOST {
            let most = self.longest();
            self.count -= usize::from(self.queues[most].1.pop_back().is_some());
        }
        self.count += 1;
        match self.queues.iter_mut().find(|(other, _)| *other == of) {
            Some((_, queue)) => queue.push_back((to, bytes)),
            None => self.queues.push_back((of, VecDeque::from([(to, bytes)]))),
        }
    }

    /// The sender for whom most waits.
    fn longest(&self) -> usize {
        (0..self.queues.len()).rev().max_by_key(|at| self.queues[*at].1.len()).unwrap_or(0)
    }

    /// The next: each sender has his turn, however much waits for another; between two answers a question goes.
    pub fn pop(&mut self) -> Option<(SocketAddr, Vec<u8>)> {
        self.question_next = !self.question_next;
        if (self.question_next || self.count == 0)
            && let Some(question) = self.questions.pop_front()
        {
            return Some(question);
        }
        loop {
            let (of, mut queue) = self.queues.pop_front()?;
            let Some(next) = queue.pop_front() else { continue };
            self.count -= 1;
            if !queue.is_empty() {
                self.queues.push_back((of, queue));
            }
            return Some(next);
        }
    }
}

/// Who has shown to be where he says.
pub struct Proofs {
    secret: RandomState,
    began: Instant,
    known: HashMap<SocketAddr, Instant>,
    asked: HashMap<SocketAddr, Instant>,
}

impl Default for Proofs {
    fn default() -> Self {
        Self { secret: RandomState::new(), began: Instant::now(), known: HashMap::new(), asked: HashMap::new() }
    }
}

impl Proofs {
    fn number(&self, of: SocketAddr, slot: u64) -> i64 {
        self.secret.hash_one((of, slot)) as i64
    }

    fn slot(&self) -> u64 {
        self.began.elapsed().as_secs() / LASTING.as_secs()
    }

    /// `Ok`: he may be answered. `Err`: the number to send him, unless that was done a moment ago or he is not to be asked.
    pub fn judge(&mut self, of: SocketAddr, may_ask: bool) -> Result<(), Option<i64>> {
        let now = Instant::now();
        if of.ip().is_loopback() {
            return Ok(());
        }
        if let Some(heard) = self.known.get_mut(&of) {
            *heard = now;
            return Ok(());
        }
        self.asked.retain(|_, at| now < *at + ASK);
        if !may_ask || self.asked.contains_key(&of) {
            return Err(None);
        }
        forget_oldest(&mut self.asked, MOST_ASKED);
        self.asked.insert(of, now);
        Err(Some(self.number(of, self.slot())))
    }

    /// A number has come back.
    pub fn prove(&mut self, of: SocketAddr, number: i64) {
        let slot = self.slot();
        if number != self.number(of, slot) && (slot == 0 || number != self.number(of, slot - 1)) {
            return;
        }
        forget_oldest(&mut self.known, MOST_KNOWN);
        self.known.insert(of, Instant::now());
    }
}

/// Makes room for one more.
fn forget_oldest(all: &mut HashMap<SocketAddr, Instant>, most: usize) {
    if all.len() >= most
        && let Some(oldest) = all.iter().min_by_key(|(_, at)| **at).map(|(of, _)| *of)
    {
        all.remove(&oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(last: u8, port: u16) -> SocketAddr {
        SocketAddr::from(([10, 0, 0, last], port))
    }

    #[test]
    fn a_flood_for_one_silences_nobody_else() {
        let mut answers = Answers::default();
        for _ in 0..100_000 {
            answers.push(at(1, 1), vec![1]);
        }
        answers.push(at(2, 1), vec![2]);
        answers.push(at(3, 1), vec![3]);
        let first: Vec<u8> = (0..3).map(|_| answers.pop().unwrap().1[0]).collect();
        assert_eq!(first, [1, 2, 3]);
        assert_eq!(std::iter::from_fn(|| answers.pop()).count(), MOST_EACH - 1);
        assert!(answers.is_empty());
        // Nor does one from as many ports as there are: of another machine they are one, of this one whoever has most makes room.
        let here = |port: u16| SocketAddr::from(([127, 0, 0, 1], port));
        for round in 0..200_000_u32 {
            answers.push(at(1, (round % 60_000) as u16), vec![1]);
            answers.push(here(1000 + (round % 400) as u16), vec![1]);
        }
        assert!(answers.count <= MOST && answers.queues.len() <= MOST_SENDERS);
        answers.push(at(2, 1), vec![2]);
        answers.push(here(1), vec![3]);
        let soon: Vec<u8> = (0..=MOST_SENDERS).filter_map(|_| Some(answers.pop()?.1[0])).collect();
        assert!(soon.contains(&2) && soon.contains(&3));
    }

    #[test]
    fn only_who_sends_his_number_back_is_answered_and_no_other_number_does() {
        let mut proofs = Proofs::default();
        let Err(Some(number)) = proofs.judge(at(1, 5), true) else { panic!("he was not asked") };
        assert_eq!(proofs.judge(at(1, 5), true), Err(None), "not twice in a moment");
        proofs.prove(at(1, 5), number ^ 1);
        proofs.prove(at(2, 5), number);
        proofs.prove(at(1, 6), number);
        assert!(proofs.judge(at(2, 5), true).is_err() && proofs.judge(at(1, 6), true).is_err());
        proofs.prove(at(1, 5), number);
        assert_eq!(proofs.judge(at(1, 5), true), Ok(()));
        assert_eq!(proofs.judge(SocketAddr::from(([127, 0, 0, 1], 7)), true), Ok(()), "nobody outside can be here");
        // Nor can a crowd of forged addresses make us remember, or keep somebody else from being asked.
        for port in 0..10_000 {
            let _ = proofs.judge(at(9, port), true);
        }
        assert!(matches!(proofs.judge(at(8, 1), true), Err(Some(_))) && proofs.asked.len() <= MOST_ASKED);
    }

    #[test]
    fn questions_to_a_crowd_take_no_answer_away_and_the_last_of_them_goes_out_in_turn() {
        let mut answers = Answers::default();
        for _ in 0..100 {
            answers.push(at(1, 1), vec![1]);
        }
        for round in 0..10_000_u16 {
            answers.ask(at(9, round), vec![9]);
        }
        answers.ask(at(2, 1), vec![2]);
        assert!(answers.questions.len() <= MOST_ASKED);
        let all: Vec<u8> = std::iter::from_fn(|| answers.pop()).map(|(_, bytes)| bytes[0]).collect();
        assert_eq!(all.iter().filter(|byte| **byte == 1).count(), 100);
        assert!(all[..200].iter().filter(|byte| **byte == 1).count() == 100 && all.contains(&2) && answers.is_empty());
    }
}
