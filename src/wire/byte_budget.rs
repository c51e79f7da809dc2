//! How many bytes may wait between who hears and who takes.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A number of bytes that what waits in a queue shares.
#[derive(Clone, Debug)]
pub(crate) struct ByteBudget {
    free: Arc<Semaphore>,
    capacity: usize,
}

/// The share of one thing in the queue; dropped, it is free again.
#[derive(Debug)]
pub(crate) struct ByteShare {
    _permit: OwnedSemaphorePermit,
}

impl ByteBudget {
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self { free: Arc::new(Semaphore::new(capacity)), capacity }
    }

    /// The share of something of that many bytes, once it is free. What is larger than the whole
    /// budget takes all of it.
    pub async fn reserve(&self, bytes: usize) -> Option<ByteShare> {
        let permit = Arc::clone(&self.free).acquire_many_owned(self.permits(bytes)).await.ok()?;
        Some(ByteShare { _permit: permit })
    }

    /// The same; `None` where it is not free now.
    #[must_use]
    pub fn try_reserve(&self, bytes: usize) -> Option<ByteShare> {
        let permit = Arc::clone(&self.free).try_acquire_many_owned(self.permits(bytes)).ok()?;
        Some(ByteShare { _permit: permit })
    }

    /// How many bytes have a share now.
    #[must_use]
    pub fn used(&self) -> usize {
        self.capacity.saturating_sub(self.free.available_permits())
    }

    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    fn permits(&self, bytes: usize) -> u32 {
        u32::try_from(bytes.min(self.capacity)).unwrap_or(u32::MAX)
    }
}
