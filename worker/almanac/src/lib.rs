//! What the sky, a calendar and a name say about a birth. Pure calculation: no clock, no network, no data files.
//!
//! Positions come from the crate `astro` (VSOP87 for the planets, Meeus' series for the Moon), corrected here for aberration and
//! nutation. Against the published values that the tests name they are good to a hundredth of a degree.

mod angles;
mod birth;
mod design;
mod numbers;
mod pillars;
mod sky;
mod tables;
mod vedic;
mod western;
mod zodiac;

pub use angles::{Angles, houses};
pub use birth::{Birth, BirthError, Moment, Place};
pub use design::{
    Activation, Authority, Bodygraph, Center, Channel, Definition, HumanType, Link, LinkKind,
    defined_by, links,
};
pub use numbers::{NameNumbers, Numbers};
pub use pillars::{Branches, Element, Pillar, Pillars, between_branches, between_elements};
pub use sky::{Body, Sky};
pub use vedic::{Gana, Kutas, Nadi, Period, SiderealChart, SiderealPlace, ayanamsha, kutas};
pub use western::{Aspect, AspectKind, Chart, CrossAspect, Phase, Placed, across};
pub use zodiac::{Mode, Quality, Sign, Spot, ZodiacElement};
