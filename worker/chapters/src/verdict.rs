//! The last chapter: what all of it comes to.

use std::cmp::Ordering;

use gristmill_almanac::{Authority, Body, LinkKind, ZodiacElement, between_branches, kutas, links};

use crate::Chapter;
use crate::builder::{Builder, count, list, vars};
use crate::facts::{Facts, Person, System};
use crate::{design, numbers, pillars, vedic, western};

pub(crate) fn both(mut b: Builder<'_>, facts: &Facts) -> Option<Chapter> {
    let (one, other) = (&facts.person1, &facts.person2);
    let systems = facts.systems();
    if systems.is_empty() {
        return None;
    }
    let title = b.words("title.verdict", &vars![]);
    b.section("heading.agree", &vars![]);
    let words: Vec<&str> = systems.iter().map(|system| system.in_words()).collect();
    b.table(&["", &one.name, &other.name], summary(one, other));
    let intro = b.say(
        if systems.len() == 1 {
            "verdict.one"
        } else {
            "verdict.intro"
        },
        &vars![systems = list(&words)],
    );
    b.paragraph([intro]);
    lean(&mut b, one, other);
    let (called_a, called_b) = b.called();
    portrait(&mut b, "heading.first", one, called_a);
    portrait(&mut b, "heading.second", other, called_b);
    pair(&mut b, facts, &systems);
    advice(&mut b, one, other);
    b.section("heading.last", &vars![]);
    let last = b.say("last", &vars![date_a = one.date(), date_b = other.date()]);
    b.paragraph([last]);
    Some(b.finish(title))
}

fn summary(one: &Person, other: &Person) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut row = |what: &str, cells: (Option<String>, Option<String>)| {
        if let (Some(first), Some(second)) = cells {
            rows.push(vec![what.to_owned(), first, second]);
        }
    };
    let each = |say: &dyn Fn(&Person) -> Option<String>| (say(one), say(other));
    row(
        "Sun",
        each(&|who| Some(who.western.as_ref()?.get(Body::Sun).spot.to_string())),
    );
    row(
        "Moon",
        each(&|who| Some(who.western.as_ref()?.get(Body::Moon).spot.to_string())),
    );
    row(
        "Nakshatra",
        each(&|who| Some(who.vedic.as_ref()?.moon().nakshatra_name().to_owned())),
    );
    row(
        "Type and profile",
        each(&|who| {
            let graph = who.human_design.as_ref()?;
            Some(format!(
                "{} {}",
                graph.human_type.name(),
                design::profile(graph)
            ))
        }),
    );
    row(
        "Life path",
        each(&|who| Some(who.numerology.as_ref()?.life_path.to_string())),
    );
    row(
        "Day master",
        each(&|who| Some(who.chinese.as_ref()?.day.stem_name())),
    );
    row(
        "Year",
        each(&|who| Some(who.chinese.as_ref()?.year.animal().to_owned())),
    );
    rows
}

fn lean(b: &mut Builder<'_>, one: &Person, other: &Person) {
    if let (Some(first), Some(second)) = (&one.western, &other.western) {
        let (mine, theirs) = (western::leading(first), western::leading(second));
        let names = vars![
            element = mine.name(),
            element_a = mine.name(),
            element_b = theirs.name()
        ];
        let said = b.say(
            if mine == theirs {
                "lean.both"
            } else {
                "lean.different"
            },
            &names,
        );
        let use_of_it = b.say(
            &format!(
                "lean_use.{}",
                if mine == theirs { "both" } else { "different" }
            ),
            &names,
        );
        b.paragraph([said, use_of_it]);
    }
}

fn portrait(b: &mut Builder<'_>, heading: &str, who: &Person, name: String) {
    b.section(heading, &vars![]);
    let mut parts = Vec::new();
    if let Some(chart) = &who.western {
        let sign = |body| chart.get(body).spot.sign.name();
        parts.push(b.say(
            "self.western",
            &vars![sun = sign(Body::Sun), moon = sign(Body::Moon), name = name],
        ));
    }
    if let Some(chart) = &who.vedic {
        let moon = chart.moon();
        let ruler = vedic::with_article(moon.ruler_name());
        parts.push(b.say(
            "self.vedic",
            &vars![
                nakshatra = moon.nakshatra_name(),
                ruler = ruler,
                name = name
            ],
        ));
    }
    if let Some(graph) = &who.human_design {
        let names = vars![type = graph.human_type.name(), profile = design::profile(graph), authority = graph.authority.name(), name = name];
        parts.push(b.say("self.design", &names));
    }
    if let Some(numbers) = &who.numerology {
        let theme = numbers::theme(numbers.life_path);
        parts.push(b.say(
            "self.numbers",
            &vars![path = numbers.life_path, theme = theme, name = name],
        ));
    }
    if let Some(pillars) = &who.chinese {
        parts.push(b.say(
            "self.pillars",
            &vars![
                master = pillars.day.stem_name(),
                animal = pillars.year.animal(),
                name = name
            ],
        ));
    }
    let tone = match who.western.as_ref().map(western::leading) {
        Some(ZodiacElement::Fire) => "warm",
        Some(ZodiacElement::Earth) => "steady",
        Some(ZodiacElement::Air) => "airy",
        Some(ZodiacElement::Water) => "deep",
        None => "even",
    };
    parts.push(b.say(tone, &vars![name = name]));
    b.paragraph(parts);
}

fn pair(b: &mut Builder<'_>, facts: &Facts, systems: &[System]) {
    b.section("heading.pair", &vars![]);
    let (one, other) = (&facts.person1, &facts.person2);
    let mut parts = Vec::new();
    let mut votes = Vec::new();
    if let (Some(first), Some(second)) = (&one.western, &other.western) {
        let ties = western::ties(first, second);
        let (easy, tense) = western::tones(&ties);
        votes.push(easy.cmp(&tense));
        if let Some(closest) = ties.first() {
            let names = vars![
                easy = count(easy),
                tense = count(tense),
                body = closest.first.name(),
                second = closest.second.name()
            ];
            parts.push(b.say("pair.western", &names));
        }
    }
    if let (Some(first), Some(second)) = (&one.vedic, &other.vedic) {
        let passed = vedic::passed(first, second);
        votes.push(passed.cmp(&3));
        let names = vars![
            passed = count(passed),
            nakshatra_a = first.moon().nakshatra_name(),
            nakshatra_b = second.moon().nakshatra_name()
        ];
        parts.push(b.say("pair.vedic", &names));
    }
    if let (Some(first), Some(second)) = (&one.human_design, &other.human_design) {
        let found = links(first, second);
        let number = |kind| found.iter().filter(|link| link.kind == kind).count();
        let (sparks, common) = (
            number(LinkKind::Electromagnetic),
            number(LinkKind::Companionship),
        );
        votes.push((sparks + common).cmp(&3));
        parts.push(b.say(
            "pair.design",
            &vars![sparks = count(sparks), common = count(common)],
        ));
    }
    let close = parts.split_off(parts.len().min(3));
    b.paragraph(parts);
    let mut parts = close;
    if let (Some(first), Some(second)) = (&one.numerology, &other.numerology) {
        let n = numbers::together(first, second);
        parts.push(b.say(
            "pair.numbers",
            &vars![path_a = first.life_path, path_b = second.life_path, n = n],
        ));
    }
    if let (Some(first), Some(second)) = (&one.chinese, &other.chinese) {
        let (years, days) = (
            between_branches(first.year, second.year),
            between_branches(first.day, second.day),
        );
        votes.push(match pillars::judged(years, days) {
            "good" => Ordering::Greater,
            "mixed" => Ordering::Equal,
            _ => Ordering::Less,
        });
        let names = vars![
            animal_a = first.year.animal(),
            animal_b = second.year.animal(),
            element_a = first.day.element().name(),
            element_b = second.day.element().name()
        ];
        parts.push(b.say("pair.pillars", &names));
    }
    b.paragraph(parts);
    let sum: i32 = votes.iter().map(|vote| *vote as i32).sum();
    let judge = match sum {
        1.. => "judge.good",
        0 => "judge.mixed",
        _ => "judge.hard",
    };
    let judged = b.say(judge, &vars![]);
    b.paragraph([judged]);
    let said = systems.len() > 1;
    let weighed = if said {
        b.say("judge.weight", &vars![count = count(systems.len())])
    } else {
        String::new()
    };
    b.paragraph([weighed]);
}

fn advice(b: &mut Builder<'_>, one: &Person, other: &Person) {
    b.section("heading.do", &vars![]);
    let lead = b.say("try.lead", &vars![]);
    b.paragraph([lead]);
    if let (Some(first), Some(second)) = (&one.western, &other.western)
        && let Some(closest) = western::ties(first, second).first()
    {
        let tone = if closest.kind.tone() == "tense" {
            "tense"
        } else {
            "easy"
        };
        let said = b.say(
            &format!("try.western.{tone}"),
            &vars![body = closest.first.name(), second = closest.second.name()],
        );
        b.paragraph([said]);
    }
    if let (Some(first), Some(second)) = (&one.vedic, &other.vedic) {
        let nadis = kutas(first, second).nadis;
        let said = b.say(
            if nadis.0 == nadis.1 {
                "try.vedic.same"
            } else {
                "try.vedic.different"
            },
            &vars![],
        );
        b.paragraph([said]);
    }
    if let (Some(first), Some(second)) = (&one.human_design, &other.human_design) {
        let wave = [first.authority, second.authority].contains(&Authority::Emotional);
        let said = b.say(
            if wave {
                "try.design.emotional"
            } else {
                "try.design.instant"
            },
            &vars![],
        );
        b.paragraph([said]);
    }
    if let (Some(first), Some(second)) = (&one.numerology, &other.numerology) {
        let names = vars![
            theme_a = numbers::theme(first.life_path),
            theme_b = numbers::theme(second.life_path)
        ];
        let said = b.say(
            if first.life_path == second.life_path {
                "try.numbers.same"
            } else {
                "try.numbers"
            },
            &names,
        );
        b.paragraph([said]);
    }
    if let (Some(first), Some(second)) = (&one.chinese, &other.chinese) {
        let said = b.say(
            "try.pillars",
            &vars![element = pillars::poorest(first, second).name()],
        );
        b.paragraph([said]);
    }
    let said = b.say("try.any", &vars![]);
    b.paragraph([said]);
}
