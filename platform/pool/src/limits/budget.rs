//! Memory that requests share: request bodies have one budget, answers another.
//!
//! Trusted roles can use all of a budget, users three quarters of it and one caller an eighth: whoever
//! reads its answers slowly, or sends its bodies slowly, is refused before the others are.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::callers::{Caller, Visit};

/// Bytes of one kind that all requests together may hold.
pub struct Budget {
    kind: usize,
    most: usize,
    for_users: usize,
    per_caller: usize,
    held: AtomicUsize,
}

/// Who has used up the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// All callers together.
    Everybody,
    /// This caller alone.
    Caller,
}

impl Budget {
    /// The budget of request bodies; `largest` is what a single one may need.
    pub fn of_bodies(most: usize, largest: usize) -> Arc<Self> {
        Arc::new(Self::new(0, most, largest))
    }

    /// The budget of answers; `largest` is what a single one may need.
    pub fn of_answers(most: usize, largest: usize) -> Arc<Self> {
        Arc::new(Self::new(1, most, largest))
    }

    fn new(kind: usize, most: usize, largest: usize) -> Self {
        Self {
            kind,
            most,
            for_users: most / 4 * 3,
            // A caller can always have one whole answer, however small the budget is.
            per_caller: (most / 8).max(largest.saturating_add(largest / 8)),
            held: AtomicUsize::new(0),
        }
    }

    /// A share that holds nothing yet.
    pub fn share(self: &Arc<Self>, visit: &Visit) -> Share {
        Share {
            budget: self.clone(),
            caller: visit.caller().cloned(),
            held: 0,
        }
    }

    pub fn held(&self) -> usize {
        self.held.load(Relaxed)
    }
}

/// What one request holds of a budget; given back when dropped.
pub struct Share {
    budget: Arc<Budget>,
    caller: Option<Arc<Caller>>,
    held: usize,
}

impl Share {
    /// Takes more, unless somebody would then hold too much.
    pub fn grow(&mut self, bytes: usize) -> Result<(), Full> {
        self.grow_regardless(bytes);
        let full = self.full();
        match full {
            None => Ok(()),
            Some(full) => {
                self.shrink(bytes);
                Err(full)
            }
        }
    }

    /// Takes more, whatever that means: for what has happened already and must be counted.
    pub fn grow_regardless(&mut self, bytes: usize) {
        self.held += bytes;
        self.budget.held.fetch_add(bytes, Relaxed);
        if let Some(caller) = &self.caller {
            caller.held[self.budget.kind].fetch_add(bytes, Relaxed);
        }
    }

    /// Whether too much is held by now.
    pub fn full(&self) -> Option<Full> {
        let budget = &self.budget;
        let held = budget.held.load(Relaxed);
        match &self.caller {
            None => (held > budget.most).then_some(Full::Everybody),
            Some(caller) if caller.held[budget.kind].load(Relaxed) > budget.per_caller => {
                Some(Full::Caller)
            }
            Some(_) => (held > budget.for_users).then_some(Full::Everybody),
        }
    }

    /// Gives a part back.
    pub fn shrink(&mut self, bytes: usize) {
        let bytes = bytes.min(self.held);
        self.held -= bytes;
        self.budget.held.fetch_sub(bytes, Relaxed);
        if let Some(caller) = &self.caller {
            caller.held[self.budget.kind].fetch_sub(bytes, Relaxed);
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.shrink(self.held);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Callers;
    use super::*;

    #[test]
    fn one_caller_is_full_before_all_others_are() {
        let callers = Callers::new(1, 1);
        let budget = Budget::of_answers(800, 10);
        let (a, b) = (callers.enter(Some("a")), callers.enter(Some("b")));
        let (a, b) = (a.unwrap(), b.unwrap());
        let mut greedy = budget.share(&a);
        assert_eq!(greedy.grow(100), Ok(()));
        assert_eq!(budget.share(&a).grow(1), Err(Full::Caller));
        assert_eq!(budget.share(&b).grow(100), Ok(()));
        drop(greedy);
        assert_eq!(budget.held(), 0);
    }

    #[test]
    fn users_together_leave_a_quarter_to_trusted_roles() {
        let callers = Callers::new(9, 9);
        let budget = Budget::of_bodies(800, 10);
        let visits: Vec<_> = ["a", "b", "c", "d", "e", "f", "g"]
            .iter()
            .map(|name| callers.enter(Some(name)).unwrap())
            .collect();
        let mut shares: Vec<_> = visits.iter().map(|visit| budget.share(visit)).collect();
        let last = shares.last_mut().map(|share| share.grow(1));
        assert_eq!(last, Some(Ok(())));
        for share in &mut shares[..5] {
            assert_eq!(share.grow(100), Ok(()));
        }
        assert_eq!(shares[5].grow(100), Err(Full::Everybody));
        let trusted = callers.enter(None).unwrap();
        assert_eq!(budget.share(&trusted).grow(200), Ok(()));
    }
}
