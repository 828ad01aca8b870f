// SPDX-License-Identifier: MIT OR Apache-2.0
//! The external `[tocco~ SCENE]` for Pure Data: what Pd calls, and nothing of what a box does, which is [`instance`].
//!
//! Messages and signals of Pd run on one thread, so both halves of `tocco_live` stand in one object. A message says its time in
//! samples since the last block, and takes effect at that sample of the next one. Nothing unwinds into Pd: what panics inside
//! is a line of the console, and the box is silent from there on.

pub mod instance;
pub mod pd;

use instance::{Arg, Instance, News};
use pd::{Atom, Float, Head, Method, Opaque, Signal, Symbol, Value};
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

static CLASS: AtomicPtr<Opaque> = AtomicPtr::new(null_mut());

/// What stands in a patch.
#[repr(C)]
struct Tocco {
    head: Head,
    /// Where Pd puts a number that comes to the first inlet.
    number: Float,
    inside: *mut Inside,
}

struct Inside {
    /// `None` after a fault.
    instance: Option<Instance>,
    /// What is told, at the far right.
    news: *mut Opaque,
    clock: *mut Opaque,
    inlets: usize,
    outlets: usize,
    /// Blocks that come in and go out.
    planes: Vec<*mut Float>,
    block: usize,
    rate_hz: f64,
    /// When the last block was asked for, in Pd's unit, and how many frames have been made since.
    last: f64,
    span: usize,
}

/// Pd calls this when it loads the file.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_tilde_setup() {
    let none = pd::A_NULL;
    // SAFETY: the functions are of the kinds that the atoms after them say.
    unsafe {
        let size = size_of::<Tocco>();
        let class = pd::class_new(pd::symbol("tocco~"), new as Method, free as Method, size, 0, pd::A_GIMME, none);
        CLASS.store(class, Ordering::Release);
        pd::class_domainsignalin(class, std::mem::offset_of!(Tocco, number) as c_int);
        pd::class_addmethod(class, dsp as Method, pd::symbol("dsp"), pd::A_CANT, none);
        pd::class_addlist(class, list as Method);
        pd::class_addanything(class, anything as Method);
    }
}

/// Runs something; a panic is its error.
fn guarded<T>(run: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let what = panic.downcast_ref::<String>().map(String::as_str);
        let what = what.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown");
        Err(format!("a fault inside: {what}"))
    })
}

/// # Safety
/// The atoms came from Pd.
unsafe fn args(count: c_int, atoms: *const Atom) -> Vec<Arg> {
    let count = if atoms.is_null() { 0 } else { count.max(0) as usize };
    // SAFETY: Pd hands over so many atoms.
    (0..count).filter_map(|at| unsafe { (*atoms.add(at)).value() }).map(arg).collect()
}

/// A number is what was written: `0.1`, not the nearest of 32 bits.
fn arg(value: Value) -> Arg {
    match value {
        Value::Number(x) => Arg::Number(x.to_string().parse().unwrap_or_else(|_| f64::from(x))),
        Value::Word(word) => Arg::Text(word),
    }
}

unsafe extern "C" fn new(_: *mut Symbol, count: c_int, atoms: *const Atom) -> *mut c_void {
    // SAFETY: what Pd hands over is alive, and Pd is asked as its interface says.
    unsafe {
        let folder = pd::text(pd::canvas_getcurrentdir());
        let rate_hz = f64::from(pd::sys_getsr());
        let instance = match guarded(|| Instance::new(&args(count, atoms), &folder, rate_hz)) {
            Ok(instance) => instance,
            Err(why) => {
                pd::error(null_mut(), &format!("tocco~: {why}"));
                return null_mut();
            }
        };
        let object = pd::pd_new(CLASS.load(Ordering::Acquire));
        let (inlets, outlets) = (instance.inputs().max(1), instance.channels());
        for _ in 1..inlets {
            pd::signalinlet_new(object, 0.0);
        }
        for _ in 0..outlets {
            pd::outlet_new(object, pd::symbol("signal"));
        }
        let news = pd::outlet_new(object, null_mut());
        let clock = pd::clock_new(object, tell as Method);
        let planes = Vec::with_capacity(inlets + outlets);
        let inside = Inside {
            instance: Some(instance),
            news,
            clock,
            inlets,
            outlets,
            planes,
            block: 0,
            rate_hz,
            last: 0.0,
            span: 0,
        };
        (*object.cast::<Tocco>()).inside = Box::into_raw(Box::new(inside));
        object
    }
}

unsafe extern "C" fn free(object: *mut Tocco) {
    // SAFETY: made in `new`, and freed once.
    let inside = unsafe { Box::from_raw((*object).inside) };
    // SAFETY: the clock was made in `new`.
    unsafe { pd::clock_free(inside.clock) };
    let _ = guarded(|| {
        drop(inside);
        Ok(())
    });
}

/// Does something with a box; an error is a line of the console, a fault closes the box.
///
/// # Safety
/// The object is alive, and nobody else uses it.
unsafe fn with(object: *mut Tocco, run: impl FnOnce(&mut Instance, u64) -> Result<(), String>) {
    // SAFETY: alive and exclusive by contract.
    let inside = unsafe { &mut *(*object).inside };
    let after = inside.after();
    let Some(instance) = &mut inside.instance else {
        // SAFETY: alive by contract.
        return unsafe { pd::error(object.cast(), "tocco~: this box has failed, and is silent; make it anew") };
    };
    let mut finished = false;
    let result = guarded(|| {
        let result = run(instance, after);
        finished = true;
        result
    });
    if let Err(why) = result {
        // SAFETY: alive by contract.
        unsafe { pd::error(object.cast(), &format!("tocco~: {why}")) };
    }
    if !finished {
        inside.instance = None;
    }
    // SAFETY: alive by contract.
    unsafe { say(object) };
}

/// What a box has to say goes to the console and out at the right.
///
/// # Safety
/// The object is alive.
unsafe fn say(object: *mut Tocco) {
    loop {
        // A message that goes out may come back in: nothing is borrowed meanwhile.
        // SAFETY: alive by contract.
        let (news, outlet) = unsafe {
            let inside = &mut *(*object).inside;
            (inside.instance.as_mut().and_then(Instance::news), inside.news)
        };
        match news {
            // SAFETY: alive by contract.
            Some(News::Line(line)) => unsafe { pd::post(object.cast(), pd::NORMAL, &line) },
            // SAFETY: alive by contract.
            Some(News::Detail(line)) => unsafe { pd::post(object.cast(), pd::DEBUG, &line) },
            Some(News::Message(name, values)) => {
                let mut atoms: Vec<Atom> = values
                    .iter()
                    .map(|value| match value {
                        Arg::Number(x) => Atom::number(*x),
                        Arg::Text(text) => Atom::word(text),
                    })
                    .collect();
                // SAFETY: the outlet is the object's, and the atoms live during the call.
                unsafe {
                    pd::outlet_anything(outlet, pd::symbol(&name), atoms.len() as c_int, atoms.as_mut_ptr());
                }
            }
            None => return,
        }
    }
}

unsafe extern "C" fn anything(object: *mut Tocco, name: *mut Symbol, count: c_int, atoms: *const Atom) {
    // SAFETY: what Pd hands over is alive, and it calls one thing at a time.
    unsafe {
        let (name, args) = (pd::text(name), args(count, atoms));
        with(object, |instance, after| instance.message(&name, &args, after));
    }
}

unsafe extern "C" fn list(object: *mut Tocco, _: *mut Symbol, count: c_int, atoms: *const Atom) {
    // SAFETY: what Pd hands over is alive, and it calls one thing at a time.
    unsafe {
        let args = args(count, atoms);
        with(object, |instance, after| instance.list(&args, after));
    }
}

unsafe extern "C" fn tell(object: *mut Tocco) {
    // SAFETY: the clock belongs to the object and is freed with it.
    unsafe { with(object, |instance, _| instance.poll()) };
}

unsafe extern "C" fn dsp(object: *mut Tocco, signals: *const *const Signal) {
    // SAFETY: Pd hands over a signal for each inlet and outlet for signals, in their order.
    unsafe {
        let inside = &mut *(*object).inside;
        let first = &**signals;
        let (block, rate_hz) = (first.n.max(0) as usize, f64::from(first.sr));
        inside.planes.clear();
        inside.planes.extend((0..inside.inlets + inside.outlets).map(|at| (**signals.add(at)).vec));
        (inside.block, inside.rate_hz) = (block, rate_hz);
        if inside.after_last() >= inside.span as f64 {
            (inside.last, inside.span) = (pd::clock_getlogicaltime(), block);
        }
        with(object, |instance, _| instance.prepare(rate_hz, block));
        let mut words = [object as isize];
        pd::dsp_addv(perform as Method, 1, words.as_mut_ptr());
    }
}

unsafe extern "C" fn perform(words: *mut isize) -> *mut isize {
    // SAFETY: behind the function stands the object that `dsp` put there. Outlets may lie where inlets do: what comes in is
    // read before anything is written, as sound is made in a room of its own.
    unsafe {
        let object = *words.add(1) as *mut Tocco;
        let inside = &mut *(*object).inside;
        let now = pd::clock_getlogicaltime();
        inside.span = if now == inside.last { inside.span + inside.block } else { inside.block };
        inside.last = now;
        let (ins, outs) = inside.planes.split_at(inside.inlets);
        let block = inside.block;
        let mut alive = false;
        if let Some(instance) = &mut inside.instance {
            let wanted = instance.inputs().min(instance::MOST_INPUTS);
            let play = || match wanted {
                0 => instance.play(&[], block),
                _ => {
                    let mut inputs = [&[][..]; instance::MOST_INPUTS];
                    for (input, at) in inputs.iter_mut().zip(ins.iter().take(wanted)) {
                        *input = std::slice::from_raw_parts(*at, block);
                    }
                    instance.play(&inputs[..wanted], block)
                }
            };
            match catch_unwind(AssertUnwindSafe(play)) {
                Ok(news) => {
                    alive = true;
                    for (channel, at) in outs.iter().enumerate() {
                        instance.copy(channel, std::slice::from_raw_parts_mut(*at, block));
                    }
                    if news {
                        pd::clock_delay(inside.clock, 0.0);
                    }
                }
                Err(_) => {
                    inside.instance = None;
                    pd::error(object.cast(), "tocco~: a fault inside; this box is silent from here on");
                }
            }
        }
        if !alive {
            outs.iter().for_each(|at| std::slice::from_raw_parts_mut(*at, block).fill(0.0));
        }
        words.add(2)
    }
}

impl Inside {
    /// Samples since the last block was asked for.
    fn after_last(&self) -> f64 {
        // SAFETY: a question about time.
        unsafe { pd::clock_gettimesincewithunits(self.last, 1.0, 0) * 1e-3 * self.rate_hz }
    }

    /// Samples of the next block that have passed at the time of a message; 0 where no signals run.
    fn after(&self) -> u64 {
        let after = self.after_last().round();
        if (0.0..self.span as f64).contains(&after) { after as u64 } else { 0 }
    }
}
