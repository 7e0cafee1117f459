//! Applies files to a database that may have earlier versions of them, and removes what no file has any more.
//!
//! A file of a part that is being installed is run as it is. A file that was applied before is run statement by statement:
//!
//! - A routine or view is created or replaced in a savepoint. Postgres itself judges whether that works. If it refuses
//!   (another return type, parameter name or column), or if a second routine of the same name came to be (another
//!   parameter), the old one is dropped with its dependents and the statement is run again. The files of the dependents
//!   are applied again after it, in the order of the manifest.
//! - A trigger or policy whose statement has not changed is left alone: making it again would lock its table.
//! - Privileges and comments are set back to those of a new object first.
//!
//! What no file has any more is dropped by [`gone`].
//!
//! What a file makes is read from its text, and a DO block or a call books nothing. Rejected: to compare the catalog before
//! and after such a file. What a user makes at the same moment would be taken for ours, and be dropped with its part.

mod gone;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use tokio_postgres::error::SqlState;

use super::books::{self, Books, Entry};
use super::catalog;
use super::choice::Choice;
use super::dependents::{self, Target};
use super::due::{Due, Why};
use super::error::{self, Error};
use super::locks::{self, Manner, Tables};
use super::manifest::{File, Manifest, Mode};
use super::object::{Kind, Object, literal};
use super::place::Places;
use super::privileges;
use super::session::Session;
use super::statements::{Does, Statement, Strength};
pub(crate) use gone::Gone;

/// What a run has done, for the report.
#[derive(Debug, Default)]
pub(super) struct Done {
    /// Files that were applied because they were due.
    pub(super) applied: Vec<String>,
    /// Objects that were dropped to be created anew.
    pub(super) recreated: Vec<String>,
    /// Objects that no file has any more.
    pub(super) dropped: Vec<String>,
    /// Whether such objects were left for calls that are under way.
    pub(super) has_left: bool,
}

/// A file more often applied than this depends on what it is depended on by.
const MOST_ROUNDS: usize = 5;

/// One run over one database.
pub(super) struct Upgrade<'a, 'b> {
    session: &'a mut Session<'b>,
    books: &'a mut Books,
    places: &'a Places,
    schemas: BTreeSet<String>,
    added: HashSet<&'a str>,
    /// Every file of an installed part, in order.
    files: Vec<(&'a str, &'a File)>,
    index: HashMap<&'a str, usize>,
    /// Files to apply, by their place.
    queue: BTreeMap<usize, Why>,
    rounds: HashMap<usize, usize>,
    /// What was in the books at the beginning.
    before: HashMap<Object, Entry>,
    /// Statements that put back what a table's own file has made.
    afterwards: Vec<String>,
    part: String,
    done: Done,
}

impl<'a, 'b> Upgrade<'a, 'b> {
    pub(super) fn new(
        session: &'a mut Session<'b>,
        books: &'a mut Books,
        places: &'a Places,
        manifest: &'a Manifest,
        choice: &'a Choice,
    ) -> Self {
        let files: Vec<_> = manifest
            .files()
            .filter(|(part, _)| choice.parts.contains_key(&part.name))
            .map(|(part, file)| (part.name.as_str(), file))
            .collect();
        let index = files
            .iter()
            .enumerate()
            .map(|(place, (_, file))| (file.path.as_str(), place))
            .collect();
        let before = books.objects.clone();
        Self {
            session,
            books,
            places,
            schemas: schemas(choice),
            added: choice.added.iter().map(String::as_str).collect(),
            files,
            index,
            queue: BTreeMap::new(),
            rounds: HashMap::new(),
            before,
            afterwards: Vec::new(),
            part: String::new(),
            done: Done::default(),
        }
    }

    /// Brings everything up to date. `manner` is how it comes to its locks.
    pub(super) async fn run(
        mut self,
        due: &[Due<'a>],
        manner: &Manner,
        gone: Gone,
    ) -> Result<Done, Error> {
        self.refuse_taken(due).await?;
        self.take_locks(due, manner).await?;
        for due in due.iter().filter(|due| due.why == Why::Migration) {
            self.migrate(due).await?;
        }
        for due in due {
            match due.why {
                Why::Migration => {}
                Why::Adopted => self.adopt(due.file).await?,
                Why::New | Why::Changed => {
                    if let Some(place) = self.index.get(due.file.path.as_str()) {
                        self.queue.insert(*place, due.why);
                    }
                }
            }
        }
        self.work_off().await?;
        self.drop_gone(gone).await?;
        // A gone view may have taken others with it.
        self.work_off().await?;
        for statement in std::mem::take(&mut self.afterwards) {
            self.session.run(&statement).await?;
        }
        self.enter("").await?;
        if !self.done.applied.is_empty() {
            self.session.run(books::RECORD_ARGUMENTS).await?;
        }
        Ok(self.done)
    }

    async fn work_off(&mut self) -> Result<(), Error> {
        while let Some((place, why)) = self.queue.pop_first() {
            let (part, file) = self.files[place];
            let rounds = self.rounds.entry(place).or_default();
            *rounds += 1;
            if *rounds > MOST_ROUNDS {
                return Err(Error::Circle(file.path.clone()));
            }
            self.enter(part).await?;
            self.session.note(&format!("sql/{}", file.path));
            self.apply(part, file, why).await?;
            if !self.done.applied.contains(&file.path) {
                self.done.applied.push(file.path.clone());
            }
        }
        Ok(())
    }

    /// Names the part whose files come now: registry tables note it beside each row.
    async fn enter(&mut self, part: &str) -> Result<(), Error> {
        if self.part != part {
            let sql = format!("set local mill.part = {};", literal(part));
            self.session.run(&sql).await?;
            part.clone_into(&mut self.part);
        }
        Ok(())
    }

    async fn refuse_taken(&mut self, due: &[Due<'a>]) -> Result<(), Error> {
        let there = catalog::names(self.session, &self.schemas).await?;
        let mut taken = Vec::new();
        let mut can_move = false;
        for due in due
            .iter()
            .filter(|due| matches!(due.why, Why::New | Why::Changed))
        {
            let statements = books::statements_of(due.file, self.places);
            for object in catalog::taken(&statements, &there, self.books) {
                can_move |= !due.part.insists_on_public() && object.schema() != "mill";
                taken.push(format!("{object} (wanted by {})", due.part.name));
            }
        }
        if taken.is_empty() {
            return Ok(());
        }
        Err(Error::Taken {
            taken,
            way_out: error::way_out(can_move).to_owned(),
        })
    }

    async fn take_locks(&mut self, due: &[Due<'a>], manner: &Manner) -> Result<(), Error> {
        let mut tables = Tables::default();
        let mut declared = HashSet::new();
        for due in due {
            let statements = books::statements_of(due.file, self.places);
            declared.extend(statements.iter().flat_map(Statement::makes).cloned());
            if due.why == Why::Adopted {
                continue;
            }
            let unchanged = self.unchanged(&statements).await?;
            for statement in statements.iter().filter(|s| !is_skipped(s, &unchanged)) {
                tables.add_of(statement);
            }
        }
        // Triggers and policies that this run will probably drop.
        let is_due = |path: &str| due.iter().any(|due| due.file.path == path);
        for (object, entry) in &self.before {
            // One whose file has moved is declared by the file in its new place, and is not dropped.
            let is_gone = !declared.contains(object)
                && (!self.index.contains_key(entry.path.as_str()) || is_due(&entry.path));
            if let Some((_, table)) = object.name.rsplit_once(" on ").filter(|_| is_gone) {
                tables.add(table, Strength::AccessExclusive);
            }
        }
        locks::take(self.session, tables, manner).await
    }

    async fn migrate(&mut self, due: &Due<'a>) -> Result<(), Error> {
        self.enter(&due.part.name).await?;
        self.session.note(&format!("sql/{}", due.file.path));
        let text = self.places.put(&due.file.text);
        self.apply_text(&due.file.path, &text).await?;
        self.session.run(&books::record(due.file, &[])).await?;
        self.done.applied.push(due.file.path.clone());
        Ok(())
    }

    async fn apply_text(&mut self, path: &str, text: &str) -> Result<(), Error> {
        self.session.run(text).await.map_err(|source| Error::Apply {
            path: path.to_owned(),
            source,
        })
    }

    /// Writes a file down whose result is there already.
    async fn adopt(&mut self, file: &File) -> Result<(), Error> {
        let mut objects = Vec::new();
        if file.mode == Mode::Once {
            let statements = books::statements_of(file, self.places);
            for (object, checksum) in books::declared(&statements) {
                if catalog::exists(self.session, &object).await? {
                    objects.push((object, checksum));
                }
            }
        }
        self.session.note(&format!("sql/{} is in place", file.path));
        self.write_down(file, &objects).await
    }

    async fn write_down(
        &mut self,
        file: &File,
        objects: &[(Object, Option<String>)],
    ) -> Result<(), Error> {
        self.session.run(&books::record(file, objects)).await?;
        self.books
            .objects
            .retain(|_, entry| entry.path != file.path);
        for (object, checksum) in objects {
            let earlier = self.before.get(object);
            let entry = Entry {
                path: file.path.clone(),
                arguments: earlier.and_then(|entry| entry.arguments.clone()),
                checksum: checksum.clone(),
            };
            self.books.objects.insert(object.clone(), entry);
        }
        Ok(())
    }

    async fn apply(&mut self, part: &str, file: &File, why: Why) -> Result<(), Error> {
        let text = self.places.put(&file.text);
        let statements = super::statements::of(&text);
        // In a new part nothing can be there already; the names were looked at.
        if why == Why::New && self.added.contains(part) {
            self.apply_text(&file.path, &text).await?;
        } else {
            self.apply_again(file, &statements).await?;
        }
        let mut made = books::declared(&statements);
        let mut seen = HashSet::new();
        made.retain(|(object, _)| seen.insert(object.clone()));
        self.write_down(file, &made).await
    }

    async fn apply_again(&mut self, file: &File, statements: &[Statement]) -> Result<(), Error> {
        let unchanged = self.unchanged(statements).await?;
        for statement in statements.iter().filter(|s| !is_skipped(s, &unchanged)) {
            match statement.creates() {
                Some(object) if object.kind.is_routine() => {
                    self.replace_routine(file, statement, object).await?;
                }
                Some(object) if object.kind == Kind::View => {
                    self.replace_view(file, statement, object).await?;
                }
                _ => self.apply_text(&file.path, &statement.text).await?,
            }
        }
        Ok(())
    }

    /// The triggers and policies of a file that are there in this very form.
    async fn unchanged(&self, statements: &[Statement]) -> Result<HashSet<Object>, Error> {
        let mut found = HashSet::new();
        for statement in statements {
            let (Some(object), Some(checksum)) =
                (statement.creates(), books::fingerprint(statement))
            else {
                continue;
            };
            let entry = self.books.objects.get(object);
            let is_same = entry.is_some_and(|entry| entry.checksum.as_ref() == Some(&checksum));
            if is_same && catalog::exists(self.session, object).await? {
                found.insert(object.clone());
            }
        }
        Ok(found)
    }

    async fn replace_routine(
        &mut self,
        file: &File,
        statement: &Statement,
        object: &Object,
    ) -> Result<(), Error> {
        let there = catalog::routines(self.session, &object.name).await?;
        self.refuse_overloads(object, &there)?;
        let [old] = there.as_slice() else {
            return self.apply_text(&file.path, &statement.text).await;
        };
        privileges::reset(self.session, "pg_proc", old.oid).await?;
        let refused = self.attempt(file, statement).await?;
        let is_single = refused || catalog::routines(self.session, &object.name).await?.len() == 1;
        if !refused && is_single {
            return self.keep_attempt(statement).await;
        }
        self.session
            .quietly("rollback to savepoint gristmill")
            .await?;
        let target = Target {
            class: "pg_proc",
            oid: old.oid,
            object: Object::new(old.kind, object.name.clone()),
        };
        self.drop_with_dependents(target, Some(&old.arguments))
            .await?;
        self.done.recreated.push(object.to_string());
        self.apply_text(&file.path, &statement.text).await
    }

    async fn replace_view(
        &mut self,
        file: &File,
        statement: &Statement,
        object: &Object,
    ) -> Result<(), Error> {
        let Some(oid) = catalog::view(self.session, &object.name).await? else {
            return self.apply_text(&file.path, &statement.text).await;
        };
        privileges::reset(self.session, "pg_class", oid).await?;
        if !self.attempt(file, statement).await? {
            return self.keep_attempt(statement).await;
        }
        self.session
            .quietly("rollback to savepoint gristmill")
            .await?;
        let target = Target {
            class: "pg_class",
            oid,
            object: object.clone(),
        };
        self.drop_with_dependents(target, None).await?;
        self.done.recreated.push(object.to_string());
        self.apply_text(&file.path, &statement.text).await
    }

    /// Runs a statement in a savepoint; true when Postgres says that the old object stands in the way.
    async fn attempt(&mut self, file: &File, statement: &Statement) -> Result<bool, Error> {
        let sql = format!("savepoint gristmill;\n{}\n", statement.text);
        let Err(source) = self.session.quietly(&sql).await else {
            return Ok(false);
        };
        let stands_in_the_way = [
            SqlState::INVALID_FUNCTION_DEFINITION,
            SqlState::INVALID_TABLE_DEFINITION,
            SqlState::WRONG_OBJECT_TYPE,
        ];
        match source
            .code()
            .is_some_and(|code| stands_in_the_way.contains(code))
        {
            true => Ok(true),
            false => Err(Error::Apply {
                path: file.path.clone(),
                source,
            }),
        }
    }

    async fn keep_attempt(&mut self, statement: &Statement) -> Result<(), Error> {
        self.session.quietly("release savepoint gristmill").await?;
        self.session.keep(&statement.text);
        Ok(())
    }

    /// A routine of the user with our name and other arguments: PostgREST could not choose, and it is not ours to drop.
    fn refuse_overloads(&self, object: &Object, there: &[catalog::Routine]) -> Result<(), Error> {
        let arguments = self.before.iter().find_map(|(known, entry)| {
            let is_it = known.kind.is_routine() && known.name == object.name;
            is_it.then_some(entry.arguments.as_deref()).flatten()
        });
        let foreign: Vec<_> = there
            .iter()
            .filter(|_| there.len() > 1)
            .filter(|routine| arguments.is_some_and(|ours| ours != routine.arguments))
            .map(|routine| {
                format!(
                    "{} {}({})",
                    routine.kind.as_str(),
                    object.name,
                    routine.arguments
                )
            })
            .collect();
        match foreign.is_empty() {
            true => Ok(()),
            false => Err(Error::Taken {
                taken: foreign,
                way_out: "Rename yours: a second function of the same name keeps PostgREST from choosing.".to_owned(),
            }),
        }
    }

    async fn drop_with_dependents(
        &mut self,
        target: Target,
        arguments: Option<&str>,
    ) -> Result<(), Error> {
        let dependents = dependents::of(self.session, &target).await?;
        let can_be_applied_again = |path: &str| {
            // A file that is gone leaves nothing to apply.
            self.index
                .get(path)
                .is_none_or(|place| self.files[*place].1.mode == Mode::Always)
        };
        let aftermath = dependents::judge(
            &target.object,
            &dependents,
            self.books,
            can_be_applied_again,
        )?;
        for path in aftermath.paths {
            if let Some(place) = self.index.get(path.as_str()) {
                self.queue.entry(*place).or_insert(Why::Changed);
            }
        }
        self.afterwards.extend(aftermath.statements);
        let statement = match arguments {
            Some(arguments) => format!(
                "drop {} {}({arguments}) cascade",
                target.object.kind.as_str(),
                super::object::quoted(&target.object.name)
            ),
            None => format!("{} cascade", target.object.drop_statement()),
        };
        self.session.run(&statement).await?;
        Ok(())
    }
}

fn is_skipped(statement: &Statement, unchanged: &HashSet<Object>) -> bool {
    match &statement.does {
        Does::Creates(object) | Does::Drops(object) => unchanged.contains(object),
        _ => false,
    }
}

/// The schemas that hold our objects.
pub(super) fn schemas(choice: &Choice) -> BTreeSet<String> {
    let mut schemas: BTreeSet<String> = choice
        .parts
        .values()
        .map(|part| part.schema.clone())
        .collect();
    schemas.insert("mill".to_owned());
    schemas.insert("public".to_owned());
    schemas
}
