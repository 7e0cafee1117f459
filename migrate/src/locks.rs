//! Takes the table locks of a run, all of them early and in a way that lets users' transactions win.
//!
//! A lock that waits makes everybody else wait behind it, and a run that holds one table while it waits for another can
//! deadlock with a user who does the reverse. Two rules keep users from ever being the one that Postgres aborts:
//!
//! - The first table is waited for while nothing is held, so there can be no deadlock. That wait is a little longer than
//!   `deadlock_timeout`, because only then does Postgres send an autovacuum away that has the table.
//! - All further tables have to be had within four fifths of `deadlock_timeout`, counted from the first. A user who waits
//!   for us looks for a deadlock only after the whole of it, and we have given way by then.
//!
//! After a refusal the whole transaction is rolled back and tried again. The table that was not to be had goes first
//! then: whoever holds it while waiting for another of ours will have to come by it before.
//!
//! There is a load that this never gets through: many open transactions that take the same tables in opposite orders, without
//! a pause. At each moment one of them holds what we want and wants what we hold (12 such writers kept a migration of three
//! tables out for two minutes). Then the command gives up and says so. Rejected: to insist. Postgres looks for a deadlock
//! once per wait, so writers that waited before us would never be sent away, and to cancel them is not ours to decide:
//! they may be transactions of the user's own programs.

use std::time::{Duration, Instant};

use super::error::Error;
use super::object::quoted;
use super::session::Session;
use super::statements::{Statement, Strength};

/// How an attempt comes to its locks.
#[derive(Debug, Default)]
pub(super) struct Manner {
    /// Tables that earlier attempts waited for in vain, the last one first.
    pub(super) first: Vec<String>,
    /// How many attempts have failed.
    pub(super) failed: usize,
}

impl Manner {
    /// Learns from a refusal.
    pub(super) fn learn(&mut self, error: &Error) {
        self.failed += 1;
        if let Error::Locked { table, .. } = error {
            self.first.retain(|known| known != table);
            self.first.insert(0, table.clone());
        }
    }
}

/// The tables that a run needs, strongest lock first known.
#[derive(Debug, Default)]
pub(super) struct Tables(Vec<(String, Strength)>);

impl Tables {
    /// Adds what a statement locks.
    pub(super) fn add_of(&mut self, statement: &Statement) {
        for (table, strength) in &statement.locks {
            self.add(table, *strength);
        }
    }

    pub(super) fn add(&mut self, table: &str, strength: Strength) {
        match self.0.iter_mut().find(|(known, _)| known == table) {
            Some((_, known)) => *known = strength.max(*known),
            None => self.0.push((table.to_owned(), strength)),
        }
    }

    fn in_order(mut self, first: &[String]) -> Vec<(String, Strength)> {
        let place = |table: &str| {
            first
                .iter()
                .position(|known| known == table)
                .unwrap_or(first.len())
        };
        self.0.sort_by_key(|(table, _)| place(table));
        self.0
    }
}

/// Locks those of the tables that exist.
pub(super) async fn take(
    session: &mut Session<'_>,
    tables: Tables,
    manner: &Manner,
) -> Result<(), Error> {
    let timeout = deadlock_timeout(session).await?;
    let names: Vec<&str> = tables.0.iter().map(|(table, _)| table.as_str()).collect();
    let there = session
        .texts(
            "select n.nspname || '.' || c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
             where c.relkind in ('r', 'p') and n.nspname || '.' || c.relname = any ($1)",
            &[&names],
        )
        .await?;
    let mut begun: Option<Instant> = None;
    for (table, strength) in tables.in_order(&manner.first) {
        if !there.contains(&table) {
            continue;
        }
        let patience = match begun {
            None => timeout.mul_f64(1.5),
            Some(begun) => timeout.mul_f64(0.8).saturating_sub(begun.elapsed()),
        };
        let mode = match strength {
            Strength::AccessExclusive => "access exclusive",
            Strength::ShareRowExclusive => "share row exclusive",
        };
        let statement = format!("lock table {} in {mode} mode", quoted(&table));
        // 0 would mean to wait for ever.
        let set = format!(
            "set local lock_timeout = '{}ms'",
            patience.as_millis().max(1)
        );
        session
            .quietly(&format!("{set}; {statement}"))
            .await
            .map_err(|source| Error::Locked { table, source })?;
        session.keep(&statement);
        begun.get_or_insert_with(Instant::now);
    }
    // What a DO block or a view still asks for is waited for briefly.
    let rest = timeout.mul_f64(0.5).as_millis();
    session
        .quietly(&format!("set local lock_timeout = '{rest}ms'"))
        .await?;
    Ok(())
}

async fn deadlock_timeout(session: &Session<'_>) -> Result<Duration, Error> {
    let rows = session
        .query(
            "select setting::int from pg_settings where name = 'deadlock_timeout'",
            &[],
        )
        .await?;
    let millis: i32 = rows.first().map_or(1000, |row| row.get(0));
    Ok(Duration::from_millis(
        u64::try_from(millis).unwrap_or(1000).clamp(10, 10_000),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_that_was_waited_for_in_vain_goes_first_and_keeps_its_strongest_lock() {
        let mut tables = Tables::default();
        tables.add("a", Strength::AccessExclusive);
        tables.add("b", Strength::ShareRowExclusive);
        tables.add("b", Strength::AccessExclusive);
        tables.add("b", Strength::ShareRowExclusive);
        assert_eq!(
            tables.in_order(&["b".to_owned()]),
            [
                ("b".to_owned(), Strength::AccessExclusive),
                ("a".to_owned(), Strength::AccessExclusive)
            ]
        );
    }
}
