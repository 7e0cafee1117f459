use super::*;
use crate::catalog::Column;

fn relation() -> Relation {
    let column = |name: &str, default: Option<&str>| Column {
        name: name.into(),
        sql_type: "integer".into(),
        default: default.map(str::to_owned),
    };
    Relation {
        columns: vec![column("id", None), column("n", Some("7"))],
        primary_key: vec!["id".into()],
        ..Relation::default()
    }
}

fn payload(json: &'static str, fill_defaults: bool) -> Payload {
    Payload {
        json: Bytes::from_static(json.as_bytes()),
        is_array: json.starts_with('['),
        columns: vec!["id".into(), "n".into()],
        fill_defaults,
    }
}

fn statement(query: &str, change: Change, answer: WriteAnswer) -> String {
    let write = Write {
        schema: "s",
        name: "t",
        relation: &relation(),
        query: &Query::parse(query).unwrap(),
        change,
        answer,
    };
    write.statement().text
}

fn insert(payload: Payload, on_conflict: Option<OnConflict>) -> Change {
    Change::Insert {
        payload,
        on_conflict,
        only_matching: false,
    }
}

#[test]
fn a_minimal_write_reads_no_column() {
    let sql = statement("id=eq.1", Change::Delete, WriteAnswer::Nothing);
    assert!(sql.contains(
        "delete from \"s\".\"t\" as pgrst_t where pgrst_t.\"id\" = $1 returning 1 as pgrst_one"
    ));
}

#[test]
fn only_shown_columns_are_returned() {
    let answer = WriteAnswer::Rows(Format::Json);
    let sql = statement("select=n&order=id", Change::Delete, answer);
    assert!(sql.contains("returning pgrst_t.\"n\", pgrst_t.\"id\")"));
    let sql = statement("", Change::Delete, answer);
    assert!(sql.contains("returning pgrst_t.*)"));
}

#[test]
fn a_merge_counts_what_it_updates() {
    let conflict = OnConflict {
        columns: vec!["id".into()],
        merge: true,
    };
    let change = insert(payload("[{}]", false), Some(conflict));
    let sql = statement("", change, WriteAnswer::Nothing);
    assert!(
        sql.contains("json_to_recordset($1::json) as pgrst_body(\"id\" integer, \"n\" integer)")
    );
    assert!(sql.contains("on conflict (\"id\") do update set \"id\" = excluded.\"id\", "));
    assert!(sql.contains("where set_config('pgrst.updated'"));
}

#[test]
fn missing_columns_take_their_defaults_when_asked_to() {
    let change = insert(payload("{}", true), None);
    let sql = statement("", change, WriteAnswer::Nothing);
    assert!(sql.contains("jsonb_build_object('n', 7) || pgrst_row"));
}

#[test]
fn an_update_takes_one_row_of_the_payload() {
    let change = Change::Update(payload("{}", false));
    let sql = statement("id=eq.1", change, WriteAnswer::Nothing);
    assert!(sql.contains("set \"id\" = pgrst_body.\"id\", \"n\" = pgrst_body.\"n\" from (select"));
    assert!(sql.contains("limit 1) pgrst_body where pgrst_t.\"id\" = $2"));
}

#[test]
fn an_update_of_nothing_touches_nothing() {
    let mut empty = payload("{}", false);
    empty.columns.clear();
    let sql = statement("", Change::Update(empty), WriteAnswer::Nothing);
    assert!(sql.contains("where false"));
}

#[test]
fn a_put_inserts_only_what_matches_its_filters() {
    let change = Change::Insert {
        payload: payload("{}", false),
        on_conflict: None,
        only_matching: true,
    };
    let sql = statement("id=eq.1", change, WriteAnswer::Nothing);
    assert!(sql.contains("where pgrst_body.\"id\" = $2"));
}
