//! The chapters on the four pillars.

use chrono::Datelike;
use gristmill_almanac::{Branches, Element, Pillar, Pillars, between_branches, between_elements};

use crate::Chapter;
use crate::builder::{Builder, count, list, vars};
use crate::facts::Person;

pub(crate) fn person(mut b: Builder<'_>, mine: &Person) -> Option<Chapter> {
    let pillars = mine.chinese.as_ref()?;
    let names = vars![
        master = pillars.day.stem_name(),
        animal = pillars.year.animal(),
        month = pillars.month.animal()
    ];
    let title = b.words("title.pillars", &names);
    b.section("heading.pillars", &vars![]);
    b.table(&["Pillar", "Stem", "Branch"], rows(pillars));
    let untimed = if pillars.hour.is_none() {
        b.say("untimed.pillars", &vars![])
    } else {
        String::new()
    };
    let parts = [b.say("intro.pillars", &vars![date = mine.date()]), untimed];
    b.paragraph(parts);
    b.section("heading.master", &names);
    let parts = [
        b.say("lead.master", &names),
        b.say(&format!("master.{}", pillars.day.stem), &vars![]),
        b.say(
            &format!("master_use.{}", pillars.day.element().name()),
            &vars![],
        ),
    ];
    b.paragraph(parts);
    b.section("heading.animal", &names);
    let parts = [
        b.say(
            "lead.year",
            &vars![
                animal = pillars.year.animal(),
                stem = pillars.year.stem_name()
            ],
        ),
        b.say(&format!("animal.{}", pillars.year.animal()), &vars![]),
        b.say(&format!("stem.{}", pillars.year.element().name()), &vars![]),
    ];
    b.paragraph(parts);
    let relation = between_branches(pillars.year, pillars.day);
    let said = b.say(
        &format!("within.{}", relation.key()),
        &vars![
            animal = pillars.year.animal(),
            day_animal = pillars.day.animal()
        ],
    );
    let seat = b.say(&format!("seat.{}", pillars.day.animal()), &vars![]);
    b.paragraph([said, seat]);
    climate(&mut b, pillars, &names);
    friends(&mut b, mine, pillars);
    balance(&mut b, pillars);
    b.section("heading.close5", &vars![]);
    let said = b.say("close.pillars", &names);
    b.paragraph([said]);
    Some(b.finish(title))
}

fn rows(pillars: &Pillars) -> Vec<Vec<String>> {
    let row = |what: &str, pillar: Pillar| {
        vec![
            what.to_owned(),
            pillar.stem_name(),
            pillar.animal().to_owned(),
        ]
    };
    let mut rows = vec![
        row("Year", pillars.year),
        row("Month", pillars.month),
        row("Day", pillars.day),
    ];
    rows.extend(pillars.hour.map(|hour| row("Hour", hour)));
    rows
}

fn climate(b: &mut Builder<'_>, pillars: &Pillars, names: &crate::builder::Vars) {
    b.section("heading.season", names);
    let month = pillars.month;
    let season = match month.branch_element() {
        Element::Wood => "spring",
        Element::Fire => "summer",
        Element::Metal => "autumn",
        Element::Water => "winter",
        Element::Earth => "between",
    };
    let support = match between_elements(pillars.day.element(), month.branch_element()) {
        "same" => "same",
        "fed" => "drains",
        "feeds" => "supports",
        "ruled" => "ruled",
        _ => "rules",
    };
    let parts = [
        b.say("lead.month", &vars![animal = month.animal()]),
        b.say(&format!("month.{season}"), &vars![]),
        b.say(&format!("season.{support}"), &vars![]),
    ];
    b.paragraph(parts);
    let relation = between_elements(pillars.day.element(), month.element());
    let said = b.say(
        &format!("monthstem.{relation}"),
        &vars![stem = month.stem_name()],
    );
    b.paragraph([said]);
    if let Some(hour) = pillars.hour {
        let relation = between_elements(pillars.day.element(), hour.element());
        let parts = [
            b.say(
                "lead.hour",
                &vars![animal = hour.animal(), stem = hour.stem_name()],
            ),
            b.say(&format!("hour.{relation}"), &vars![]),
            b.say("hour.use", &vars![animal = hour.animal()]),
        ];
        b.paragraph(parts);
    }
}

fn friends(b: &mut Builder<'_>, mine: &Person, pillars: &Pillars) {
    b.section("heading.friends", &vars![]);
    let own = pillars.year;
    let animal = |branch: u8| {
        Pillar {
            stem: 0,
            branch: branch % 12,
        }
        .animal()
    };
    let friend = (0..12)
        .find(|branch| {
            between_branches(
                own,
                Pillar {
                    stem: 0,
                    branch: *branch,
                },
            ) == Branches::Harmony
        })
        .unwrap_or(0);
    let names = vars![
        animal = own.animal(),
        friend = animal(friend),
        ally = animal(own.branch + 4),
        other_ally = animal(own.branch + 8),
        opposite = animal(own.branch + 6)
    ];
    // The chinese year may still be the one before.
    let year = (mine.birth.date.year() - 5..)
        .find(|year| (year - 4).rem_euclid(60) == own.number())
        .unwrap_or(mine.birth.date.year());
    let years = vars![earlier = year - 60, later = year + 60];
    let parts = [b.say("friends", &names), b.say("sixty", &years)];
    b.paragraph(parts);
}

fn balance(b: &mut Builder<'_>, pillars: &Pillars) {
    b.section("heading.balance5", &vars![]);
    let counted = Element::ALL.map(|element| {
        format!(
            "{} of {}",
            count(usize::from(pillars.counts[element as usize])),
            element.name()
        )
    });
    let total: u8 = pillars.counts.iter().sum();
    let mut parts = vec![
        b.say(
            "counts.lead",
            &vars![total = count(usize::from(total)), counts = list(&counted)],
        ),
        b.say(&format!("plenty.{}", pillars.strongest().name()), &vars![]),
    ];
    let missing = pillars.missing();
    if missing.is_empty() {
        parts.push(b.say("want.none", &vars![]));
    }
    for element in missing.iter().take(2) {
        parts.push(b.say(&format!("want.{}", element.name()), &vars![]));
    }
    let stems: Vec<Pillar> = [pillars.year, pillars.month, pillars.day]
        .into_iter()
        .chain(pillars.hour)
        .collect();
    let yang = stems.iter().filter(|pillar| pillar.is_yang()).count();
    let yin = stems.len() - yang;
    let polar = match yang.cmp(&yin) {
        std::cmp::Ordering::Greater => "yang",
        std::cmp::Ordering::Less => "yin",
        std::cmp::Ordering::Equal => "even",
    };
    parts.push(b.say(
        &format!("polar.{polar}"),
        &vars![yang = count(yang), yin = count(yin)],
    ));
    b.paragraph(parts);
    let helper = Element::ALL[(pillars.day.element() as usize + 4) % 5];
    let work = Element::ALL[(pillars.day.element() as usize + 1) % 5];
    let wealth = Element::ALL[(pillars.day.element() as usize + 2) % 5];
    let names = vars![
        master = pillars.day.stem_name(),
        helper = helper.name(),
        work = work.name(),
        wealth = wealth.name()
    ];
    let amount = |element: Element| count(usize::from(pillars.counts[element as usize]));
    let parts = [
        b.say("cycle.helper", &names),
        b.say(
            &format!(
                "cycle.work.{}",
                if pillars.counts[work as usize] > 1 {
                    "many"
                } else {
                    "few"
                }
            ),
            &names,
        ),
        b.say(
            &format!(
                "cycle.wealth.{}",
                if pillars.counts[wealth as usize] > 1 {
                    "many"
                } else {
                    "few"
                }
            ),
            &names,
        ),
        b.say(
            "cycle.close",
            &vars![count = amount(helper), helper = helper.name()],
        ),
    ];
    b.paragraph(parts);
}

pub(crate) fn both(mut b: Builder<'_>, one: &Person, other: &Person) -> Option<Chapter> {
    let (first, second) = (one.chinese.as_ref()?, other.chinese.as_ref()?);
    let years = vars![
        animal_a = first.year.animal(),
        animal_b = second.year.animal()
    ];
    let title = b.words("title.pillars_both", &years);
    b.section("heading.years_both", &years);
    let mut table = vec![];
    for (mine, theirs) in rows(first).into_iter().zip(rows(second)) {
        table.push(vec![
            mine[0].clone(),
            format!("{}, {}", mine[1], mine[2]),
            format!("{}, {}", theirs[1], theirs[2]),
        ]);
    }
    let (called_a, called_b) = b.called();
    b.table(&["Pillar", &called_a, &called_b], table);
    let year_relation = between_branches(first.year, second.year);
    let parts = [
        b.say("years.intro", &years),
        b.say(&format!("years.{}", year_relation.key()), &years),
    ];
    b.paragraph(parts);
    let (mine, theirs) = (first.year.element(), second.year.element());
    let relation = between_elements(mine, theirs);
    let said = b.say(
        &format!("year_stems.{relation}"),
        &vars![element_a = mine.name(), element_b = theirs.name()],
    );
    b.paragraph([said]);
    let day_relation = days(&mut b, first, second);
    b.section("heading.balance_both", &vars![]);
    lent(&mut b, first, second);
    b.section("heading.path_both", &vars![]);
    let (mine, theirs) = (first.month.branch_element(), second.month.branch_element());
    let seasons = match between_elements(mine, theirs) {
        "same" => "same",
        "rules" | "ruled" => "opposite",
        _ => "other",
    };
    let steps = (second.year.number() - first.year.number()).rem_euclid(60);
    let parts = [
        b.say(
            &format!("seasons.{seasons}"),
            &vars![element_a = mine.name(), element_b = theirs.name()],
        ),
        b.say("steps.both", &vars![steps = steps.min(60 - steps)]),
    ];
    b.paragraph(parts);
    let months = between_branches(first.month, second.month);
    let said = b.say(
        &format!("months.{}", months.key()),
        &vars![
            animal_a = first.month.animal(),
            animal_b = second.month.animal()
        ],
    );
    b.paragraph([said]);
    let counsel = b.say(
        &format!("counsel5.{}", judged(year_relation, day_relation)),
        &vars![],
    );
    b.paragraph([counsel]);
    Some(b.finish(title))
}

fn days(b: &mut Builder<'_>, first: &Pillars, second: &Pillars) -> Branches {
    let (mine, theirs) = (first.day, second.day);
    let names = vars![
        master_a = mine.stem_name(),
        master_b = theirs.stem_name(),
        element_a = mine.element().name(),
        element_b = theirs.element().name(),
        animal_a = mine.animal(),
        animal_b = theirs.animal()
    ];
    b.section("heading.days_both5", &names);
    let polarity = match (mine.is_yang(), theirs.is_yang()) {
        (true, true) => "yang",
        (false, false) => "yin",
        _ => "mixed",
    };
    let parts = [
        b.say(
            &format!(
                "days.relation.{}",
                between_elements(mine.element(), theirs.element())
            ),
            &names,
        ),
        b.say(&format!("polarity.{polarity}"), &vars![]),
    ];
    b.paragraph(parts);
    let mut parts = Vec::new();
    let (called_a, called_b) = b.called();
    for (who, pillar) in [(called_a, mine), (called_b, theirs)] {
        parts.push(b.say(&format!("side5.{}", pillar.stem), &vars![who = who]));
    }
    b.paragraph(parts);
    let relation = between_branches(mine, theirs);
    let parts = [
        b.say(&format!("daybranch.{}", relation.key()), &names),
        b.say("daybranch_use", &vars![]),
    ];
    b.paragraph(parts);
    let (a, z) = b.called();
    let mut parts = Vec::new();
    for (from, to, year, day) in [(&a, &z, first.year, theirs), (&z, &a, second.year, mine)] {
        let names = vars![
            from = from,
            to = to,
            animal_a = year.animal(),
            animal_b = day.animal()
        ];
        parts.push(b.say("crossbranch_lead", &names));
        parts.push(b.say(
            &format!("crossbranch.{}", between_branches(year, day).key()),
            &names,
        ));
    }
    b.paragraph(parts);
    relation
}

fn lent(b: &mut Builder<'_>, first: &Pillars, second: &Pillars) {
    let (called_a, called_b) = b.called();
    let mut parts = Vec::new();
    for (giver, taker, giver_name, taker_name) in [
        (first, second, &called_a, &called_b),
        (second, first, &called_b, &called_a),
    ] {
        let lent = taker
            .missing()
            .into_iter()
            .find(|element| giver.counts[*element as usize] > 1);
        if let Some(element) = lent {
            parts.push(b.say(
                "lends",
                &vars![
                    giver = giver_name,
                    taker = taker_name,
                    element = element.name()
                ],
            ));
        }
    }
    parts.push(b.say(
        if parts.is_empty() {
            "lends.none"
        } else {
            "lends.close"
        },
        &vars![],
    ));
    b.paragraph(parts);
    let (most, least) = (richest(first, second), poorest(first, second));
    let parts = [
        b.say("common", &vars![element = most.name()]),
        b.say(&format!("common.{}", most.name()), &vars![]),
        b.say("poorest", &vars![element = least.name()]),
        b.say(&format!("poor.{}", least.name()), &vars![]),
    ];
    b.paragraph(parts);
}

fn sum(first: &Pillars, second: &Pillars, element: Element) -> u8 {
    first.counts[element as usize] + second.counts[element as usize]
}

fn richest(first: &Pillars, second: &Pillars) -> Element {
    Element::ALL
        .into_iter()
        .rev()
        .max_by_key(|element| sum(first, second, *element))
        .unwrap_or(Element::Earth)
}

/// The element that two people have least of.
pub(crate) fn poorest(first: &Pillars, second: &Pillars) -> Element {
    Element::ALL
        .into_iter()
        .min_by_key(|element| sum(first, second, *element))
        .unwrap_or(Element::Earth)
}

/// What the branches of years and days say together.
pub(crate) fn judged(years: Branches, days: Branches) -> &'static str {
    let weight = |relation: Branches| match relation {
        Branches::Harmony | Branches::Triangle => 1,
        Branches::Same | Branches::Plain => 0,
        Branches::Clash | Branches::Harm => -1,
    };
    match weight(years) + weight(days) {
        1.. => "good",
        0 => "mixed",
        _ => "hard",
    }
}
