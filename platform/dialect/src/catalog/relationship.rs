//! Which relations name rows of which others: foreign keys, also through views that show the columns of a key.

use std::collections::HashMap;

use super::origin::origins;
use super::{Schema, ToOne};

/// How many views may lie upon each other.
const DEEPEST_VIEW: usize = 10;

/// A relation that requests may name.
pub struct Exposed {
    pub schema: String,
    pub name: String,
    pub oid: i64,
    pub is_view: bool,
    /// By number.
    pub columns: Vec<(i16, String)>,
}

pub struct ForeignKey {
    pub name: String,
    pub table: i64,
    pub columns: Vec<i16>,
    pub target: i64,
    pub target_columns: Vec<i16>,
}

/// What each column of a view passes on.
#[derive(Default)]
pub struct View(HashMap<i16, (i64, i16)>);

impl View {
    pub fn read(definition: &str) -> Self {
        let origins = origins(definition);
        let columns = origins.into_iter();
        Self(
            columns
                .map(|o| (o.number, (o.relation, o.column)))
                .collect(),
        )
    }
}

/// Tells each relation of the rows that it names, within its schema.
pub fn relate(
    schemas: &mut HashMap<String, Schema>,
    exposed: &[Exposed],
    keys: &[ForeignKey],
    views: &HashMap<i64, View>,
) {
    let mut shown: HashMap<i64, Vec<Shown<'_>>> = HashMap::new();
    for relation in exposed {
        for (table, columns) in tables_behind(relation, views) {
            shown
                .entry(table)
                .or_default()
                .push(Shown { relation, columns });
        }
    }
    for key in keys {
        let behind = |table: i64| shown.get(&table).map_or(&[][..], Vec::as_slice);
        for source in behind(key.table) {
            let Some(here) = source.names(&key.columns) else {
                continue;
            };
            let same_schema =
                |target: &&Shown<'_>| target.relation.schema == source.relation.schema;
            for target in behind(key.target).iter().filter(same_schema) {
                let Some(there) = target.names(&key.target_columns) else {
                    continue;
                };
                let schema = schemas.get_mut(&source.relation.schema);
                let relation = schema.and_then(|s| s.relations.get_mut(&source.relation.name));
                if let Some(relation) = relation {
                    relation.to_one.push(ToOne {
                        constraint: key.name.clone(),
                        target: target.relation.name.clone(),
                        on: here.iter().cloned().zip(there).collect(),
                    });
                }
            }
        }
    }
}

/// A relation as one that shows columns of a table, by the table's numbers.
struct Shown<'a> {
    relation: &'a Exposed,
    columns: HashMap<i16, String>,
}

impl Shown<'_> {
    /// What the relation calls these columns of the table, if it shows them all.
    fn names(&self, numbers: &[i16]) -> Option<Vec<String>> {
        let name = |number: &i16| self.columns.get(number).cloned();
        numbers.iter().map(name).collect()
    }
}

/// The tables whose columns a relation shows: a table its own, a view those that it passes on.
fn tables_behind(
    relation: &Exposed,
    views: &HashMap<i64, View>,
) -> HashMap<i64, HashMap<i16, String>> {
    let mut tables: HashMap<i64, HashMap<i16, String>> = HashMap::new();
    for (number, name) in &relation.columns {
        let mut place = (relation.oid, *number);
        let mut is_known = !relation.is_view;
        for _ in 0..DEEPEST_VIEW {
            match views.get(&place.0) {
                None => {
                    is_known = true;
                    break;
                }
                Some(view) => match view.0.get(&place.1) {
                    Some(next) => place = *next,
                    None => break,
                },
            }
        }
        if is_known {
            // The first of several columns that show the same one.
            let columns = tables.entry(place.0).or_default();
            columns.entry(place.1).or_insert_with(|| name.clone());
        }
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::super::Relation;
    use super::*;

    fn exposed(oid: i64, name: &str, is_view: bool, columns: &[(i16, &str)]) -> Exposed {
        let columns = columns.iter().map(|(n, c)| (*n, (*c).to_owned()));
        Exposed {
            schema: "s".into(),
            name: name.into(),
            oid,
            is_view,
            columns: columns.collect(),
        }
    }

    fn to_one(relation: &str, exposed: &[Exposed], views: &HashMap<i64, View>) -> Vec<ToOne> {
        let keys = [ForeignKey {
            name: "fk".into(),
            table: 1,
            columns: vec![2],
            target: 2,
            target_columns: vec![1],
        }];
        let mut schema = Schema::default();
        for one in exposed {
            schema
                .relations
                .insert(one.name.clone(), Relation::default());
        }
        let mut schemas = HashMap::from([("s".to_owned(), schema)]);
        relate(&mut schemas, exposed, &keys, views);
        schemas["s"].relations[relation].to_one.clone()
    }

    fn found(target: &str, here: &str, there: &str) -> ToOne {
        ToOne {
            constraint: "fk".into(),
            target: target.into(),
            on: vec![(here.into(), there.into())],
        }
    }

    #[test]
    fn a_table_names_rows_by_its_foreign_key_and_not_the_other_way() {
        let relations = [
            exposed(1, "jobs", false, &[(1, "id"), (2, "doc")]),
            exposed(2, "docs", false, &[(1, "id")]),
        ];
        let views = HashMap::new();
        assert_eq!(
            to_one("jobs", &relations, &views),
            [found("docs", "doc", "id")]
        );
        assert_eq!(to_one("docs", &relations, &views), []);
    }

    #[test]
    fn a_view_upon_a_view_names_rows_by_the_key_of_a_hidden_table() {
        let relations = [
            exposed(9, "jobs", true, &[(1, "n"), (2, "document")]),
            exposed(2, "docs", false, &[(1, "id")]),
        ];
        let views = HashMap::from([
            (9, View(HashMap::from([(2, (8, 5))]))),
            (8, View(HashMap::from([(5, (1, 2))]))),
        ]);
        assert_eq!(
            to_one("jobs", &relations, &views),
            [found("docs", "document", "id")]
        );
    }

    #[test]
    fn a_view_without_the_column_of_the_key_names_nothing() {
        let relations = [
            exposed(9, "jobs", true, &[(1, "n")]),
            exposed(2, "docs", false, &[(1, "id")]),
        ];
        let views = HashMap::from([(9, View(HashMap::from([(1, (1, 1))])))]);
        assert_eq!(to_one("jobs", &relations, &views), []);
        // Views that go round in a circle cannot be, and end all the same.
        let views = HashMap::from([(9, View(HashMap::from([(1, (9, 1))])))]);
        assert_eq!(to_one("jobs", &relations, &views), []);
    }
}
