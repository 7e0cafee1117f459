//! The bodygraph: the gates of the birth and of the moment 88 degrees of the Sun before it, and what they connect.

use serde::{Deserialize, Serialize};

use crate::birth::{Birth, BirthError, Moment};
use crate::sky::{Body, Sky};
use crate::tables::{CHANNELS, WHEEL};

/// One gate: a sixty-fourth of the circle, 5°37′30″.
const GATE: f64 = 360.0 / 64.0;
/// Where the wheel begins.
const BEGIN: f64 = 302.0;
/// How far the Sun goes between the two moments.
const ARC: f64 = 88.0;

/// One of the nine centres.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Center {
    /// Questions.
    Head,
    /// Concepts.
    Ajna,
    /// Speech and action.
    Throat,
    /// Direction.
    Identity,
    /// Will.
    Heart,
    /// Feeling.
    SolarPlexus,
    /// Work and life.
    Sacral,
    /// Instinct.
    Spleen,
    /// Pressure.
    Root,
}

impl Center {
    /// All of them, from the top.
    pub const ALL: [Self; 9] = [
        Self::Head,
        Self::Ajna,
        Self::Throat,
        Self::Identity,
        Self::Heart,
        Self::SolarPlexus,
        Self::Sacral,
        Self::Spleen,
        Self::Root,
    ];

    /// In English.
    pub const fn name(self) -> &'static str {
        [
            "Head",
            "Ajna",
            "Throat",
            "G Centre",
            "Heart",
            "Solar Plexus",
            "Sacral",
            "Spleen",
            "Root",
        ][self as usize]
    }

    /// The word by which prose is found.
    pub const fn key(self) -> &'static str {
        [
            "head",
            "ajna",
            "throat",
            "identity",
            "heart",
            "solar_plexus",
            "sacral",
            "spleen",
            "root",
        ][self as usize]
    }

    const fn is_motor(self) -> bool {
        matches!(
            self,
            Self::Heart | Self::SolarPlexus | Self::Sacral | Self::Root
        )
    }

    /// The centre of a gate.
    pub const fn of_gate(gate: u8) -> Self {
        match gate {
            61 | 63 | 64 => Self::Head,
            4 | 11 | 17 | 24 | 43 | 47 => Self::Ajna,
            8 | 12 | 16 | 20 | 23 | 31 | 33 | 35 | 45 | 56 | 62 => Self::Throat,
            1 | 2 | 7 | 10 | 13 | 15 | 25 | 46 => Self::Identity,
            21 | 26 | 40 | 51 => Self::Heart,
            6 | 22 | 30 | 36 | 37 | 49 | 55 => Self::SolarPlexus,
            3 | 5 | 9 | 14 | 27 | 29 | 34 | 42 | 59 => Self::Sacral,
            18 | 28 | 32 | 44 | 48 | 50 | 57 => Self::Spleen,
            _ => Self::Root,
        }
    }
}

/// A body in a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activation {
    /// Which; see [`Activation::name`] for the Earth and the South Node, which stand opposite.
    pub body: Body,
    /// Whether it is the point opposite the body: the Earth for the Sun, the South Node for the North.
    pub is_opposite: bool,
    /// 1 to 64.
    pub gate: u8,
    /// 1 to 6.
    pub line: u8,
}

impl Activation {
    /// In English.
    pub const fn name(self) -> &'static str {
        match (self.body, self.is_opposite) {
            (Body::Sun, true) => "Earth",
            (_, true) => "South Node",
            (body, false) => body.name(),
        }
    }
}

/// Two gates that are both active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Channel(
    /// The lower gate.
    pub u8,
    /// The higher one.
    pub u8,
);

/// The type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HumanType {
    /// A motor at the throat, no sacral.
    Manifestor,
    /// The sacral.
    Generator,
    /// The sacral, and a motor at the throat.
    ManifestingGenerator,
    /// Neither, and some centre.
    Projector,
    /// No centre.
    Reflector,
}

impl HumanType {
    /// In English.
    pub const fn name(self) -> &'static str {
        [
            "Manifestor",
            "Generator",
            "Manifesting Generator",
            "Projector",
            "Reflector",
        ][self as usize]
    }

    /// The word by which prose is found.
    pub const fn key(self) -> &'static str {
        [
            "manifestor",
            "generator",
            "manifesting_generator",
            "projector",
            "reflector",
        ][self as usize]
    }
}

/// What to decide by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Authority {
    /// Feeling, over time.
    Emotional,
    /// The gut.
    Sacral,
    /// Instinct.
    Splenic,
    /// Will.
    Ego,
    /// One's own voice.
    SelfProjected,
    /// Talking it over.
    Mental,
    /// A month.
    Lunar,
}

impl Authority {
    /// In English.
    pub const fn name(self) -> &'static str {
        [
            "Emotional",
            "Sacral",
            "Splenic",
            "Ego",
            "Self-Projected",
            "Mental",
            "Lunar",
        ][self as usize]
    }

    /// The word by which prose is found.
    pub const fn key(self) -> &'static str {
        [
            "emotional",
            "sacral",
            "splenic",
            "ego",
            "self_projected",
            "mental",
            "lunar",
        ][self as usize]
    }
}

/// How many parts the defined centres fall into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Definition {
    /// Nothing is defined.
    None,
    /// One.
    Single,
    /// Two.
    Split,
    /// Three.
    TripleSplit,
    /// Four.
    QuadrupleSplit,
}

impl Definition {
    /// In English.
    pub const fn name(self) -> &'static str {
        [
            "no definition",
            "single definition",
            "split definition",
            "triple split definition",
            "quadruple split definition",
        ][self as usize]
    }

    /// The word by which prose is found.
    pub const fn key(self) -> &'static str {
        ["none", "single", "split", "triple", "quadruple"][self as usize]
    }
}

/// A bodygraph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bodygraph {
    /// The moment 88 degrees of the Sun before the birth.
    pub design_moment: Moment,
    /// Of the birth.
    pub personality: Vec<Activation>,
    /// Of the moment before.
    pub design: Vec<Activation>,
    /// Gates of both, in their order.
    pub gates: Vec<u8>,
    /// Channels of which both gates are active.
    pub channels: Vec<Channel>,
    /// Centres at the end of a channel.
    pub defined: Vec<Center>,
    /// The type.
    pub human_type: HumanType,
    /// The authority.
    pub authority: Authority,
    /// The lines of the Suns of birth and design.
    pub profile: (u8, u8),
    /// How the defined centres hang together.
    pub definition: Definition,
}

impl Bodygraph {
    /// The bodygraph of a birth.
    pub fn of(birth: &Birth) -> Result<Self, BirthError> {
        let moment = birth.moment()?;
        let design_moment = before(moment);
        let (personality, design) = (activations(moment), activations(design_moment));
        let mut gates: Vec<u8> = personality
            .iter()
            .chain(&design)
            .map(|activation| activation.gate)
            .collect();
        gates.sort_unstable();
        gates.dedup();
        let channels = channels(&gates);
        let defined = defined(&channels);
        Ok(Self {
            design_moment,
            human_type: human_type(&channels, &defined),
            authority: authority(&channels, &defined),
            profile: (personality[0].line, design[0].line),
            definition: definition(&channels, &defined),
            personality,
            design,
            gates,
            channels,
            defined,
        })
    }

    /// Whether a centre is defined.
    pub fn is_defined(&self, center: Center) -> bool {
        self.defined.contains(&center)
    }
}

impl Channel {
    /// The centres at its ends.
    pub const fn ends(self) -> (Center, Center) {
        (Center::of_gate(self.0), Center::of_gate(self.1))
    }

    fn touches(self, center: Center) -> bool {
        let (one, other) = self.ends();
        one == center || other == center
    }
}

/// How two people meet in a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    /// Each has one of the gates.
    Electromagnetic,
    /// Both have the whole.
    Companionship,
    /// The first has the whole, the other nothing of it.
    FirstLeads,
    /// The second has the whole, the first nothing of it.
    SecondLeads,
    /// The first has the whole, the second one gate.
    FirstYields,
    /// The second has the whole, the first one gate.
    SecondYields,
}

/// A channel in which two people meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Which.
    pub channel: Channel,
    /// How.
    pub kind: LinkKind,
}

/// All channels in which two people meet.
pub fn links(first: &Bodygraph, second: &Bodygraph) -> Vec<Link> {
    let count = |graph: &Bodygraph, channel: (u8, u8)| {
        [channel.0, channel.1]
            .into_iter()
            .filter(|gate| graph.gates.contains(gate))
            .count()
    };
    CHANNELS
        .into_iter()
        .filter_map(|channel| {
            let kind = match (count(first, channel), count(second, channel)) {
                (2, 2) => LinkKind::Companionship,
                (2, 0) => LinkKind::FirstLeads,
                (0, 2) => LinkKind::SecondLeads,
                (2, 1) => LinkKind::FirstYields,
                (1, 2) => LinkKind::SecondYields,
                (1, 1) if first.gates.contains(&channel.0) != second.gates.contains(&channel.0) => {
                    LinkKind::Electromagnetic
                }
                _ => return None,
            };
            Some(Link {
                channel: Channel(channel.0, channel.1),
                kind,
            })
        })
        .collect()
}

/// The centres that a set of gates defines.
pub fn defined_by(gates: &[u8]) -> Vec<Center> {
    defined(&channels(gates))
}

fn defined(channels: &[Channel]) -> Vec<Center> {
    let touched = |center: &Center| channels.iter().any(|channel| channel.touches(*center));
    Center::ALL.into_iter().filter(touched).collect()
}

// The Sun takes some 89 days for it. Three steps of the mean motion come within a second.
fn before(moment: Moment) -> Moment {
    let target = Sky::new(moment).longitude(Body::Sun) - ARC;
    let mut at = moment.later(-89.0);
    for _ in 0..6 {
        let off = (Sky::new(at).longitude(Body::Sun) - target + 540.0).rem_euclid(360.0) - 180.0;
        at = at.later(-off / 0.985_647);
    }
    at
}

fn gate_and_line(longitude: f64) -> (u8, u8) {
    let gates = (longitude - BEGIN).rem_euclid(360.0) / GATE;
    (
        WHEEL[(gates as usize).min(63)],
        (gates.fract() * 6.0) as u8 + 1,
    )
}

fn activations(moment: Moment) -> Vec<Activation> {
    let sky = Sky::new(moment);
    let mut found = Vec::with_capacity(13);
    for body in Body::ALL {
        let longitude = sky.longitude(body);
        let mut add = |longitude, is_opposite| {
            let (gate, line) = gate_and_line(longitude);
            found.push(Activation {
                body,
                is_opposite,
                gate,
                line,
            });
        };
        add(longitude, false);
        if matches!(body, Body::Sun | Body::NorthNode) {
            add(longitude + 180.0, true);
        }
    }
    found
}

fn channels(gates: &[u8]) -> Vec<Channel> {
    let active = |gate: &u8| gates.contains(gate);
    let both = CHANNELS
        .iter()
        .filter(|(one, other)| active(one) && active(other));
    both.map(|(one, other)| Channel(*one, *other)).collect()
}

// Every centre that a chain of channels leads to.
fn reach(from: Center, channels: &[Channel]) -> Vec<Center> {
    let mut reached = vec![from];
    let mut at = 0;
    while at < reached.len() {
        let center = reached[at];
        for channel in channels.iter().filter(|channel| channel.touches(center)) {
            let (one, other) = channel.ends();
            for center in [one, other] {
                if !reached.contains(&center) {
                    reached.push(center);
                }
            }
        }
        at += 1;
    }
    reached
}

fn human_type(channels: &[Channel], defined: &[Center]) -> HumanType {
    let speaks = defined.contains(&Center::Throat)
        && reach(Center::Throat, channels)
            .into_iter()
            .any(Center::is_motor);
    match (
        defined.is_empty(),
        defined.contains(&Center::Sacral),
        speaks,
    ) {
        (true, ..) => HumanType::Reflector,
        (_, true, true) => HumanType::ManifestingGenerator,
        (_, true, false) => HumanType::Generator,
        (_, false, true) => HumanType::Manifestor,
        (_, false, false) => HumanType::Projector,
    }
}

fn authority(channels: &[Channel], defined: &[Center]) -> Authority {
    let has = |center| defined.contains(&center);
    match () {
        () if defined.is_empty() => Authority::Lunar,
        () if has(Center::SolarPlexus) => Authority::Emotional,
        () if has(Center::Sacral) => Authority::Sacral,
        () if has(Center::Spleen) => Authority::Splenic,
        () if has(Center::Heart) => Authority::Ego,
        () if has(Center::Identity)
            && reach(Center::Identity, channels).contains(&Center::Throat) =>
        {
            Authority::SelfProjected
        }
        () => Authority::Mental,
    }
}

fn definition(channels: &[Channel], defined: &[Center]) -> Definition {
    let mut left = defined.to_vec();
    let mut parts = 0;
    while let Some(center) = left.first().copied() {
        let reached = reach(center, channels);
        left.retain(|center| !reached.contains(center));
        parts += 1;
    }
    match parts {
        0 => Definition::None,
        1 => Definition::Single,
        2 => Definition::Split,
        3 => Definition::TripleSplit,
        _ => Definition::QuadrupleSplit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zodiac::distance;
    use chrono::{Datelike, NaiveDate};

    fn birth(date: NaiveDate) -> Birth {
        Birth {
            date,
            time: None,
            zone: None,
            place: None,
        }
    }

    fn sample(count: i32) -> Vec<Bodygraph> {
        let first = NaiveDate::from_ymd_opt(1950, 1, 1)
            .unwrap()
            .num_days_from_ce();
        (0..count)
            .map(|n| {
                Bodygraph::of(&birth(
                    NaiveDate::from_num_days_from_ce_opt(first + n * 137).unwrap(),
                ))
                .unwrap()
            })
            .collect()
    }

    #[test]
    fn the_wheel_has_every_gate_once_where_it_is_published() {
        let mut gates = WHEEL;
        gates.sort_unstable();
        assert_eq!(gates.to_vec(), (1..=64).collect::<Vec<u8>>());
        // Published beginnings: gate 25 at 28°15′ of Pisces, gate 1 at 13°15′ of Scorpio, gate 15 at 28°15′ of Gemini.
        for (longitude, gate) in [(358.25, 25), (223.25, 1), (88.25, 15), (302.0, 41)] {
            assert_eq!(gate_and_line(longitude + 0.01), (gate, 1));
            assert_eq!(gate_and_line(longitude - 0.01).1, 6);
        }
    }

    #[test]
    fn every_channel_joins_two_centres_and_every_gate_is_in_one() {
        for (one, other) in CHANNELS {
            assert_ne!(
                Center::of_gate(one),
                Center::of_gate(other),
                "{one}-{other}"
            );
        }
        for gate in 1..=64 {
            assert!(
                CHANNELS
                    .iter()
                    .any(|(one, other)| *one == gate || *other == gate),
                "{gate}"
            );
        }
    }

    #[test]
    fn the_design_is_eighty_eight_degrees_of_the_sun_before_the_birth() {
        let moment = birth("1990-06-15".parse().unwrap()).moment().unwrap();
        let earlier = before(moment);
        let apart = distance(
            Sky::new(moment).longitude(Body::Sun),
            Sky::new(earlier).longitude(Body::Sun),
        );
        assert!((apart - 88.0).abs() < 1e-4, "{apart}");
        assert!((85.0..95.0).contains(&(moment.universal - earlier.universal)));
    }

    #[test]
    fn the_earth_stands_opposite_the_sun_in_the_same_line() {
        for graph in sample(20) {
            for side in [&graph.personality, &graph.design] {
                assert_eq!(side.len(), 13);
                assert_eq!(
                    (side[0].name(), side[1].name(), side[12].name()),
                    ("Sun", "Earth", "South Node")
                );
                assert_eq!(side[0].line, side[1].line);
            }
        }
    }

    #[test]
    fn types_come_as_often_as_they_are_said_to() {
        let graphs = sample(300);
        let share = |wanted: &[HumanType]| {
            graphs
                .iter()
                .filter(|graph| wanted.contains(&graph.human_type))
                .count() as f64
                / 300.0
        };
        // Published: generators of both kinds 68 to 70 percent, projectors 20 to 22, manifestors 8 to 9, reflectors 1.
        assert!((0.58..0.80).contains(&share(&[
            HumanType::Generator,
            HumanType::ManifestingGenerator
        ])));
        assert!((0.13..0.30).contains(&share(&[HumanType::Projector])));
        assert!((0.04..0.16).contains(&share(&[HumanType::Manifestor])));
        assert!(share(&[HumanType::Reflector]) < 0.05);
    }

    #[test]
    fn profiles_are_among_the_twelve_that_there_are() {
        let twelve = [
            (1, 3),
            (1, 4),
            (2, 4),
            (2, 5),
            (3, 5),
            (3, 6),
            (4, 6),
            (4, 1),
            (5, 1),
            (5, 2),
            (6, 2),
            (6, 3),
        ];
        for graph in sample(200) {
            assert!(twelve.contains(&graph.profile), "{:?}", graph.profile);
        }
    }

    #[test]
    fn with_oneself_every_channel_is_companionship() {
        let graph = sample(1).remove(0);
        assert!(
            links(&graph, &graph)
                .iter()
                .all(|link| link.kind == LinkKind::Companionship)
        );
        assert_eq!(links(&graph, &graph).len(), graph.channels.len());
    }
}
