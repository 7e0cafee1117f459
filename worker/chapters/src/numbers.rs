//! The chapters on numbers.

use chrono::Datelike;
use gristmill_almanac::{NameNumbers, Numbers};

use crate::Chapter;
use crate::builder::{Builder, count, list, ordinal, vars};
use crate::facts::Person;
use crate::prose::only;

pub(crate) fn person(mut b: Builder<'_>, mine: &Person) -> Option<Chapter> {
    let numbers = mine.numerology.as_ref()?;
    let title = b.words("title.numbers", &vars![life_path = numbers.life_path]);
    path(&mut b, mine, numbers);
    name(&mut b, numbers);
    days(&mut b, mine, numbers);
    if let Some(name) = &numbers.name {
        gaps(&mut b, name);
    }
    stretches(&mut b, numbers);
    later(&mut b, numbers);
    Some(b.finish(title))
}

fn path(b: &mut Builder<'_>, mine: &Person, numbers: &Numbers) {
    b.section("heading.path", &vars![]);
    let mut rows = vec![
        ("Life path", Some(numbers.life_path)),
        ("Day of the month", Some(numbers.birthday)),
        ("Month and day", Some(numbers.attitude)),
    ];
    if let Some(name) = &numbers.name {
        rows.extend([
            ("Expression", Some(name.expression)),
            ("Vowels", name.soul_urge),
            ("Consonants", name.personality),
            ("Maturity", numbers.maturity),
        ]);
    }
    let rows = rows
        .into_iter()
        .filter_map(|(what, number)| Some(vec![what.to_owned(), number?.to_string()]));
    b.table(&["Of what", "Number"], rows.collect());
    let said = b.say(
        "intro.numbers",
        &vars![date = mine.date(), weekday = numbers.weekday],
    );
    b.paragraph([said]);
    let parts = [
        b.say("lead.path", &vars![n = numbers.life_path]),
        b.say(&format!("path.{}", numbers.life_path), &vars![]),
        b.say("more.path", &vars![theme = theme(numbers.life_path)]),
    ];
    b.paragraph(parts);
}

fn name(b: &mut Builder<'_>, numbers: &Numbers) {
    b.section("heading.name", &vars![]);
    let Some(name) = &numbers.name else {
        let said = b.say("no_name", &vars![]);
        b.paragraph([said]);
        return;
    };
    let own = if numbers.life_path == name.expression {
        "same"
    } else {
        "other"
    };
    let mut parts = part(b, "lead.expression", "talent", name.expression);
    parts.push(b.say(
        &format!("numbers.meet.{own}"),
        &vars![path = numbers.life_path, expression = name.expression],
    ));
    b.paragraph(parts);
    let mut parts = Vec::new();
    for (lead, key, number) in [
        ("lead.soul", "wish", name.soul_urge),
        ("lead.personality", "look", name.personality),
    ] {
        if let Some(number) = number {
            parts.extend(part(b, lead, key, number));
            parts.push(b.say(&format!("more.{key}"), &vars![theme = theme(number)]));
        }
    }
    b.paragraph(parts);
}

// The number, and what it means in this place; where the other person has it too, a word to that effect.
fn part(b: &mut Builder<'_>, lead: &str, key: &str, number: u8) -> Vec<String> {
    let names = vars![n = number];
    let lead = b.say(lead, &names);
    let said = b.say(&format!("{key}.{number}"), &names);
    let said = if said.is_empty() {
        b.say("again.number", &names)
    } else {
        said
    };
    vec![lead, said]
}

fn days(b: &mut Builder<'_>, mine: &Person, numbers: &Numbers) {
    b.section("heading.day", &vars![]);
    let names = vars![day = ordinal(mine.birth.date.day()), n = numbers.birthday];
    let mut parts = vec![
        b.say("lead.birthday", &names),
        b.say(&format!("daily.{}", numbers.birthday), &names),
    ];
    parts.push(b.say(&format!("weekday.{}", numbers.weekday), &names));
    b.paragraph(parts);
    let mut parts = part(b, "lead.attitude", "attitude", numbers.attitude);
    parts.push(b.say("more.attitude", &vars![theme = theme(numbers.attitude)]));
    b.paragraph(parts);
}

fn gaps(b: &mut Builder<'_>, name: &NameNumbers) {
    b.section("heading.missing", &vars![]);
    let mut parts = vec![b.say(&format!("strongest.{}", name.strongest), &vars![])];
    parts.push(b.say("more.strong", &vars![theme = theme(name.strongest)]));
    b.paragraph(parts);
    let mut parts = Vec::new();
    let numbers: Vec<String> = name.missing.iter().map(ToString::to_string).collect();
    let lead = match numbers.len() {
        0 => "missing.none",
        1 => "missing.one",
        _ => "missing.lead",
    };
    parts.push(b.say(lead, &vars![list = list(&numbers)]));
    for number in name.missing.iter().take(4) {
        parts.push(b.say(&format!("missing.{number}"), &vars![]));
    }
    let closing = b.say("more.missing", &vars![letters = count(name.letters)]);
    parts.push(closing);
    b.paragraph(parts);
}

fn stretches(b: &mut Builder<'_>, numbers: &Numbers) {
    b.section("heading.pinnacles", &vars![]);
    let [first, second, third, last] = numbers.pinnacles;
    let [begin, _, end] = numbers.turns;
    let parts = [
        b.say(
            "pinnacles.lead",
            &vars![age = begin, n = first, theme = theme(first)],
        ),
        b.say(
            "pinnacles.second",
            &vars![n = second, theme = theme(second)],
        ),
        b.say("pinnacles.third", &vars![n = third, theme = theme(third)]),
        b.say(
            "pinnacles.last",
            &vars![age = end, n = last, theme = theme(last)],
        ),
    ];
    b.paragraph(parts);
}

fn later(b: &mut Builder<'_>, numbers: &Numbers) {
    b.section("heading.maturity", &vars![]);
    if let Some(maturity) = numbers.maturity {
        let parts = part(b, "lead.maturity", "mature", maturity);
        b.paragraph(parts);
    }
    let said = b.say("more.numbers", &vars![n = theme(numbers.life_path)]);
    let use_of_it = b.say("more.use", &vars![theme = theme(numbers.birthday)]);
    b.paragraph([said, use_of_it]);
}

pub(crate) fn theme(number: u8) -> &'static str {
    only(&format!("what.{number}"))
}

/// The number of a pair.
pub(crate) fn together(one: &Numbers, other: &Numbers) -> u8 {
    let mut sum = u32::from(one.life_path) + u32::from(other.life_path);
    while sum > 9 && !matches!(sum, 11 | 22 | 33) {
        sum = sum / 10 + sum % 10;
    }
    sum as u8
}

pub(crate) fn both(mut b: Builder<'_>, one: &Person, other: &Person) -> Option<Chapter> {
    let (first, second) = (one.numerology.as_ref()?, other.numerology.as_ref()?);
    let (theme_a, theme_b) = (theme(first.life_path), theme(second.life_path));
    let names = vars![
        path_a = first.life_path,
        path_b = second.life_path,
        theme_a = theme_a,
        theme_b = theme_b
    ];
    let title = b.words("title.numbers_both", &names);
    b.section("heading.paths_both", &names);
    let is_same = first.life_path == second.life_path;
    let paths = match first.life_path.abs_diff(second.life_path) {
        0 => "same",
        1..=2 => "near",
        _ => "far",
    };
    let parts = [
        b.say(&format!("paths.{paths}"), &names),
        b.say(
            if is_same {
                "paths.themes.same"
            } else {
                "paths.themes"
            },
            &names,
        ),
    ];
    b.paragraph(parts);
    let mut parts = Vec::new();
    for number in [first.life_path, second.life_path] {
        parts.push(b.say(&format!("side.{number}"), &vars![]));
    }
    b.paragraph(parts);
    let bridge = first.life_path.abs_diff(second.life_path).min(9);
    let parts = [
        b.say(&format!("bridge.{bridge}"), &vars![]),
        b.say("bridge.why", &vars![]),
    ];
    b.paragraph(parts);
    if let (Some(mine), Some(theirs)) = (&first.name, &second.name) {
        names_of_both(&mut b, mine, theirs);
    }
    between(&mut b, one, other);
    let numbered = |numbers: &Numbers| list(&numbers.pinnacles.map(|number| number.to_string()));
    let said = b.say(
        "roads.both",
        &vars![list_a = numbered(first), list_b = numbered(second)],
    );
    b.paragraph([said]);
    b.section("heading.sum_both", &names);
    let sum = together(first, second);
    let parts = [
        b.say(
            "sum.lead",
            &vars![n = sum, path_a = first.life_path, path_b = second.life_path],
        ),
        b.say(&format!("pair.{sum}"), &vars![]),
        b.say("sum.use", &vars![theme = theme(sum)]),
    ];
    b.paragraph(parts);
    let said = b.say(
        if is_same {
            "close.numbers.same"
        } else {
            "close.numbers"
        },
        &names,
    );
    b.paragraph([said]);
    Some(b.finish(title))
}

fn names_of_both(b: &mut Builder<'_>, mine: &NameNumbers, theirs: &NameNumbers) {
    b.section("heading.names_both", &vars![]);
    let is_same = mine.expression == theirs.expression;
    let names = vars![
        expression_a = mine.expression,
        expression_b = theirs.expression,
        theme_a = theme(mine.expression),
        theme_b = theme(theirs.expression)
    ];
    let mut parts = vec![b.say(
        if is_same {
            "expression.same"
        } else {
            "expression.both"
        },
        &names,
    )];
    if let (Some(one), Some(other)) = (mine.soul_urge, theirs.soul_urge) {
        let names = vars![
            soul_a = one,
            soul_b = other,
            theme_a = theme(one),
            theme_b = theme(other)
        ];
        parts.push(b.say(
            if one == other {
                "soul.same"
            } else {
                "soul.both"
            },
            &names,
        ));
    }
    b.paragraph(parts);
    let names = vars![
        strong_a = theme(mine.strongest),
        strong_b = theme(theirs.strongest)
    ];
    let mut parts = vec![b.say(
        if mine.strongest == theirs.strongest {
            "strength.same"
        } else {
            "strength.both"
        },
        &names,
    )];
    let filled: Vec<String> = mine
        .missing
        .iter()
        .filter(|number| !theirs.missing.contains(number))
        .map(ToString::to_string)
        .collect();
    parts.push(match filled.is_empty() {
        true => b.say("fills.none", &vars![]),
        false if filled.len() == 1 => b.say("fills.one", &vars![list = filled[0]]),
        false => b.say("fills", &vars![list = list(&filled)]),
    });
    if let (Some(one), Some(other)) = (mine.personality, theirs.personality) {
        let names = vars![
            n_a = one,
            n_b = other,
            theme_a = theme(one),
            theme_b = theme(other)
        ];
        parts.push(b.say(
            if one == other {
                "outside.same"
            } else {
                "outside.both"
            },
            &names,
        ));
    }
    b.paragraph(parts);
}

fn between(b: &mut Builder<'_>, one: &Person, other: &Person) {
    b.section("heading.days_both", &vars![]);
    let days = (one.birth.date - other.birth.date)
        .num_days()
        .unsigned_abs();
    let years = match days / 365 {
        0 => format!("{} months", (days / 30).max(1)).replace("1 months", "a month"),
        1 => "a year".to_owned(),
        years => format!("{years} years"),
    };
    let weekday = |person: &Person| person.birth.date.format("%A").to_string();
    let names = vars![
        days = grouped(days),
        years = years,
        weekday_a = weekday(one),
        weekday_b = weekday(other)
    ];
    let generation = match days / 365 {
        0..=5 => "near",
        6..=17 => "middle",
        _ => "far",
    };
    let parts = [
        b.say(
            if days == 0 {
                "days.same"
            } else {
                "days.between"
            },
            &names,
        ),
        b.say(&format!("generation.{generation}"), &vars![]),
    ];
    b.paragraph(parts);
    let (Some(first), Some(second)) = (&one.numerology, &other.numerology) else {
        return;
    };
    let names = vars![
        n_a = first.attitude,
        n_b = second.attitude,
        theme_a = theme(first.attitude),
        theme_b = theme(second.attitude),
        day_a = ordinal(one.birth.date.day()),
        day_b = ordinal(other.birth.date.day()),
        daily_a = theme(first.birthday),
        daily_b = theme(second.birthday)
    ];
    let parts = [
        b.say(
            if first.attitude == second.attitude {
                "first.same"
            } else {
                "first.both"
            },
            &names,
        ),
        b.say(
            if first.birthday == second.birthday {
                "everyday.same"
            } else {
                "everyday.both"
            },
            &names,
        ),
    ];
    b.paragraph(parts);
}

fn grouped(number: u64) -> String {
    match number / 1000 {
        0 => number.to_string(),
        thousands => format!("{thousands},{:03}", number % 1000),
    }
}
