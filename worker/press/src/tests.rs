use super::*;

fn press(presses: usize) -> Press {
    let limits = Args {
        render_seconds: 30,
        render_memory: 512,
    };
    let children = Arc::new(Children::new(1, None, "/bin/false".into()).unwrap());
    Press::new(&limits, presses, children)
}

#[test]
fn one_owner_has_half_of_the_presses_and_never_all_of_them() {
    for (processors, share) in [(1, 1), (2, 1), (4, 2), (9, 4)] {
        let press = press(processors);
        let owner = Some(Uuid::from_u128(1));
        assert_eq!(press.share_of(owner).available_permits(), share);
        assert!(share < press.presses.available_permits());
    }
}

#[test]
fn a_share_is_the_same_for_all_documents_of_an_owner_and_forgotten_after_the_last() {
    let press = press(2);
    let owner = |n| Some(Uuid::from_u128(n));
    let (first, second) = (press.share_of(owner(1)), press.share_of(owner(1)));
    assert!(Arc::ptr_eq(&first, &second));
    assert!(!Arc::ptr_eq(&first, &press.share_of(owner(2))));
    drop((first, second));
    let _other = press.share_of(owner(3));
    assert_eq!(press.shares.lock().unwrap().len(), 1);
}

#[test]
fn what_a_document_costs_too_much_of_is_its_last_attempt_and_what_the_machine_did_is_not() {
    let press = press(2);
    let job: ClaimedJob = serde_json::from_value(serde_json::json!({
        "id": Uuid::nil(), "kind": "export_pdf", "payload": {}, "attempt": 1, "lease_until": "2030-01-01T00:00:00Z",
        "correlation_id": null, "owner": null}))
    .unwrap();
    let outcome = |error| Outcome::from(press.explain(Trouble::Child(error), &job));
    let bound = |bound| ChildError::Bound {
        program: "the press",
        bound,
    };
    for (kind, words) in [
        (Bound::Processor, "30 seconds"),
        (Bound::Memory, "512 MB"),
        (Bound::Output, "64 MB"),
    ] {
        match outcome(bound(kind)) {
            Outcome::Dead { error } => {
                assert!(error.message.contains(words) && error.message.contains(ADVICE))
            }
            other => panic!("{other:?}"),
        }
    }
    for passing in [bound(Bound::Time), ChildError::Killed("the press")] {
        assert!(matches!(outcome(passing), Outcome::Failed { error } if error.retryable));
    }
    assert!(matches!(outcome(ChildError::Cancelled), Outcome::Released));
}
