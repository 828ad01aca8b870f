// SPDX-License-Identifier: MIT OR Apache-2.0
//! What Pure Data offers to externals, as far as it is used here: its C functions, and the layouts that they share.
//!
//! Written by hand after the documented interface of Pd 0.53, so that no header is needed. Of a signal only length, samples and
//! rate are read, as later versions have other fields behind them; an object's head has room to spare.

use std::ffi::{CStr, CString, c_char, c_int, c_void};

/// Numbers of messages and samples; Pd for 64 bits is another program and asks for [`class_new`] under another name.
pub type Float = f32;

/// Kinds of atoms and of arguments.
pub const A_NULL: c_int = 0;
const A_FLOAT: c_int = 1;
const A_SYMBOL: c_int = 2;
/// Any arguments.
pub const A_GIMME: c_int = 10;
/// Not from patches.
pub const A_CANT: c_int = 11;

/// Levels of the console: what is always shown, and what only those see who ask for more.
pub const NORMAL: c_int = 2;
/// See [`NORMAL`].
pub const DEBUG: c_int = 3;

/// A class, an outlet, a clock: Pd knows what is in it.
#[repr(C)]
pub struct Opaque {
    _inside: [u8; 0],
}

/// A word that is there once.
#[repr(C)]
pub struct Symbol {
    name: *const c_char,
    thing: *mut c_void,
    next: *mut Symbol,
}

#[repr(C)]
#[derive(Clone, Copy)]
union Word {
    float: Float,
    symbol: *mut Symbol,
}

/// An element of a message.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Atom {
    kind: c_int,
    word: Word,
}

/// A signal, as far as it may be read.
#[repr(C)]
pub struct Signal {
    /// Samples in a block.
    pub n: c_int,
    /// The block.
    pub vec: *mut Float,
    /// Samples a second.
    pub sr: Float,
}

/// Room for what Pd keeps at the head of every object (56 bytes in 0.53).
pub type Head = [u64; 8];

/// Any function: Pd calls it as it was declared to be.
pub type Method = *const c_void;

unsafe extern "C" {
    /// The word of this name.
    pub fn gensym(name: *const c_char) -> *mut Symbol;
    /// A class of objects.
    pub fn class_new(
        name: *mut Symbol,
        new: Method,
        free: Method,
        size: usize,
        flags: c_int,
        first: c_int,
        ...
    ) -> *mut Opaque;
    /// What a message of this name does.
    pub fn class_addmethod(class: *mut Opaque, method: Method, name: *mut Symbol, first: c_int, ...);
    /// What any other message does.
    pub fn class_addanything(class: *mut Opaque, method: Method);
    /// What a list does.
    pub fn class_addlist(class: *mut Opaque, method: Method);
    /// The first inlet takes signals; a number goes to the field that lies so far from the start.
    pub fn class_domainsignalin(class: *mut Opaque, onset: c_int);
    /// An object.
    pub fn pd_new(class: *mut Opaque) -> *mut c_void;
    /// Another inlet for signals.
    pub fn signalinlet_new(owner: *mut c_void, value: Float) -> *mut Opaque;
    /// Another outlet.
    pub fn outlet_new(owner: *mut c_void, kind: *mut Symbol) -> *mut Opaque;
    /// Sends a message.
    pub fn outlet_anything(outlet: *mut Opaque, name: *mut Symbol, count: c_int, atoms: *mut Atom);
    /// A clock that calls a method.
    pub fn clock_new(owner: *mut c_void, method: Method) -> *mut Opaque;
    /// Calls it after so many ms.
    pub fn clock_delay(clock: *mut Opaque, delay_ms: f64);
    /// Gives it back.
    pub fn clock_free(clock: *mut Opaque);
    /// Time of messages and signals, in a unit of Pd's own.
    pub fn clock_getlogicaltime() -> f64;
    /// What has passed since, in units of so many ms or samples.
    pub fn clock_gettimesincewithunits(since: f64, unit: f64, in_samples: c_int) -> f64;
    /// Calls a function for every block, with these words behind it.
    pub fn dsp_addv(perform: Method, count: c_int, words: *mut isize);
    /// Samples a second.
    pub fn sys_getsr() -> Float;
    /// The folder of the patch that is being loaded.
    pub fn canvas_getcurrentdir() -> *mut Symbol;
    fn pd_error(object: *const c_void, format: *const c_char, ...);
    fn logpost(object: *const c_void, level: c_int, format: *const c_char, ...);
}

/// A word.
pub fn symbol(text: &str) -> *mut Symbol {
    // SAFETY: Pd copies the text.
    unsafe { gensym(c_text(text).as_ptr()) }
}

/// The text of a word; what is not UTF-8 in it is replaced.
///
/// # Safety
/// The word came from Pd.
pub unsafe fn text(symbol: *const Symbol) -> String {
    // SAFETY: words of Pd live for ever and end with a zero byte.
    unsafe { CStr::from_ptr((*symbol).name) }.to_string_lossy().into_owned()
}

/// A line of the console in red, which leads to the object.
///
/// # Safety
/// The object is alive, or null.
pub unsafe fn error(object: *const c_void, line: &str) {
    // SAFETY: one text for one place in the format; the object is alive by contract.
    unsafe { pd_error(object, c"%s".as_ptr(), c_text(line).as_ptr()) }
}

/// A line of the console.
///
/// # Safety
/// The object is alive, or null.
pub unsafe fn post(object: *const c_void, level: c_int, line: &str) {
    // SAFETY: one text for one place in the format; the object is alive by contract.
    unsafe { logpost(object, level, c"%s".as_ptr(), c_text(line).as_ptr()) }
}

fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

/// What an atom holds.
pub enum Value {
    /// A number.
    Number(Float),
    /// A word.
    Word(String),
}

impl Atom {
    /// A number.
    pub fn number(value: f64) -> Self {
        Self { kind: A_FLOAT, word: Word { float: value as Float } }
    }

    /// A word.
    pub fn word(text: &str) -> Self {
        Self { kind: A_SYMBOL, word: Word { symbol: symbol(text) } }
    }

    /// What is in it; `None` for pointers and punctuation.
    ///
    /// # Safety
    /// The atom came from Pd.
    pub unsafe fn value(&self) -> Option<Value> {
        match self.kind {
            // SAFETY: the kind says which field is meant.
            A_FLOAT => Some(Value::Number(unsafe { self.word.float })),
            // SAFETY: the kind says which field is meant, and words of Pd live for ever.
            A_SYMBOL => Some(Value::Word(unsafe { text(self.word.symbol) })),
            _ => None,
        }
    }
}
