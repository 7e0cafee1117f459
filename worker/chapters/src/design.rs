//! The chapters on human design.

use chrono::{DateTime, NaiveDate};
use gristmill_almanac::{
    Activation, Authority, Body, Bodygraph, Center, Channel, HumanType, Link, LinkKind, Moment,
    defined_by, links,
};

use crate::Chapter;
use crate::builder::{Builder, count, list, vars};
use crate::facts::{Person, day};
use crate::prose::only;

pub(crate) fn person(mut b: Builder<'_>, mine: &Person) -> Option<Chapter> {
    let graph = mine.human_design.as_ref()?;
    let title = b.words(
        "title.design",
        &vars![type = graph.human_type.name(), profile = profile(graph)],
    );
    kind(&mut b, mine, graph);
    role(&mut b, graph);
    gates(&mut b, graph);
    centers(&mut b, graph);
    channels(&mut b, graph);
    Some(b.finish(title))
}

fn kind(b: &mut Builder<'_>, mine: &Person, graph: &Bodygraph) {
    b.section("heading.type", &vars![type = graph.human_type.name()]);
    let rows = graph
        .personality
        .iter()
        .zip(&graph.design)
        .map(|(conscious, below)| {
            vec![conscious.name().to_owned(), place(conscious), place(below)]
        });
    b.table(&["Body", "Personality", "Design"], rows.collect());
    let untimed = if mine.birth.time.is_none() {
        b.say("untimed.design", &vars![])
    } else {
        String::new()
    };
    let parts = [
        b.say(
            "intro.design",
            &vars![design_date = date(graph.design_moment)],
        ),
        untimed,
    ];
    b.paragraph(parts);
    let said = b.say(&format!("type.{}", graph.human_type.key()), &vars![]);
    b.paragraph([said]);
    b.section("heading.authority", &vars![]);
    let parts = [
        b.say(&format!("authority.{}", graph.authority.key()), &vars![]),
        b.say(&format!("definition.{}", graph.definition.key()), &vars![]),
    ];
    b.paragraph(parts);
}

fn role(b: &mut Builder<'_>, graph: &Bodygraph) {
    b.section("heading.profile", &vars![]);
    let (conscious, below) = graph.profile;
    let cross = match (conscious, below) {
        (4, 1) => "juxtaposition",
        (1..=4, _) => "right",
        _ => "left",
    };
    let parts = [
        b.say(&format!("profile.{conscious}.{below}"), &vars![]),
        b.say(&format!("cross.{cross}"), &vars![]),
    ];
    b.paragraph(parts);
    let parts = [
        b.say("lines.lead", &vars![sun = conscious, below = below]),
        b.say(&format!("line.{conscious}"), &vars![]),
        b.say(&format!("line.{below}"), &vars![]),
    ];
    b.paragraph(parts);
}

fn gates(b: &mut Builder<'_>, graph: &Bodygraph) {
    b.section("heading.gates", &vars![]);
    for (key, side) in [
        ("gates.lead", &graph.personality),
        ("gates.second", &graph.design),
    ] {
        let (sun, earth) = (&side[0], &side[1]);
        let names = vars![
            sun_theme = theme(sun.gate),
            earth_theme = theme(earth.gate),
            sun_line = sun.line,
            sun = sun.gate,
            earth = earth.gate
        ];
        let said = b.say(key, &names);
        b.paragraph([said]);
    }
    let gate = |side: &[Activation], body: Body| {
        side.iter()
            .find(|one| one.body == body && !one.is_opposite)
            .map_or(1, |one| one.gate)
    };
    let (moon, design_moon) = (
        gate(&graph.personality, Body::Moon),
        gate(&graph.design, Body::Moon),
    );
    let (venus, saturn) = (
        gate(&graph.personality, Body::Venus),
        gate(&graph.personality, Body::Saturn),
    );
    let names = vars![
        moon_theme = theme(moon),
        design_moon_theme = theme(design_moon),
        moon = moon,
        design_moon = design_moon,
        venus_theme = theme(venus),
        saturn_theme = theme(saturn),
        venus = venus,
        saturn = saturn
    ];
    let parts = [b.say("gates.moon", &names), b.say("gates.venus", &names)];
    b.paragraph(parts);
    let (mercury, mars) = (
        gate(&graph.personality, Body::Mercury),
        gate(&graph.personality, Body::Mars),
    );
    let names = vars![
        mercury_theme = theme(mercury),
        mars_theme = theme(mars),
        mercury = mercury,
        mars = mars
    ];
    let said = b.say("gates.mercury", &names);
    b.paragraph([said]);
}

fn centers(b: &mut Builder<'_>, graph: &Bodygraph) {
    b.section("heading.centers", &vars![]);
    let names = |is_defined: bool| -> Vec<String> {
        let wanted = Center::ALL
            .into_iter()
            .filter(|center| graph.is_defined(*center) == is_defined);
        wanted.map(with_article).collect()
    };
    let (defined, open) = (names(true), names(false));
    let mut parts = vec![match defined.is_empty() {
        true => b.say("centers.none", &vars![]),
        false => b.say(
            "centers.lead",
            &vars![
                defined_count = count(defined.len()),
                defined = list(&defined)
            ],
        ),
    }];
    for center in Center::ALL
        .into_iter()
        .filter(|center| graph.is_defined(*center))
        .take(5)
    {
        parts.push(b.say(&format!("on.{}", center.key()), &vars![]));
    }
    b.paragraph(parts);
    if !open.is_empty() {
        let mut parts = vec![b.say("centers.open", &vars![open = list(&open)])];
        for center in Center::ALL
            .into_iter()
            .filter(|center| !graph.is_defined(*center))
            .take(5)
        {
            parts.push(b.say(&format!("off.{}", center.key()), &vars![]));
        }
        b.paragraph(parts);
    }
}

fn channels(b: &mut Builder<'_>, graph: &Bodygraph) {
    if graph.channels.is_empty() {
        return;
    }
    b.section("heading.channels", &vars![]);
    for pair in graph.channels[..graph.channels.len().min(4)].chunks(2) {
        let mut parts = Vec::new();
        for channel in pair {
            let (one, other) = channel.ends();
            let names = vars![gates = written(*channel), theme = channel_theme(*channel)];
            parts.push(b.say("channels.lead", &names));
            parts.push(b.say(
                "channels.joins",
                &vars![one = with_article(one), other = with_article(other)],
            ));
            parts.push(b.say("channels.one", &vars![]));
        }
        b.paragraph(parts);
    }
}

pub(crate) fn both(mut b: Builder<'_>, one: &Person, other: &Person) -> Option<Chapter> {
    let (first, second) = (one.human_design.as_ref()?, other.human_design.as_ref()?);
    let names = vars![
        type_a = first.human_type.name(),
        type_b = second.human_type.name(),
        authority_a = first.authority.name(),
        authority_b = second.authority.name(),
        profile_a = profile(first),
        profile_b = profile(second)
    ];
    let title = b.words("title.design_both", &names);
    b.section("heading.types", &names);
    let works = |graph: &Bodygraph| {
        matches!(
            graph.human_type,
            HumanType::Generator | HumanType::ManifestingGenerator
        )
    };
    let kind = match (works(first), works(second)) {
        _ if first.human_type == second.human_type => "same",
        (true, true) => "work",
        (false, false) => "guide",
        _ => "energy",
    };
    let parts = [
        b.say("types.lead", &names),
        b.say(&format!("types.{kind}"), &vars![]),
    ];
    b.paragraph(parts);
    let mut parts = Vec::new();
    for graph in [first, second] {
        parts.push(b.say(&format!("brief.{}", graph.human_type.key()), &vars![]));
    }
    b.paragraph(parts);
    suns(&mut b, first, second);
    meetings(&mut b, first, second);
    open_centers(&mut b, first, second);
    b.section("heading.decide_both", &vars![]);
    let same = if first.authority == second.authority {
        "same"
    } else {
        "different"
    };
    let wave = [first.authority, second.authority].contains(&Authority::Emotional);
    let parts = [
        b.say(&format!("decide.{same}"), &names),
        b.say(
            if wave {
                "decide.emotional"
            } else {
                "decide.instant"
            },
            &vars![],
        ),
    ];
    b.paragraph(parts);
    Some(b.finish(title))
}

fn suns(b: &mut Builder<'_>, first: &Bodygraph, second: &Bodygraph) {
    b.section("heading.suns", &vars![]);
    let (mine, theirs) = (first.personality[0].gate, second.personality[0].gate);
    let names = vars![
        theme_a = theme(mine),
        theme_b = theme(theirs),
        gate_a = mine,
        gate_b = theirs
    ];
    let lead = b.say(
        if mine == theirs {
            "suns.same"
        } else {
            "suns.lead"
        },
        &names,
    );
    let lines = |graph: &Bodygraph| [graph.profile.0, graph.profile.1];
    let same = lines(first)
        .into_iter()
        .find(|line| lines(second).contains(line));
    let echo = lines(first).into_iter().find_map(|mine| {
        let theirs = lines(second)
            .into_iter()
            .find(|theirs| mine.abs_diff(*theirs) == 3)?;
        Some((mine, theirs))
    });
    let profiles = match (same, echo) {
        (Some(line), _) => b.say(
            "profiles.same",
            &vars![line = crate::builder::ordinal(line.into())],
        ),
        (None, Some((mine, theirs))) => {
            b.say("profiles.resonance", &vars![line_a = mine, line_b = theirs])
        }
        _ => b.say("profiles.different", &vars![]),
    };
    b.paragraph([lead, profiles]);
    let all: Vec<u8> = first.gates.iter().chain(&second.gates).copied().collect();
    let together = defined_by(&all).len();
    let parts = [
        b.say(
            "splits.lead",
            &vars![
                definition_a = first.definition.name(),
                definition_b = second.definition.name()
            ],
        ),
        b.say("splits.together", &vars![count = count(together)]),
    ];
    b.paragraph(parts);
}

fn meetings(b: &mut Builder<'_>, first: &Bodygraph, second: &Bodygraph) {
    b.section("heading.links", &vars![]);
    let mut found = links(first, second);
    found.sort_by_key(|link| link.kind as u8);
    let said = b.say("links.lead", &vars![count = count(found.len())]);
    if !found.is_empty() {
        let row = |link: &Link| vec![written(link.channel), in_words(link.kind).to_owned()];
        b.table(
            &["Channel", "How the two meet in it"],
            found.iter().map(row).collect(),
        );
    }
    b.paragraph([said]);
    let told: Vec<Link> = spread(&found, 6);
    for pair in told.chunks(2) {
        let mut parts = Vec::new();
        for link in pair {
            let Channel(low, high) = link.channel;
            let (gate_a, gate_b) = if first.gates.contains(&low) {
                (low, high)
            } else {
                (high, low)
            };
            let names = vars![
                channel = format!("the channel {}", written(link.channel)),
                theme = channel_theme(link.channel),
                gate_a = gate_a,
                gate_b = gate_b
            ];
            parts.push(b.say(&format!("link.{}", link_key(link.kind)), &names));
        }
        b.paragraph(parts);
    }
}

// As many kinds as there are before more of one kind.
fn spread(found: &[Link], most: usize) -> Vec<Link> {
    let rank = |at: usize| {
        found[..at]
            .iter()
            .filter(|earlier| earlier.kind == found[at].kind)
            .count()
    };
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|at| (rank(*at), *at));
    order.truncate(most);
    order.sort_unstable();
    order.into_iter().map(|at| found[at]).collect()
}

fn open_centers(b: &mut Builder<'_>, first: &Bodygraph, second: &Bodygraph) {
    b.section("heading.open_both", &vars![]);
    let named = |mine: bool, theirs: bool| -> Vec<String> {
        let wanted = Center::ALL.into_iter().filter(|center| {
            first.is_defined(*center) == mine && second.is_defined(*center) == theirs
        });
        wanted.map(with_article).collect()
    };
    let mut parts = Vec::new();
    for (key, mine, theirs) in [
        ("open.shared", true, true),
        ("open.first", true, false),
        ("open.second", false, true),
        ("open.both", false, false),
    ] {
        let centers = named(mine, theirs);
        if !centers.is_empty() {
            parts.push(b.say(key, &vars![centers = list(&centers), open = list(&centers)]));
        }
    }
    for pair in parts.chunks(2) {
        b.paragraph(pair.to_vec());
    }
}

pub(crate) fn profile(graph: &Bodygraph) -> String {
    format!("{}/{}", graph.profile.0, graph.profile.1)
}

fn place(activation: &Activation) -> String {
    format!("{}.{}", activation.gate, activation.line)
}

fn written(channel: Channel) -> String {
    format!("{}-{}", channel.0, channel.1)
}

fn theme(gate: u8) -> &'static str {
    only(&format!("gate.{gate}"))
}

fn channel_theme(channel: Channel) -> &'static str {
    only(&format!("channel.{}.{}", channel.0, channel.1))
}

fn with_article(center: Center) -> String {
    format!("the {}", center.name())
}

const fn link_key(kind: LinkKind) -> &'static str {
    [
        "electromagnetic",
        "companionship",
        "first",
        "second",
        "first_yields",
        "second_yields",
    ][kind as usize]
}

const fn in_words(kind: LinkKind) -> &'static str {
    [
        "one gate each: attraction",
        "both have it: companionship",
        "the first has it alone",
        "the second has it alone",
        "the first has it, the second half of it",
        "the second has it, the first half of it",
    ][kind as usize]
}

// The day of a Julian day.
fn date(moment: Moment) -> String {
    let seconds = (moment.universal - 2_440_587.5) * 86_400.0;
    day(DateTime::from_timestamp(seconds as i64, 0).map_or(NaiveDate::MIN, |at| at.date_naive()))
}
