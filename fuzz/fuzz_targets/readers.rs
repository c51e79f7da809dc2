//! Fuzzes the reader that `TOOLCRIB_READER` names: `TOOLCRIB_READER=yaml cargo fuzz run readers`.
//!
//! What it allocates at a time is bounded by what it reads.

#![no_main]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    env, process,
    sync::{
        LazyLock,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use libfuzzer_sys::fuzz_target;
use toolcrib::fuzzing::{self, Reader};

/// Bytes that any reader may use: tables that are made once, automata of patterns.
const FREE: usize = 32 * 1024 * 1024;
/// Bytes for each byte that is read; small numbers and empty lists take most.
const FOR_EACH: usize = 2_000;

struct Counted;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all calls go to the system's allocator as they came.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(held, Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTED: Counted = Counted;

static READER: LazyLock<&Reader> = LazyLock::new(|| {
    let name = env::var("TOOLCRIB_READER").unwrap_or_default();
    fuzzing::by_name(&name).unwrap_or_else(|| {
        let names: Vec<&str> = fuzzing::READERS.iter().map(|reader| reader.name).collect();
        eprintln!("TOOLCRIB_READER is {name:?}; the readers are {}", names.join(", "));
        process::exit(2);
    })
});

fuzz_target!(|bytes: &[u8]| {
    let before = HELD.load(Relaxed);
    PEAK.store(before, Relaxed);
    READER.read(bytes);
    let used = PEAK.load(Relaxed) - before;
    assert!(used <= FREE + FOR_EACH * bytes.len(), "{used} bytes for {}", bytes.len());
});
