//! Decides which parts a database shall have: from what is installed and what `--with` and `--without` ask for.

use std::collections::{BTreeMap, BTreeSet};

use super::manifest::{Kind, Manifest, Part};
use super::place;

/// What the command line asks for.
#[derive(Debug, Clone, Default)]
pub(super) struct Asked {
    /// Applications to add.
    pub(super) with: Vec<String>,
    /// Applications to remove.
    pub(super) without: Vec<String>,
    /// Where the exposed objects of what is added go.
    pub(super) schema: Option<String>,
}

/// A part in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Installed {
    /// Where its exposed objects lie.
    pub(super) schema: String,
    /// Named by a user, not only needed by another part.
    pub(super) asked: bool,
}

/// Which parts there shall be.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    /// Every part that is there in the end.
    pub(super) parts: BTreeMap<String, Installed>,
    /// Those of them that were not there before, in the order of the manifest.
    pub(super) added: Vec<String>,
    /// Those that go, in the order of the manifest.
    pub(super) removed: Vec<String>,
}

/// Why a choice cannot be made.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum Error {
    /// No such application.
    #[error("there is no application named {name}; known are: {known}, all")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// Asked to remove what is not there.
    #[error("{0} is not installed in this database, so it cannot be removed")]
    NotInstalled(String),
    /// Both added and removed.
    #[error("{0} is named by --with and by --without; name it once")]
    Both(String),
    /// Something that stays needs it.
    #[error(
        "{removed} cannot be removed: {by} needs it. Remove both with: --without {removed},{by}"
    )]
    Needed {
        /// What was to go.
        removed: String,
        /// What stays.
        by: String,
    },
    /// The schema's name cannot be used.
    #[error(
        "--schema {0} cannot be used: take a name of lowercase letters, digits and underscores that is no keyword of SQL and no schema of the system"
    )]
    Schema(String),
    /// A schema without anything to put there.
    #[error("--schema says where the applications of --with go; name them with --with")]
    SchemaAlone,
    /// The compatible names must be where callers look for them.
    #[error(
        "{0} cannot go to another schema: it holds names that existing callers use, and they look in public. \
         Install it without --schema, in a command of its own"
    )]
    InsistsOnPublic(String),
    /// It is somewhere else already.
    #[error(
        "{name} is installed in schema {schema} already and cannot be moved; leave --schema out"
    )]
    Elsewhere {
        /// The application.
        name: String,
        /// Where it is.
        schema: String,
    },
    /// The database has a part that this version has not.
    #[error(
        "this database has part {0}, which this version of gristmill does not know; use the version that installed it, or a newer one"
    )]
    Newer(String),
}

/// Makes the choice.
pub(super) fn choose(
    manifest: &Manifest,
    installed: &BTreeMap<String, Installed>,
    asked: &Asked,
) -> Result<Choice, Error> {
    if let Some(name) = installed.keys().find(|name| manifest.part(name).is_none()) {
        return Err(Error::Newer(name.clone()));
    }
    let with = applications(manifest, &asked.with)?;
    let without = applications(manifest, &asked.without)?;
    if let Some(name) = with.intersection(&without).next() {
        return Err(Error::Both(name.clone()));
    }
    let missing = without.iter().find(|name| !installed.contains_key(*name));
    if let Some(name) = missing.filter(|_| !asked.without.iter().any(|name| name == "all")) {
        return Err(Error::NotInstalled(name.clone()));
    }
    check_schema(manifest, installed, asked, &with)?;

    let was_asked = installed.iter().filter(|(_, part)| part.asked);
    let mut roots: BTreeSet<String> = was_asked.map(|(name, _)| name.clone()).collect();
    roots.extend(with);
    roots.retain(|name| !without.contains(name));
    let wanted = closure(manifest, &roots);
    if let Some(removed) = without.iter().find(|name| wanted.contains(*name)) {
        let needs = |name: &&String| {
            closure(manifest, &BTreeSet::from([(*name).clone()])).contains(removed)
        };
        return Err(Error::Needed {
            removed: removed.clone(),
            by: roots.iter().find(needs).cloned().unwrap_or_default(),
        });
    }

    let mut choice = Choice::default();
    for part in &manifest.parts {
        let before = installed.get(&part.name);
        if !wanted.contains(&part.name) {
            if before.is_some() {
                choice.removed.push(part.name.clone());
            }
            continue;
        }
        let schema = before.map_or_else(|| new_schema(part, asked), |part| part.schema.clone());
        let asked = roots.contains(&part.name);
        choice
            .parts
            .insert(part.name.clone(), Installed { schema, asked });
        if before.is_none() {
            choice.added.push(part.name.clone());
        }
    }
    Ok(choice)
}

fn new_schema(part: &Part, asked: &Asked) -> String {
    match &asked.schema {
        Some(schema) if !part.insists_on_public() => schema.clone(),
        _ => "public".to_owned(),
    }
}

fn applications(manifest: &Manifest, names: &[String]) -> Result<BTreeSet<String>, Error> {
    let known = || {
        let all = manifest.parts.iter();
        all.filter(|part| part.kind == Kind::Application)
            .map(|part| part.name.clone())
    };
    let mut found = BTreeSet::new();
    for name in names {
        if name == "all" {
            found.extend(known());
        } else if known().any(|other| other == *name) {
            found.insert(name.clone());
        } else {
            return Err(Error::Unknown {
                name: name.clone(),
                known: known().collect::<Vec<_>>().join(", "),
            });
        }
    }
    Ok(found)
}

fn check_schema(
    manifest: &Manifest,
    installed: &BTreeMap<String, Installed>,
    asked: &Asked,
    with: &BTreeSet<String>,
) -> Result<(), Error> {
    let Some(schema) = &asked.schema else {
        return Ok(());
    };
    if with.is_empty() {
        return Err(Error::SchemaAlone);
    }
    if !place::is_plain(schema) {
        return Err(Error::Schema(schema.clone()));
    }
    for name in with {
        let insists = manifest.part(name).is_some_and(Part::insists_on_public);
        if insists && schema != "public" {
            return Err(Error::InsistsOnPublic(name.clone()));
        }
        if let Some(part) = installed.get(name).filter(|part| part.schema != *schema) {
            return Err(Error::Elsewhere {
                name: name.clone(),
                schema: part.schema.clone(),
            });
        }
    }
    Ok(())
}

/// The base parts, the named ones, what they need, and the joints of what is there then.
fn closure(manifest: &Manifest, roots: &BTreeSet<String>) -> BTreeSet<String> {
    let mut wanted: BTreeSet<String> = roots.clone();
    // What a part needs stands above it, so one walk from the bottom up finds all.
    for part in manifest.parts.iter().rev() {
        if part.kind == Kind::Base {
            wanted.insert(part.name.clone());
        } else if wanted.contains(&part.name) {
            wanted.extend(part.needs.iter().cloned());
        }
    }
    for part in manifest.parts.iter().filter(|p| p.kind == Kind::Joint) {
        if part.needs.iter().all(|need| wanted.contains(need)) {
            wanted.insert(part.name.clone());
        }
    }
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest;

    fn parts() -> Manifest {
        manifest::of(
            "part engine base\npart identity library\npart usage library needs identity\n\
             part documents application needs usage\npart exports application\npart reports application needs exports\n\
             part compat application\npart compat/exports joint needs compat exports\n",
        )
    }

    fn asked(with: &[&str], without: &[&str], schema: Option<&str>) -> Asked {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Asked {
            with: owned(with),
            without: owned(without),
            schema: schema.map(str::to_owned),
        }
    }

    fn after(installed: &Choice, asked: &Asked) -> Result<Choice, Error> {
        choose(&parts(), &installed.parts, asked)
    }

    #[test]
    fn an_empty_database_gets_the_base_parts_alone() {
        let choice = after(&Choice::default(), &Asked::default()).unwrap();
        assert_eq!(choice.added, ["engine"]);
    }

    #[test]
    fn an_application_brings_its_libraries_and_joints_and_takes_them_away_again() {
        let first = after(
            &Choice::default(),
            &asked(&["documents", "compat"], &[], None),
        )
        .unwrap();
        assert_eq!(
            first.added,
            ["engine", "identity", "usage", "documents", "compat"]
        );
        assert!(!first.parts["usage"].asked);
        let second = after(&first, &asked(&["exports"], &[], None)).unwrap();
        assert_eq!(second.added, ["exports", "compat/exports"]);
        let third = after(&second, &asked(&[], &["documents", "exports"], None)).unwrap();
        assert_eq!(
            third.removed,
            [
                "identity",
                "usage",
                "documents",
                "exports",
                "compat/exports"
            ]
        );
        assert_eq!(third.parts.len(), 2);
    }

    #[test]
    fn what_another_application_needs_is_not_removed() {
        let both = after(&Choice::default(), &asked(&["reports"], &[], None)).unwrap();
        assert_eq!(
            after(&both, &asked(&[], &["exports"], None)),
            Err(Error::Needed {
                removed: "exports".into(),
                by: "reports".into()
            })
        );
    }

    #[test]
    fn a_schema_holds_what_is_added_but_for_the_compatible_names() {
        let there = after(&Choice::default(), &asked(&["exports"], &[], Some("ours"))).unwrap();
        assert_eq!(
            (
                there.parts["exports"].schema.as_str(),
                there.parts["engine"].schema.as_str()
            ),
            ("ours", "public")
        );
        let joint = after(&there, &asked(&["compat"], &[], None)).unwrap();
        assert_eq!(joint.parts["compat/exports"].schema, "public");
        for (with, schema) in [
            ("compat", "ours"),
            ("exports", "other"),
            ("documents", "Bad"),
        ] {
            assert!(after(&there, &asked(&[with], &[], Some(schema))).is_err());
        }
        assert_eq!(
            after(&there, &asked(&[], &[], Some("x"))),
            Err(Error::SchemaAlone)
        );
    }

    #[test]
    fn a_name_that_is_no_application_is_refused_with_those_that_are() {
        let error = after(&Choice::default(), &asked(&["usage"], &[], None)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no application named usage; known are: documents, exports, reports, compat, all"
        );
        assert!(after(&Choice::default(), &asked(&[], &["exports"], None)).is_err());
        assert!(after(&Choice::default(), &asked(&["exports"], &["exports"], None)).is_err());
    }

    #[test]
    fn a_part_of_a_newer_version_is_refused() {
        let mut newer = Choice::default();
        newer.parts.insert(
            "future".into(),
            Installed {
                schema: "public".into(),
                asked: true,
            },
        );
        assert_eq!(
            after(&newer, &Asked::default()),
            Err(Error::Newer("future".into()))
        );
    }
}
