//! What no file has any more: dropped, and taken out of the books.
//!
//! Routines and views of `mill` stay until the calls that began before have ended, and go in a transaction of their own. While
//! tables are locked, every call waits for them in the middle of an old function, and goes on in it after the commit: 5 of 8
//! connections met 42883 there when the helpers of that function went in the same transaction.

use std::collections::HashMap;

use super::super::books::{self, Entry};
use super::super::catalog;
use super::super::dependents::{self, Target};
use super::super::error::Error;
use super::super::object::{Kind, Object, literal};
use super::Upgrade;

/// What becomes of routines and views of `mill` that no file has any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gone {
    /// They stay: calls that are under way may use them.
    Left,
    /// They are dropped.
    Dropped,
}

/// Stands in the books for the file of an object that was left for calls under way. There is no such file, so that the next
/// run takes the object for gone.
const LEFT: &str = "left";

impl Upgrade<'_, '_> {
    /// Drops what was in the books and is in no file of the installed parts any more.
    pub(super) async fn drop_gone(&mut self, what: Gone) -> Result<(), Error> {
        let is_known = |path: &str| path.is_empty() || self.index.contains_key(path);
        let mut gone: Vec<Object> = self
            .before
            .iter()
            .filter(|(object, _)| {
                let now = self.books.objects.get(object);
                now.is_none_or(|entry| !is_known(&entry.path))
            })
            .map(|(object, _)| object.clone())
            .collect();
        gone.sort();
        // A function that became a procedure, or a table that became a view, has its name still in use.
        gone.retain(|object| !is_renamed_kind(object, &self.books.objects, &is_known));
        let mut forgotten = Vec::new();
        for object in gone {
            if catalog::exists(self.session, &object).await? {
                if what == Gone::Left && may_be_under_way(&object) {
                    self.refuse_strangers(&object).await?;
                    // Its file may still be there and be written down without it.
                    let left = books::record_objects(LEFT, &[(object, None)]);
                    self.session.run(&left).await?;
                    self.done.has_left = true;
                    continue;
                }
                self.drop_one(&object).await?;
            }
            forgotten.push(object);
        }
        self.forget(&forgotten).await
    }

    /// Before anything is committed: a drop that a user's object stands in the way of is refused with everything else.
    async fn refuse_strangers(&mut self, object: &Object) -> Result<(), Error> {
        for (target, _) in self.targets(object).await? {
            let dependents = dependents::of(self.session, &target).await?;
            dependents::judge(&target.object, &dependents, self.books, |_| true)?;
        }
        Ok(())
    }

    /// What a drop of a routine or view drops, with the arguments of a routine.
    async fn targets(&self, object: &Object) -> Result<Vec<(Target, Option<String>)>, Error> {
        if object.kind == Kind::View {
            let oid = catalog::view(self.session, &object.name).await?;
            let target = |oid| Target {
                class: "pg_class",
                oid,
                object: object.clone(),
            };
            return Ok(oid.map(|oid| (target(oid), None)).into_iter().collect());
        }
        let ours = self
            .before
            .get(object)
            .and_then(|entry| entry.arguments.clone());
        let routines = catalog::routines(self.session, &object.name).await?;
        let is_ours = |routine: &catalog::Routine| {
            ours.as_ref().is_none_or(|ours| *ours == routine.arguments)
        };
        let target = |routine: catalog::Routine| {
            let target = Target {
                class: "pg_proc",
                oid: routine.oid,
                object: Object::new(routine.kind, object.name.clone()),
            };
            (target, Some(routine.arguments))
        };
        Ok(routines.into_iter().filter(is_ours).map(target).collect())
    }

    async fn drop_one(&mut self, object: &Object) -> Result<(), Error> {
        if !object.kind.is_replaceable() {
            return Err(Error::StillThere(object.to_string()));
        }
        self.session
            .note(&format!("{object} is in no file any more"));
        match object.kind {
            Kind::Function | Kind::Procedure | Kind::View => {
                for (target, arguments) in self.targets(object).await? {
                    self.drop_with_dependents(target, arguments.as_deref())
                        .await?;
                }
            }
            _ => self.session.run(&object.drop_statement()).await?,
        }
        self.done.dropped.push(object.to_string());
        Ok(())
    }

    /// Takes objects and files that are gone out of the books.
    async fn forget(&mut self, gone: &[Object]) -> Result<(), Error> {
        let mut sql = String::new();
        for object in gone {
            sql.push_str(&format!(
                "delete from mill.object where kind = '{}' and name = {};\n",
                object.kind.as_str(),
                literal(&object.name)
            ));
            self.books.objects.remove(object);
        }
        let files = self.books.files.keys();
        let mut old: Vec<_> = files
            .into_iter()
            .filter(|path| !self.index.contains_key(path.as_str()))
            .collect();
        old.sort();
        for path in old {
            sql.push_str(&format!(
                "delete from mill.migration where path = {};\n",
                literal(path)
            ));
        }
        if !sql.is_empty() {
            self.session.note("what is gone is taken out of the books");
            self.session.run(&sql).await?;
        }
        Ok(())
    }
}

/// What our own functions call by name, and callers do not.
fn may_be_under_way(object: &Object) -> bool {
    let is_called = object.kind.is_routine() || object.kind == Kind::View;
    is_called && object.schema() == "mill"
}

fn is_renamed_kind(
    object: &Object,
    now: &HashMap<Object, Entry>,
    is_known: &impl Fn(&str) -> bool,
) -> bool {
    now.iter().any(|(other, entry)| {
        let is_of_one_class = (object.kind.is_routine() && other.kind.is_routine())
            || (object.kind.is_relation() && other.kind.is_relation());
        is_of_one_class
            && other.kind != object.kind
            && other.name == object.name
            && is_known(&entry.path)
    })
}
