use super::*;

fn operation_of(value: &str) -> Operation {
    match parse_filter("a", value).unwrap() {
        Condition::Compare { operation, .. } => operation,
        Condition::Group { .. } => panic!("a group"),
    }
}

fn equals(value: &str) -> Operation {
    Operation::Operator {
        sql: "=",
        quantifier: None,
        value: value.into(),
    }
}

#[test]
fn a_lone_value_reaches_to_the_end_quotes_and_all() {
    assert_eq!(operation_of("eq.a,b)\"c.d"), equals("a,b)\"c.d"));
    assert_eq!(operation_of("eq."), equals(""));
}

#[test]
fn not_negates_and_may_be_repeated() {
    let negated = |value: &str| match parse_filter("a", value).unwrap() {
        Condition::Compare { negated, .. } => negated,
        Condition::Group { .. } => panic!("a group"),
    };
    assert!(negated("not.eq.1"));
    assert!(!negated("not.not.eq.1"));
}

#[test]
fn lists_may_quote_and_may_be_empty() {
    let list = operation_of(r#"in.(a, "b,c" ,"d\"e",)"#);
    let wanted = ["a", "b,c", "d\"e", ""].map(str::to_owned).to_vec();
    assert_eq!(list, Operation::In(wanted));
    assert_eq!(operation_of("in.()"), Operation::In(vec![]));
    assert!(parse_filter("a", "in.(1").is_err());
    assert!(parse_filter("a", "in.1").is_err());
    assert!(parse_filter("a", "in.(1)x").is_err());
}

#[test]
fn is_takes_five_values_in_any_case() {
    assert_eq!(operation_of("is.NULL"), Operation::Is(IsValue::Null));
    assert_eq!(operation_of("is.not_null"), Operation::Is(IsValue::NotNull));
    assert_eq!(operation_of("is.unknown"), Operation::Is(IsValue::Unknown));
    assert!(parse_filter("a", "is.maybe").is_err());
}

#[test]
fn quantifiers_and_languages_are_taken_from_the_parentheses() {
    let any = Operation::Operator {
        sql: "=",
        quantifier: Some(Quantifier::Any),
        value: "{1,2}".into(),
    };
    assert_eq!(operation_of("eq(any).{1,2}"), any);
    let search = Operation::TextSearch {
        function: "plainto_tsquery",
        language: Some("english".into()),
        value: "cats".into(),
    };
    assert_eq!(operation_of("plfts(english).cats"), search);
    assert!(parse_filter("a", "eq(some).1").is_err());
    assert!(parse_filter("a", "cs(any).{1}").is_err());
    assert!(parse_filter("a", "in(any).(1)").is_err());
}

#[test]
fn unknown_operators_are_refused() {
    for value in ["zzz.1", "", "eq", "eq1.2", "EQ.1", "1", ".eq.1"] {
        assert!(parse_filter("a", value).is_err(), "{value}");
    }
}

#[test]
fn a_dotted_column_would_be_an_embedded_one() {
    let refused = parse_filter("b.c", "eq.1").unwrap_err();
    assert!(matches!(refused, Refusal::NotEmbedded(name) if name == "b"));
    assert!(parse_filter("\"b.c\"", "eq.1").is_ok());
}

#[test]
fn trees_nest_and_quote() {
    let tree = parse_group(
        "not.or",
        r#"(a.eq."x,y", not.and(b.in.(1,2),c.not.is.null),d.cs.{1,2},order.eq.1)"#,
    )
    .unwrap();
    let Condition::Group {
        all,
        negated,
        members,
    } = tree
    else {
        panic!("no group");
    };
    assert!(!all && negated);
    assert_eq!(members.len(), 4);
    let Condition::Compare { operation, .. } = &members[0] else {
        panic!("no comparison");
    };
    assert_eq!(*operation, equals("x,y"));
    let Condition::Group { all, negated, .. } = &members[1] else {
        panic!("no group");
    };
    assert!(all & negated);
}

#[test]
fn broken_trees_are_refused() {
    for text in [
        "",
        "()",
        "(a.eq.1",
        "(a.eq.1))",
        "(a)",
        "a.eq.1",
        "(a.eq.1,)",
    ] {
        assert!(parse_group("or", text).is_err(), "{text}");
    }
}

#[test]
fn a_tree_cannot_exhaust_the_stack() {
    let deep = format!("({}a.eq.1{})", "or(".repeat(10_000), ")".repeat(10_000));
    assert!(parse_group("or", &deep).is_err());
}

#[test]
fn arguments_are_told_from_filters() {
    assert!(looks_like_filter("eq.1"));
    assert!(looks_like_filter("not.is.null"));
    assert!(looks_like_filter("eq(any).{1}"));
    assert!(!looks_like_filter("3.5"));
    assert!(!looks_like_filter("plain"));
}
