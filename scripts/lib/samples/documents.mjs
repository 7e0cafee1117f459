// Three made-up documents, with what is true of them. People, places and numbers are invented.
//
// A page is a list of items: {x, y, text, size?, bold?} in points from the top left, or {line: [x1, y, x2]}.

const at = (x, y, text, style = {}) => ({ x, y, text, ...style });
const heading = (y, text, size = 16) => at(56, y, text, { size, bold: true });
const row = (y, columns, cells, style) => cells.flatMap((text, i) => (text ? [at(columns[i], y, text, style)] : []));

const labColumns = [56, 230, 300, 380, 500];
const labs = [
  ["Hemoglobin", 11.2, "g/dL", 12, 15.5, "L"],
  ["Hematocrit", 34.1, "%", 36, 46, "L"],
  ["White blood cells", 6.8, "K/uL", 4, 11, ""],
  ["Platelets", 251, "K/uL", 150, 400, ""],
  ["Glucose", 142, "mg/dL", 70, 99, "H"],
  ["Creatinine", 0.9, "mg/dL", 0.6, 1.1, ""],
  ["Sodium", 139, "mmol/L", 135, 145, ""],
  ["Potassium", 4.4, "mmol/L", 3.5, 5.1, ""],
  ["Total cholesterol", 212, "mg/dL", 120, 200, "H"],
  ["TSH", 2.1, "mIU/L", 0.4, 4, ""],
];
const labsPageTwo = [
  ["Hemoglobin A1c", 7.4, "%", 4, 5.6, "H"],
  ["Vitamin D", 24, "ng/mL", 30, 100, "L"],
  ["Ferritin", 18, "ng/mL", 20, 200, "L"],
];
const labRow = (y, [name, value, unit, low, high, flag]) =>
  row(y, labColumns, [name, String(value), unit, `${low} - ${high}`, flag]);
const labFact = (page) => ([name, value, unit, low, high]) => ({ kind: "lab", name, value: { value, unit, low, high }, page });
const labHeader = (y) => [
  ...row(y, labColumns, ["Test", "Result", "Unit", "Reference range", "Flag"], { bold: true }),
  { line: [56, y + 6, 556] },
];

const labReport = {
  name: "lab-report",
  pages: [
    [
      heading(70, "Northfield Regional Laboratory", 18),
      at(56, 88, "480 Mill Street, Northfield    Phone 555-0142", { size: 9 }),
      heading(128, "LABORATORY REPORT"),
      at(56, 160, "Patient: Margaret Hollis"), at(330, 160, "DOB: 03/14/1958"),
      at(56, 178, "MRN: 4471-2290"), at(330, 178, "Sex: Female"),
      at(56, 196, "Ordering provider: Dr. Alan Whitcombe"),
      at(56, 214, "Collected: 05/06/2024"), at(330, 214, "Reported: 05/07/2024"),
      ...labHeader(252),
      ...labs.flatMap((lab, i) => labRow(278 + i * 22, lab)),
      at(56, 530, "Comment: Mild anemia. Fasting glucose is above the reference range."),
      at(56, 548, "Results were reviewed by the laboratory director before release."),
    ],
    [
      heading(70, "Laboratory report, continued"),
      at(56, 100, "Patient: Margaret Hollis"), at(330, 100, "Page 2 of 2"),
      ...labHeader(140),
      ...labsPageTwo.flatMap((lab, i) => labRow(166 + i * 22, lab)),
      at(56, 270, "End of report."),
    ],
  ],
  facts: [
    { kind: "patient", name: "Margaret Hollis", value: { birth_date: "1958-03-14" }, page: 1 },
    { kind: "provider", name: "Alan Whitcombe", value: {}, page: 1 },
    { kind: "date", name: "collected", value: { date: "2024-05-06" }, page: 1 },
    { kind: "date", name: "reported", value: { date: "2024-05-07" }, page: 1 },
    { kind: "condition", name: "anemia", value: {}, page: 1 },
    ...labs.map(labFact(1)),
    ...labsPageTwo.map(labFact(2)),
  ],
};

const medication = (page, name, dose, unit, frequency, rest = {}) =>
  ({ kind: "medication", name, value: { dose, unit, frequency, ...rest }, page });

const prescription = {
  name: "prescription",
  pages: [
    [
      heading(70, "Riverside Family Practice", 18),
      at(56, 88, "12 Harbor Lane, Riverside    Phone 555-0177", { size: 9 }),
      at(56, 122, "Prescriber: Helen Marsh, MD"), at(380, 122, "Date: 06/18/2024"),
      { line: [56, 134, 556] },
      at(56, 158, "Patient: Thomas Okafor"), at(330, 158, "Date of birth: 11/02/1971"),
      at(56, 176, "Diagnosis: Type 2 diabetes mellitus, Hypertension, Hyperlipidemia"),
      heading(212, "Rx", 20),
      at(56, 244, "1. Metformin 500 mg tablet", { bold: true }),
      at(72, 260, "Take 1 tablet by mouth twice daily with meals. Quantity: 180. Refills: 3."),
      at(56, 290, "2. Lisinopril 10 mg tablet", { bold: true }),
      at(72, 306, "Take 1 tablet by mouth once daily. Quantity: 90. Refills: 3."),
      at(56, 336, "3. Atorvastatin 20 mg tablet", { bold: true }),
      at(72, 352, "Take 1 tablet by mouth at bedtime. Quantity: 90. Refills: 1."),
      at(56, 382, "4. Amoxicillin 875 mg tablet", { bold: true }),
      at(72, 398, "Take 1 tablet by mouth every 12 hours for 10 days. Quantity: 20. Refills: 0."),
      at(56, 460, "Substitution is permitted unless the prescriber writes otherwise."),
      { line: [330, 520, 556] },
      at(330, 534, "Signature of the prescriber", { size: 9 }),
    ],
    [
      heading(70, "Instructions for the patient"),
      at(56, 100, "Patient: Thomas Okafor"), at(330, 100, "Page 2 of 2"),
      at(56, 130, "5. Ibuprofen 400 mg tablet", { bold: true }),
      at(72, 146, "Take 1 tablet by mouth every 8 hours as needed. Quantity: 30. Refills: 0."),
      at(56, 190, "Call the practice if you have questions about these medicines."),
    ],
  ],
  facts: [
    { kind: "patient", name: "Thomas Okafor", value: { birth_date: "1971-11-02" }, page: 1 },
    { kind: "provider", name: "Helen Marsh", value: {}, page: 1 },
    { kind: "date", name: "document", value: { date: "2024-06-18" }, page: 1 },
    { kind: "condition", name: "type 2 diabetes mellitus", value: {}, page: 1 },
    { kind: "condition", name: "hypertension", value: {}, page: 1 },
    { kind: "condition", name: "hyperlipidemia", value: {}, page: 1 },
    medication(1, "metformin", 500, "mg", "twice daily"),
    medication(1, "lisinopril", 10, "mg", "once daily"),
    medication(1, "atorvastatin", 20, "mg", "at bedtime"),
    medication(1, "amoxicillin", 875, "mg", "every 12 hours", { days: 10 }),
    medication(2, "ibuprofen", 400, "mg", "every 8 hours", { as_needed: true }),
  ],
};

const dischargeSummary = {
  name: "discharge-summary",
  pages: [
    [
      heading(70, "St. Brendan General Hospital", 18),
      heading(104, "DISCHARGE SUMMARY"),
      at(56, 136, "Patient name: Ruth Castellano"), at(330, 136, "Date of birth: 09/21/1946"),
      at(56, 154, "Admitted: 04/02/2024"), at(330, 154, "Discharged: 04/08/2024"),
      at(56, 172, "Attending physician: Dr. Samuel Reyes"),
      heading(206, "Diagnoses", 13),
      at(56, 226, "1. Community-acquired pneumonia"),
      at(56, 244, "2. Chronic obstructive pulmonary disease"),
      at(56, 262, "3. Atrial fibrillation"),
      heading(294, "Hospital course", 13),
      at(56, 314, "The patient presented with fever and a productive cough of three days. A chest"),
      at(56, 330, "radiograph showed an infiltrate of the right lower lobe. She was treated with"),
      at(56, 346, "ceftriaxone 1 g every 24 hours and improved within two days. There was no"),
      at(56, 362, "evidence of heart failure. She denies chest pain and was walking on the ward"),
      at(56, 378, "without oxygen at the time of discharge."),
      heading(410, "Discharge medications", 13),
      at(56, 430, "Warfarin 5 mg by mouth once daily"),
      at(56, 448, "Prednisone 40 mg by mouth once daily for 5 days"),
      at(56, 466, "Albuterol 90 mcg inhaled every 4 hours as needed"),
      at(56, 484, "Metoprolol 25 mg by mouth twice daily"),
      heading(516, "Follow-up", 13),
      at(56, 536, "See Dr. Samuel Reyes in the clinic on 04/22/2024."),
    ],
    [
      heading(70, "Discharge summary, continued"),
      at(56, 100, "Patient name: Ruth Castellano"), at(330, 100, "Page 2 of 2"),
      heading(134, "Laboratory values at discharge", 13),
      at(56, 156, "INR 2.4 (2.0 - 3.0)"),
      at(56, 174, "Potassium 3.4 mmol/L (3.5 - 5.1) low"),
      at(56, 192, "Creatinine 1.0 mg/dL (0.6 - 1.1)"),
      at(56, 210, "White blood cells 9.8 K/uL (4.0 - 11.0)"),
    ],
  ],
  facts: [
    { kind: "patient", name: "Ruth Castellano", value: { birth_date: "1946-09-21" }, page: 1 },
    { kind: "provider", name: "Samuel Reyes", value: {}, page: 1 },
    { kind: "date", name: "admitted", value: { date: "2024-04-02" }, page: 1 },
    { kind: "date", name: "discharged", value: { date: "2024-04-08" }, page: 1 },
    { kind: "appointment", name: "follow-up", also: ["clinic", "samuel reyes", "follow-up visit", "dr. samuel reyes"], value: { date: "2024-04-22", with: "Samuel Reyes" }, status: "planned", page: 1 },
    { kind: "condition", name: "community-acquired pneumonia", value: {}, page: 1 },
    { kind: "condition", name: "chronic obstructive pulmonary disease", value: {}, page: 1 },
    { kind: "condition", name: "atrial fibrillation", value: {}, page: 1 },
    { kind: "condition", name: "heart failure", value: {}, status: "ruled_out", page: 1 },
    { ...medication(1, "ceftriaxone", 1, "g", "every 24 hours"), status: "historical" },
    ...["fever", "productive cough"].map((name) => ({ kind: "condition", name, also: ["cough"], kinds: ["condition", "finding"], statuses: ["current", "historical"], optional: true, value: {}, page: 1 })),
    { kind: "condition", name: "chest pain", kinds: ["condition", "finding"], status: "ruled_out", optional: true, value: {}, page: 1 },
    { kind: "procedure", name: "chest radiograph", also: ["chest x-ray"], statuses: ["current", "historical"], optional: true, value: {}, page: 1 },
    { kind: "finding", name: "infiltrate", also: ["infiltrate of the right lower lobe"], kinds: ["condition", "finding"], statuses: ["current", "historical"], optional: true, value: {}, page: 1 },
    medication(1, "warfarin", 5, "mg", "once daily"),
    medication(1, "prednisone", 40, "mg", "once daily", { days: 5 }),
    medication(1, "albuterol", 90, "mcg", "every 4 hours", { as_needed: true }),
    medication(1, "metoprolol", 25, "mg", "twice daily"),
    { kind: "lab", name: "INR", value: { value: 2.4, unit: null, low: 2, high: 3 }, page: 2 },
    { kind: "lab", name: "Potassium", value: { value: 3.4, unit: "mmol/L", low: 3.5, high: 5.1 }, page: 2 },
    { kind: "lab", name: "Creatinine", value: { value: 1, unit: "mg/dL", low: 0.6, high: 1.1 }, page: 2 },
    { kind: "lab", name: "White blood cells", value: { value: 9.8, unit: "K/uL", low: 4, high: 11 }, page: 2 },
  ],
};

export const documents = [labReport, prescription, dischargeSummary];

/** The words of a document's first pages, as a reader would say them. */
export function wordsOf(document, pageCount) {
  return document.pages.slice(0, pageCount).flatMap((page) => page.flatMap((item) => (item.text ? item.text.split(/\s+/) : [])));
}
