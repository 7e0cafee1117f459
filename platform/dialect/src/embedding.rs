//! Which foreign key an embedded table is found by.

use crate::catalog::{Relation, Schema, ToOne};
use crate::query::{Embed, Join, Query, Selected};
use crate::refusal::Refusal;

/// Where embedded tables are looked for.
pub struct Embedding<'a> {
    pub schema: &'a str,
    pub relations: &'a Schema,
}

impl Embedding<'_> {
    /// Joins every table that the query embeds, or refuses. `relation` is None for rows that are no relation's.
    pub fn join(
        &self,
        query: &mut Query,
        parent: &str,
        relation: Option<&Relation>,
    ) -> Result<(), Refusal> {
        self.join_items(&mut query.select, parent, relation)
    }

    fn join_items(
        &self,
        items: &mut [Selected],
        parent: &str,
        relation: Option<&Relation>,
    ) -> Result<(), Refusal> {
        for item in items {
            let Selected::Embedded(embed) = item else {
                continue;
            };
            let found = self.find(embed, parent, relation)?;
            let target = self.relations.relations.get(&found.target);
            self.join_items(&mut embed.select, &found.target, target)?;
            embed.join = Some(Join {
                schema: self.schema.to_owned(),
                name: found.target,
                on: found.on,
            });
        }
        Ok(())
    }

    fn find(
        &self,
        embed: &Embed,
        parent: &str,
        relation: Option<&Relation>,
    ) -> Result<ToOne, Refusal> {
        let known = relation.map_or(&[][..], |relation| relation.to_one.as_slice());
        let mut fitting = known.iter().filter(|one| is_meant(one, embed));
        let none = |spread| Refusal::Embedding {
            schema: self.schema.to_owned(),
            parent: parent.to_owned(),
            child: embed.target.clone(),
            hint: embed.hint.clone(),
            spread,
        };
        match (fitting.next(), fitting.next()) {
            _ if embed.spread => Err(none(true)),
            (Some(one), None) => Ok(one.clone()),
            (None, _) => Err(none(false)),
            (Some(first), Some(second)) => Err(Refusal::AmbiguousEmbedding {
                parent: parent.to_owned(),
                child: embed.target.clone(),
                found: [first, second]
                    .into_iter()
                    .chain(fitting)
                    .cloned()
                    .collect(),
            }),
        }
    }
}

/// The other relation by its name, or the foreign key by its own or by that of its column.
fn is_meant(one: &ToOne, embed: &Embed) -> bool {
    let is_key = |name: &str| {
        let is_column = matches!(one.on.as_slice(), [(own, _)] if own == name);
        one.constraint == name || is_column
    };
    let target = &embed.target;
    let hinted = embed.hint.as_deref().is_none_or(is_key);
    (one.target == *target || is_key(target)) && hinted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(constraint: &str, target: &str, own: &str) -> ToOne {
        ToOne {
            constraint: constraint.into(),
            target: target.into(),
            on: vec![(own.into(), "id".into())],
        }
    }

    fn join(select: &str) -> Result<Query, Refusal> {
        let with = |to_one| Relation {
            to_one,
            ..Relation::default()
        };
        let jobs = with(vec![
            one("job_doc", "docs", "doc_id"),
            one("job_author", "people", "author"),
            one("job_reader", "people", "reader"),
        ]);
        let docs = with(vec![one("doc_owner", "people", "owner")]);
        let mut schema = Schema::default();
        schema.relations.insert("docs".into(), docs);
        schema.relations.insert("people".into(), with(Vec::new()));
        let embedding = Embedding {
            schema: "public",
            relations: &schema,
        };
        let mut query = Query::parse(&format!("select={select}")).unwrap();
        embedding.join(&mut query, "jobs", Some(&jobs))?;
        Ok(query)
    }

    fn joined(select: &str) -> Join {
        match join(select).unwrap().select.remove(0) {
            Selected::Embedded(embed) => embed.join.unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_table_is_found_by_its_name_its_key_or_the_column() {
        for select in ["docs(t)", "docs!job_doc(t)", "d:doc_id(t)", "job_doc(t)"] {
            let join = joined(select);
            assert_eq!(join.name, "docs", "{select}");
            assert_eq!(
                join.on,
                [("doc_id".to_owned(), "id".to_owned())],
                "{select}"
            );
        }
        assert_eq!(joined("people!reader(n)").on[0].0, "reader");
        assert!(join("docs(t,people(n))").is_ok());
    }

    #[test]
    fn a_table_that_is_not_related_is_refused() {
        for select in ["other(t)", "docs!nokey(t)", "docs(t,jobs(n))", "...docs(t)"] {
            let refused = join(select);
            assert!(
                matches!(refused, Err(Refusal::Embedding { .. })),
                "{select}"
            );
        }
    }

    #[test]
    fn a_choice_between_two_keys_is_left_to_the_caller() {
        let refused = join("people(n)").map(drop);
        assert!(
            matches!(refused, Err(Refusal::AmbiguousEmbedding { found, .. }) if found.len() == 2)
        );
    }
}
