// People, places, dates, drugs, tests and illnesses for made-up documents. Nobody in here exists.

const FEMALE = ["Adaeze", "Brigid", "Carmela", "Delphine", "Esther", "Farida", "Greta", "Hanneke", "Imelda", "Joanna", "Kirsten", "Leonora", "Marisol", "Nadine", "Oonagh", "Priya", "Rosalind", "Sunniva", "Tamsin", "Verity"];
const MALE = ["Anselm", "Bernard", "Cormac", "Dmitri", "Edmund", "Fergus", "Gideon", "Hamish", "Isidro", "Julian", "Kwame", "Lorenzo", "Malachy", "Nikhil", "Osvaldo", "Percival", "Rupert", "Stellan", "Tobias", "Winston"];
const LAST = ["Abernethy", "Bellweather", "Castellanos", "Drummond", "Eastlake", "Fairbourne", "Gillespie", "Harrowgate", "Ingleby", "Jankowski", "Kettering", "Lindqvist", "Mwangi", "Netherfield", "Okonjo", "Pemberton", "Quintrell", "Rowntree", "Szymanski", "Thackeray", "Umarov", "Vandermeer", "Whitlock", "Yarborough", "Zeller"];
const TOWNS = ["Millbrook", "Ashgrove", "Port Ellery", "Stonehaven Bay", "Larkfield", "Westmere", "Coldwater", "Fernleigh"];

/** Somebody who has a name of their own among `others`. */
export function person(random, others = []) {
  const isFemale = random.chance(0.5);
  const free = LAST.filter((last) => others.every((other) => other.last !== last));
  const first = random.pick(isFemale ? FEMALE : MALE), last = random.pick(free);
  return { first, last, name: `${first} ${last}`, sex: isFemale ? "female" : "male", title: isFemale ? "Mrs" : "Mr" };
}

/** So many people, no two of one family. */
export function people(random, count) {
  const all = [];
  for (let i = 0; i < count; i++) all.push(person(random, all));
  return all;
}

export const town = (random) => random.pick(TOWNS);
export const street = (random) => `${random.int(2, 480)} ${random.pick(["Orchard", "Chapel", "Harbour", "Linden", "Station", "Quarry"])} ${random.pick(["Street", "Road", "Lane"])}`;

const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const styles = {
  us: (y, m, d) => `${m}/${d}/${y}`,
  usShort: (y, m, d) => `${Number(m)}/${Number(d)}/${y.slice(2)}`,
  uk: (y, m, d) => `${d}/${m}/${y}`,
  dots: (y, m, d) => `${d}.${m}.${y}`,
  long: (y, m, d) => `${Number(d)} ${MONTHS[m - 1]} ${y}`,
  usLong: (y, m, d) => `${MONTHS[m - 1]} ${Number(d)}, ${y}`,
  abbreviated: (y, m, d) => `${d}-${MONTHS[m - 1].slice(0, 3)}-${y}`,
  iso: (y, m, d) => `${y}-${m}-${d}`,
};
/** An ISO date as a country writes it. */
export const dated = (style) => (iso) => styles[style](...iso.split("-"));
/** The date with a day that cannot be a month, so that the page shows which of the two comes first. */
export const evident = (random, iso) => `${iso.slice(0, 8)}${random.int(13, 28)}`;
export const later = (iso, days) => new Date(Date.parse(`${iso}T12:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);

// name, other names, unit, low, high, decimals, a value that is low, one within, one that is high.
const TESTS = {
  chemistry: [
    ["Sodium", ["Na"], "mmol/L", 135, 145, 0], ["Potassium", ["K"], "mmol/L", 3.5, 5.1, 1], ["Chloride", [], "mmol/L", 98, 107, 0],
    ["Urea", ["Urea nitrogen", "BUN", "Blood urea nitrogen"], "mmol/L", 2.5, 7.8, 1], ["Creatinine", [], "umol/L", 59, 104, 0], ["Calcium", [], "mmol/L", 2.2, 2.6, 2],
    ["Magnesium", [], "mmol/L", 0.7, 1.0, 2], ["Phosphate", ["Phosphorus", "Inorganic phosphate"], "mmol/L", 0.8, 1.5, 2], ["Uric acid", ["Urate"], "mg/dL", 3.5, 7.2, 1],
    ["Glucose (fasting)", ["Glucose, fasting", "Glucose", "Fasting glucose"], "mg/dL", 70, 99, 0], ["Vitamin D, 25-hydroxy (LC/MS)", ["25-hydroxy vitamin D", "Vitamin D", "Vitamin D, 25-hydroxy", "25-hydroxyvitamin D"], "ng/mL", 30, 100, 0],
  ],
  blood: [
    ["Hemoglobin", ["Haemoglobin", "Hgb", "Hb"], "g/dL", 12, 15.5, 1], ["Hematocrit", ["Haematocrit", "Hct"], "%", 36, 46, 1],
    ["White blood cells", ["WBC", "White blood cell count", "White cell count"], "10^3/uL", 4, 11, 1], ["Platelets", ["Platelet count", "PLT"], "10^3/uL", 150, 400, 0],
    ["MCV", ["Mean corpuscular volume"], "fL", 80, 100, 0], ["RDW", ["Red cell distribution width"], "%", 11.5, 14.5, 1], ["Neutrophils", ["Absolute neutrophils"], "10^3/uL", 2, 7.5, 1],
  ],
  liver: [
    ["ALT", ["Alanine aminotransferase", "ALT (SGPT)"], "IU/L", 7, 56, 0], ["AST", ["Aspartate aminotransferase", "AST (SGOT)"], "IU/L", 10, 40, 0],
    ["Alkaline phosphatase", ["ALP"], "IU/L", 44, 147, 0], ["Albumin", [], "g/L", 35, 50, 0], ["GGT", ["Gamma-glutamyl transferase", "Gamma GT"], "IU/L", 8, 61, 0], ["Bilirubin, total", ["Total bilirubin", "Bilirubin", "Bilirubin (total)"], "mg/dL", 0.2, 1.2, 1],
  ],
};
const draw = (random, [name, also, unit, low, high, decimals], chance) => {
  const width = high - low;
  const kind = random.chance(chance) ? random.pick(["low", "high"]) : "normal";
  const share = random.int(10, 90) / 100;
  const raw = { low: low - Math.max(width * 0.1, 10 ** -decimals) - width * 0.3 * share, normal: low + width * (0.1 + 0.8 * share), high: high + Math.max(width * 0.1, 10 ** -decimals) + width * share }[kind];
  const value = Number(Math.max(raw, 10 ** -decimals).toFixed(decimals));
  return { name, also, unit, low, high, decimals, value, abnormal: value < low ? "low" : value > high ? "high" : "normal" };
};

/** Some tests of a panel with their results, as many of them abnormal as `chance` says. */
export const panel = (random, name, count, chance = 0.4) => random.shuffle(TESTS[name]).slice(0, count).map((test) => draw(random, test, chance));

/** Tests with a range of one side, and names with qualifiers and methods. */
export function special(random, chance = 0.5) {
  const isHigh = (threshold) => random.chance(chance) ? threshold : 0;
  const upTo = (name, also, unit, high, decimals, most) => {
    const value = Number((isHigh(1) ? high + (most - high) * random.int(10, 90) / 100 : high * random.int(20, 80) / 100).toFixed(decimals));
    return { name, also, unit, low: null, high, decimals, value, abnormal: value > high ? "high" : "normal", range: `<${high}` };
  };
  const from = (name, also, unit, low, decimals, least, most) => {
    const value = Number((isHigh(1) ? low - (low - least) * random.int(20, 90) / 100 : low + (most - low) * random.int(20, 90) / 100).toFixed(decimals));
    return { name, also, unit, low, high: null, decimals, value, abnormal: value < low ? "low" : "normal", range: `>${low}` };
  };
  return random.shuffle([
    upTo("C-reactive protein", ["CRP", "C-reactive protein (CRP)"], "mg/L", 5, 1, 90),
    upTo("LDL cholesterol", ["LDL", "LDL cholesterol (calculated)", "LDL-cholesterol", "Cholesterol, LDL (calculated)"], "mg/dL", 100, 0, 190),
    upTo("Triglycerides", ["Triglycerides (fasting)", "Triglyceride"], "mg/dL", 150, 0, 320),
    upTo("PSA", ["Prostate specific antigen", "PSA (screening)", "PSA, total"], "ng/mL", 4, 1, 12),
    upTo("Troponin I", ["Troponin I, high sensitivity", "Troponin", "High-sensitivity troponin I"], "ng/L", 18, 0, 140),
    upTo("ESR", ["Erythrocyte sedimentation rate", "ESR (Westergren)"], "mm/hr", 20, 0, 80),
    from("HDL cholesterol", ["HDL", "HDL-cholesterol", "Cholesterol, HDL"], "mg/dL", 39, 0, 22, 75),
    from("eGFR", ["eGFR (CKD-EPI 2021)", "Estimated GFR", "Estimated glomerular filtration rate"], "mL/min/1.73", 59, 0, 24, 100),
  ]);
}

/** The value of a lab fact. */
export const labValue = ({ value, unit, low, high, abnormal, comparator = null }, flag = null) => ({ value, comparator, unit, low, high, flag, abnormal });

// name, other names, dose, unit, form, how often (canonical).
const DRUGS = [
  ["metformin", [], 500, "mg", "tablet", "twice daily"], ["lisinopril", [], 10, "mg", "tablet", "once daily"], ["amlodipine", [], 5, "mg", "tablet", "once daily"],
  ["atorvastatin", [], 40, "mg", "tablet", "at bedtime"], ["metoprolol", ["metoprolol tartrate"], 25, "mg", "tablet", "twice daily"], ["levothyroxine", [], 75, "mcg", "tablet", "every morning"],
  ["omeprazole", [], 20, "mg", "capsule", "every morning"], ["gabapentin", [], 300, "mg", "capsule", "three times daily"], ["furosemide", [], 40, "mg", "tablet", "every morning"],
  ["sertraline", [], 50, "mg", "tablet", "once daily"], ["apixaban", [], 5, "mg", "tablet", "twice daily"], ["allopurinol", [], 100, "mg", "tablet", "once daily"],
  ["prednisone", [], 20, "mg", "tablet", "once daily"], ["cetirizine", [], 10, "mg", "tablet", "once daily"], ["ramipril", [], 2.5, "mg", "capsule", "once daily"],
  ["mirtazapine", [], 15, "mg", "tablet", "at bedtime"], ["hydroxychloroquine", [], 200, "mg", "tablet", "twice daily"], ["tamsulosin", [], 0.4, "mg", "capsule", "at bedtime"],
  ["methotrexate", [], 15, "mg", "tablet", "once weekly"], ["alendronate", ["alendronic acid", "alendronate sodium"], 70, "mg", "tablet", "once weekly"], ["bisoprolol", [], 2.5, "mg", "tablet", "every morning"],
  ["spironolactone", [], 25, "mg", "tablet", "once daily"], ["duloxetine", [], 30, "mg", "capsule", "once daily"], ["montelukast", [], 10, "mg", "tablet", "at bedtime"],
  ["digoxin", [], 125, "mcg", "tablet", "every other day"], ["simvastatin", [], 20, "mg", "tablet", "every evening"], ["cyclobenzaprine", [], 10, "mg", "tablet", "every 8 hours"], ["doxycycline", [], 100, "mg", "capsule", "every 12 hours"],
  ["tramadol", [], 50, "mg", "capsule", "every 6 hours", true], ["meclizine", [], 25, "mg", "tablet", "three times daily", true],
];
const BRANDS = { furosemide: "Lasix", atorvastatin: "Lipitor", metformin: "Glucophage", sertraline: "Zoloft", gabapentin: "Neurontin", levothyroxine: "Synthroid", apixaban: "Eliquis", lisinopril: "Zestril", omeprazole: "Prilosec",
  montelukast: "Singulair", duloxetine: "Cymbalta", amlodipine: "Norvasc" };
const COMBINATIONS = [
  ["sacubitril/valsartan", ["sacubitril-valsartan"], "24/26", "24-26", "twice daily"], ["amoxicillin/clavulanate", ["amoxicillin-clavulanate", "co-amoxiclav"], "875/125", "875-125", "twice daily"],
  ["losartan/hydrochlorothiazide", ["losartan-hydrochlorothiazide"], "50/12.5", "50-12.5", "once daily"], ["carbidopa/levodopa", ["carbidopa-levodopa"], "25/100", "25-100", "three times daily"],
  ["trimethoprim/sulfamethoxazole", ["sulfamethoxazole/trimethoprim", "trimethoprim-sulfamethoxazole", "sulfamethoxazole-trimethoprim"], "160/800", "160-800", "twice daily"],
];
const DEVICES = [
  ["albuterol", ["albuterol inhaler", "albuterol HFA", "salbutamol"], 2, "every 4-6 hours", true], ["fluticasone/salmeterol", ["fluticasone-salmeterol", "fluticasone/salmeterol inhaler"], 1, "twice daily", false],
  ["tiotropium", ["tiotropium inhaler"], 2, "once daily", false], ["budesonide/formoterol", ["budesonide-formoterol"], 2, "twice daily", false], ["ipratropium", ["ipratropium inhaler"], 2, "four times daily", true],
];
// Some are written by their brand, or with both names.
function drug(random, [name, also, dose, unit, form, frequency, asNeeded = false]) {
  const brand = BRANDS[name];
  const written = brand && random.chance(0.3) ? random.pick([brand, `${brand} (${name})`]) : name;
  const sign = unit === "mcg" && random.chance(0.3) ? "micrograms" : unit;
  return { name, also: brand ? [...also, brand, `${brand} (${name})`] : also, written, dose, unit, form, frequency, asNeeded, strength: random.chance(0.15) ? `${dose}${sign}` : `${dose} ${sign}` };
}
export const drugs = (random, count) => random.shuffle(DRUGS).slice(0, count).map((one) => drug(random, one));
/** What is injected, by units. */
export function injection(random) {
  const one = { unit: "units", ...random.pick([{ name: "insulin glargine", also: ["glargine"], dose: random.int(8, 40), frequency: "at bedtime" }, { name: "enoxaparin", also: [], dose: 40, unit: "mg", frequency: "once daily" },
  { name: "insulin lispro", also: ["lispro"], dose: random.int(4, 12), frequency: "three times daily" }]), form: "injection" };
  return { ...one, strength: `${one.dose} ${one.unit}` };
}
/** A drug of two substances; `written` is how the page names it. */
export function combination(random) {
  const [name, also, dose, hyphenated, frequency] = random.pick(COMBINATIONS);
  const hasSlash = random.chance(0.5);
  return { name, also, dose, unit: "mg", form: "tablet", frequency, written: hasSlash ? name : name.replace("/", "-"), strength: `${hasSlash ? dose : hyphenated} mg` };
}
export function device(random) {
  const [name, also, dose, frequency, asNeeded] = random.pick(DEVICES);
  return { name, also, dose, unit: "puffs", form: "inhaler", frequency, asNeeded, strength: `${dose} ${dose === 1 ? "puff" : "puffs"}` };
}
export const medicationValue = ({ dose, unit, frequency, asNeeded }, rest = {}) => ({ dose, unit, frequency, ...(asNeeded && { as_needed: true }), ...rest });

const FREQUENCIES = {
  plain: { "once daily": ["once daily", "once a day", "daily"], "twice daily": ["twice daily", "twice a day", "two times a day"], "three times daily": ["three times daily", "three times a day"],
    "four times daily": ["four times daily", "four times a day"], "at bedtime": ["at bedtime", "nightly at bedtime"], "every morning": ["every morning", "each morning"], "once weekly": ["once weekly", "once a week"],
    "every 4-6 hours": ["every 4-6 hours", "every 4 to 6 hours"], "every other day": ["every other day"], "every evening": ["every evening", "each evening"], "every 6 hours": ["every 6 hours"], "every 8 hours": ["every 8 hours"], "every 12 hours": ["every 12 hours"] },
  latin: { "once daily": ["QD", "daily"], "twice daily": ["BID"], "three times daily": ["TID"], "four times daily": ["QID"], "at bedtime": ["QHS"], "every morning": ["QAM"], "once weekly": ["weekly"], "every 4-6 hours": ["q4-6h"], "every other day": ["QOD"], "every evening": ["QPM"], "every 6 hours": ["q6h"], "every 8 hours": ["q8h"], "every 12 hours": ["q12h"] },
  british: { "once daily": ["OD", "od"], "twice daily": ["BD", "bd"], "three times daily": ["TDS"], "four times daily": ["QDS"], "at bedtime": ["nocte"], "every morning": ["mane"], "once weekly": ["once weekly"], "every 4-6 hours": ["every 4-6 hours"], "every other day": ["alternate days"], "every evening": ["every evening"], "every 6 hours": ["6 hourly"], "every 8 hours": ["8 hourly"], "every 12 hours": ["12 hourly"] },
};
const NEEDED = { plain: ["as needed", "if needed"], latin: ["PRN"], british: ["PRN", "as required"] };
/** How often, in one of the ways in which it is written. */
export const often = (random, { frequency, asNeeded }, style) => `${random.pick(FREQUENCIES[style][frequency])}${asNeeded ? ` ${random.pick(NEEDED[style])}` : ""}`;

// name, other names, the beginnings of codes that fit.
const CHRONIC = [
  ["hypertension", ["essential hypertension", "high blood pressure", "htn"], ["I10", "I1A"]], ["type 2 diabetes mellitus", ["type 2 diabetes", "diabetes mellitus type 2", "t2dm"], ["E11"]],
  ["asthma", [], ["J45"]], ["chronic obstructive pulmonary disease", ["copd"], ["J44"]], ["atrial fibrillation", ["af", "afib"], ["I48"]], ["hypothyroidism", [], ["E03", "E02"]],
  ["osteoarthritis", [], ["M19", "M15"]], ["migraine", [], ["G43"]], ["chronic kidney disease", ["ckd"], ["N18"]], ["hyperlipidemia", ["hyperlipidaemia"], ["E78"]], ["gout", [], ["M10", "M1A"]],
  ["heart failure", ["congestive heart failure", "chf"], ["I50"]], ["coronary artery disease", ["cad"], ["I25"]], ["rheumatoid arthritis", [], ["M06", "M05"]], ["osteoporosis", [], ["M81", "M80"]],
  ["epilepsy", [], ["G40"]], ["psoriasis", [], ["L40"]], ["benign prostatic hyperplasia", ["bph"], ["N40"]],
];
const ACUTE = [
  ["acute bronchitis", [], ["J20"]], ["community-acquired pneumonia", ["community acquired pneumonia", "pneumonia"], ["J18"]], ["acute kidney injury", ["aki"], ["N17"]], ["cellulitis", [], ["L03"]],
  ["urinary tract infection", ["uti"], ["N39"]], ["acute pancreatitis", [], ["K85"]], ["acute diverticulitis", ["diverticulitis"], ["K57"]], ["acute gastroenteritis", ["gastroenteritis"], ["A09", "K52"]],
  ["acute sinusitis", [], ["J01"]], ["acute cholecystitis", [], ["K81.0"]],
];
const FEARED = [
  ["pulmonary embolism", ["pe"], ["I26"]], ["deep vein thrombosis", ["dvt"], ["I82"]], ["myocardial infarction", [], ["I21"]], ["meningitis", [], ["G03"]], ["aortic dissection", [], ["I71"]],
  ["sepsis", [], ["A41"]], ["stroke", [], ["I63", "I64"]], ["acute appendicitis", ["appendicitis"], ["K35"]], ["endocarditis", [], ["I38", "I33"]], ["bowel obstruction", [], ["K56"]],
];
const condition = ([name, also, codes]) => ({ name, also, codes });
export const chronic = (random, count) => random.shuffle(CHRONIC).slice(0, count).map(condition);
export const acute = (random) => condition(random.pick(ACUTE));
export const feared = (random, count) => random.shuffle(FEARED).slice(0, count).map(condition);
export const familial = (random, count) => random.shuffle([["breast cancer", ["breast carcinoma"]], ["colon cancer", []], ["type 1 diabetes mellitus", ["type 1 diabetes"]], ["Parkinson disease", ["parkinson's disease"]], ["glaucoma", []],
  ["schizophrenia", []], ["multiple sclerosis", []], ["lung cancer", []], ["dementia", []]]).slice(0, count).map(([name, also]) => ({ name: name.toLowerCase(), also: [name, ...also] }));

// Drugs to which people are allergic are none of those that documents prescribe.
const ALLERGENS = [["penicillin", ["penicillins"], "rash"], ["sulfa", ["sulfa drugs", "sulfonamides", "sulfonamide"], "hives"], ["codeine", [], "nausea"], ["latex", [], "itching"], ["peanut", ["peanuts"], "anaphylaxis"],
  ["iodinated contrast", ["contrast", "iodinated contrast media"], "hives"], ["aspirin", [], "wheezing"], ["erythromycin", [], "vomiting"], ["shellfish", [], "angioedema"], ["clindamycin", [], "diarrhea"], ["cephalexin", [], "rash"]];
export const allergies = (random, count) => random.shuffle(ALLERGENS).slice(0, count).map(([name, also, reaction]) => ({ name, also, reaction }));

export const vaccines = [["influenza", ["influenza vaccine", "flu vaccine", "influenza (quadrivalent)", "influenza, seasonal"]], ["tetanus, diphtheria, pertussis", ["tdap", "tdap vaccine"]], ["hepatitis b", ["hepatitis b vaccine", "hep b"]],
  ["pneumococcal", ["pneumococcal conjugate", "pcv20", "pneumococcal vaccine", "pneumococcal (pcv20)", "pneumococcal conjugate vaccine"]], ["zoster", ["shingles", "zoster vaccine", "shingrix", "shingles (zoster)", "zoster (recombinant)"]],
  ["measles, mumps, rubella", ["mmr", "mmr vaccine"]], ["varicella", ["chickenpox", "varicella vaccine"]], ["covid-19", ["covid-19 vaccine", "covid-19 (mrna)", "sars-cov-2"]], ["hepatitis a", ["hepatitis a vaccine", "hep a"]],
  ["human papillomavirus", ["hpv", "hpv vaccine"]], ["rabies", ["rabies vaccine"]], ["typhoid", ["typhoid vaccine"]], ["yellow fever", ["yellow fever vaccine"]]].map(([name, also]) => ({ name, also }));
