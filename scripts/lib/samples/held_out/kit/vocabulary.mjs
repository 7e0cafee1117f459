// The words that the held-out documents are made of. All people and places are invented.

const lines = (text) => text.trim().split("\n").map((line) => line.trim());

// generic,other generic names | brands | doses | unit | frequencies (? marks as needed) | form
export const drugs = lines(`
  metformin|Glucophage|500,850,1000|mg|twice daily|tablet
  lisinopril|Zestril,Prinivil|5,10,20,40|mg|once daily|tablet
  ramipril|Altace|2.5,5,10|mg|once daily|capsule
  perindopril|Coversyl|2,4,8|mg|every morning|tablet
  amlodipine|Norvasc|5,10|mg|once daily|tablet
  felodipine|Plendil|5,10|mg|once daily|tablet
  losartan|Cozaar|25,50,100|mg|once daily|tablet
  candesartan|Atacand|4,8,16|mg|once daily|tablet
  valsartan|Diovan|80,160|mg|once daily|tablet
  bisoprolol|Concor|1.25,2.5,5,10|mg|every morning,once daily|tablet
  carvedilol|Coreg|6.25,12.5,25|mg|twice daily|tablet
  propranolol|Inderal|10,40,80|mg|twice daily,three times daily|tablet
  atenolol|Tenormin|25,50,100|mg|once daily|tablet
  furosemide,frusemide|Lasix|20,40,80|mg|every morning,once daily|tablet
  torsemide,torasemide|Demadex|10,20|mg|once daily|tablet
  spironolactone|Aldactone|12.5,25,50|mg|once daily|tablet
  chlorthalidone,chlortalidone||12.5,25|mg|every morning|tablet
  indapamide|Natrilix|1.5,2.5|mg|every morning|tablet
  atorvastatin|Lipitor|10,20,40,80|mg|at bedtime|tablet
  rosuvastatin|Crestor|5,10,20|mg|once daily|tablet
  simvastatin|Zocor|10,20,40|mg|at bedtime|tablet
  ezetimibe|Zetia,Ezetrol|10|mg|once daily|tablet
  apixaban|Eliquis|2.5,5|mg|twice daily|tablet
  rivaroxaban|Xarelto|15,20|mg|every evening|tablet
  warfarin|Coumadin|1,3,5|mg|every evening|tablet
  clopidogrel|Plavix|75|mg|once daily|tablet
  ticagrelor|Brilinta|60,90|mg|twice daily|tablet
  digoxin|Lanoxin|125,250|mcg|once daily|tablet
  amiodarone|Pacerone|100,200|mg|once daily|tablet
  empagliflozin|Jardiance|10,25|mg|every morning|tablet
  dapagliflozin|Farxiga,Forxiga|5,10|mg|once daily|tablet
  gliclazide|Diamicron|30,60,80|mg|every morning|tablet
  glipizide|Glucotrol|5,10|mg|twice daily|tablet
  sitagliptin|Januvia|50,100|mg|once daily|tablet
  linagliptin|Tradjenta,Trajenta|5|mg|once daily|tablet
  pioglitazone|Actos|15,30|mg|once daily|tablet
  insulin glargine|Lantus,Basaglar|14,18,22,26|units|at bedtime|pen
  semaglutide|Ozempic|0.25,0.5,1|mg|once weekly|pen
  dulaglutide|Trulicity|0.75,1.5|mg|once weekly|pen
  levothyroxine,thyroxine|Synthroid,Eltroxin|25,50,75,100,125|mcg|every morning|tablet
  carbimazole||5,10,20|mg|once daily|tablet
  omeprazole|Prilosec,Losec|20,40|mg|every morning|capsule
  pantoprazole|Protonix,Somac|20,40|mg|once daily|tablet
  esomeprazole|Nexium|20,40|mg|once daily|tablet
  famotidine|Pepcid|20,40|mg|twice daily,at bedtime|tablet
  ondansetron|Zofran|4,8|mg|every 8 hours?|tablet
  metoclopramide|Reglan,Maxolon|5,10|mg|three times daily?|tablet
  mesalamine,mesalazine|Asacol,Pentasa|800,1000|mg|three times daily|tablet
  sertraline|Zoloft|25,50,100|mg|every morning|tablet
  citalopram|Celexa|10,20,40|mg|once daily|tablet
  escitalopram|Lexapro|5,10,20|mg|once daily|tablet
  venlafaxine|Effexor|37.5,75,150|mg|once daily|capsule
  duloxetine|Cymbalta|30,60|mg|once daily|capsule
  mirtazapine|Remeron,Avanza|15,30,45|mg|at bedtime|tablet
  trazodone|Desyrel|50,100|mg|at bedtime|tablet
  amitriptyline|Elavil,Endep|10,25,50|mg|at bedtime|tablet
  quetiapine|Seroquel|25,50,100|mg|at bedtime|tablet
  lithium carbonate,lithium||250,400|mg|twice daily|tablet
  lamotrigine|Lamictal|25,50,100|mg|twice daily|tablet
  levetiracetam|Keppra|250,500,750|mg|twice daily|tablet
  gabapentin|Neurontin|100,300,600|mg|three times daily|capsule
  pregabalin|Lyrica|50,75,150|mg|twice daily|capsule
  topiramate|Topamax|25,50|mg|twice daily|tablet
  baclofen|Lioresal|5,10|mg|three times daily|tablet
  cyclobenzaprine|Flexeril|5,10|mg|at bedtime?|tablet
  tramadol|Ultram,Tramal|50,100|mg|every 6 hours?,four times daily?|capsule
  oxycodone|Roxicodone,OxyNorm|5,10|mg|every 4-6 hours?|tablet
  acetaminophen,paracetamol|Tylenol,Panadol|500,650|mg|four times daily?,every 6 hours?|tablet
  ibuprofen|Motrin,Nurofen|200,400,600|mg|every 6-8 hours?,three times daily?|tablet
  meloxicam|Mobic|7.5,15|mg|once daily|tablet
  celecoxib|Celebrex|100,200|mg|once daily|capsule
  prednisone||5,10,20,40|mg|every morning|tablet
  prednisolone||5,15,25|mg|every morning|tablet
  methotrexate|Trexall|7.5,10,15|mg|once weekly|tablet
  hydroxychloroquine|Plaquenil|200,400|mg|once daily|tablet
  sulfasalazine|Azulfidine,Salazopyrin|500,1000|mg|twice daily|tablet
  allopurinol|Zyloprim|100,200,300|mg|once daily|tablet
  colchicine|Colcrys|0.6,0.5|mg|twice daily|tablet
  alendronate,alendronic acid|Fosamax|35,70|mg|once weekly|tablet
  folic acid||1,5|mg|once daily|tablet
  tamsulosin|Flomax|0.4|mg|at bedtime|capsule
  finasteride|Proscar|5|mg|once daily|tablet
  solifenacin|Vesicare|5,10|mg|once daily|tablet
  mirabegron|Myrbetriq,Betmiga|25,50|mg|once daily|tablet
  montelukast|Singulair|10|mg|every evening,at bedtime|tablet
  cetirizine|Zyrtec|10|mg|once daily?|tablet
  loratadine|Claritin|10|mg|once daily|tablet
  doxycycline|Vibramycin|50,100|mg|twice daily|capsule
  azithromycin|Zithromax|250,500|mg|once daily|tablet
  nitrofurantoin|Macrobid|50,100|mg|twice daily|capsule
  ciprofloxacin|Cipro|250,500|mg|every 12 hours|tablet
  cephalexin,cefalexin|Keflex|250,500|mg|four times daily,every 6 hours|capsule
  valacyclovir,valaciclovir|Valtrex|500,1000|mg|twice daily,three times daily|tablet
  sumatriptan|Imitrex,Imigran|50,100|mg|once daily?|tablet
  donepezil|Aricept|5,10|mg|at bedtime|tablet
  ropinirole|Requip|0.25,0.5,1|mg|at bedtime|tablet
  anastrozole|Arimidex|1|mg|once daily|tablet
  tamoxifen|Nolvadex|10,20|mg|once daily|tablet
  isosorbide mononitrate|Imdur|30,60|mg|every morning|tablet
  hydralazine|Apresoline|25,50|mg|three times daily|tablet
`);

export const hospitalDrugs = lines(`
  ceftriaxone|Rocephin|1,2|g|every 24 hours|IV
  piperacillin/tazobactam|Zosyn,Tazocin|4.5|g|every 8 hours|IV
  vancomycin||1,1.25|g|every 12 hours|IV
  meropenem|Merrem|1|g|every 8 hours|IV
  enoxaparin|Lovenox,Clexane|40|mg|once daily|SC
  heparin||5000|units|every 8 hours,every 12 hours|SC
  methylprednisolone|Solu-Medrol|40,60,125|mg|every 6 hours,every 12 hours|IV
  ketorolac|Toradol|15,30|mg|every 6 hours|IV
  cefazolin|Ancef|1,2|g|every 8 hours|IV
  gentamicin||240,320|mg|every 24 hours|IV
  flucloxacillin||1,2|g|every 6 hours|IV
  metronidazole|Flagyl|500|mg|every 8 hours|IV
  bumetanide|Bumex|1,2|mg|twice daily|IV
  hydromorphone|Dilaudid|0.5,1|mg|every 4 hours|IV
  dexamethasone|Decadron|4,6|mg|every 6 hours,once daily|IV
  fluconazole|Diflucan|200,400|mg|every 24 hours|IV
`);

export const combinations = lines(`
  sacubitril/valsartan|Entresto|24/26,49/51,97/103|mg|twice daily|tablet
  amoxicillin/clavulanate,co-amoxiclav,amoxicillin/clavulanic acid|Augmentin|500/125,875/125|mg|twice daily|tablet
  lisinopril/hydrochlorothiazide|Zestoretic|10/12.5,20/12.5|mg|once daily|tablet
  losartan/hydrochlorothiazide|Hyzaar|50/12.5,100/25|mg|once daily|tablet
  amlodipine/benazepril|Lotrel|5/10,5/20|mg|once daily|capsule
  sulfamethoxazole/trimethoprim|Bactrim,Septra|800/160|mg|twice daily|tablet
  sitagliptin/metformin|Janumet|50/500,50/1000|mg|twice daily|tablet
  carbidopa/levodopa|Sinemet|25/100,25/250|mg|three times daily|tablet
  amlodipine/valsartan|Exforge|5/160,10/160|mg|once daily|tablet
  ezetimibe/simvastatin|Vytorin|10/20,10/40|mg|at bedtime|tablet
  buprenorphine/naloxone|Suboxone|8/2|mg|once daily|tablet
  perindopril/indapamide|Coversyl Plus|4/1.25|mg|every morning|tablet
`);

export const devices = lines(`
  albuterol,salbutamol|Ventolin,ProAir|2|puffs|every 4-6 hours?|inhaler
  ipratropium,ipratropium bromide|Atrovent|2|puffs|four times daily|inhaler
  fluticasone,fluticasone propionate|Flovent,Flixotide|2|puffs|twice daily|inhaler
  budesonide/formoterol|Symbicort|2|puffs|twice daily|inhaler
  tiotropium|Spiriva Respimat|2|puffs|once daily|inhaler
  beclomethasone,beclometasone|Qvar,Clenil|2|puffs|twice daily|inhaler
  mometasone|Asmanex|2|puffs|every evening|inhaler
  levalbuterol|Xopenex|2|puffs|every 6 hours?|inhaler
  ciclesonide|Alvesco|2|puffs|once daily|inhaler
`);

const chronic = lines(`
  hypertension|essential hypertension|high blood pressure
  type 2 diabetes mellitus|type 2 diabetes|T2DM
  hyperlipidemia|hyperlipidaemia
  atrial fibrillation|AF
  chronic obstructive pulmonary disease|COPD
  asthma
  hypothyroidism
  gastroesophageal reflux disease|GERD|gastro-oesophageal reflux disease
  osteoarthritis
  rheumatoid arthritis
  osteoporosis
  chronic kidney disease|CKD
  coronary artery disease|CAD
  obstructive sleep apnea|obstructive sleep apnoea
  gout
  psoriasis
  migraine
  epilepsy
  glaucoma
  vitiligo
  irritable bowel syndrome
  ulcerative colitis
  parkinson's disease|parkinson disease
  multiple sclerosis
  polymyalgia rheumatica
  iron deficiency anemia|iron deficiency anaemia
  obesity
  fibromyalgia
  diverticulosis
  peripheral neuropathy
  restless legs syndrome
  anxiety
`);

const acute = lines(`
  pneumonia|community-acquired pneumonia
  acute bronchitis
  acute pancreatitis
  acute cholecystitis
  acute appendicitis
  acute kidney injury|AKI
  cellulitis
  urinary tract infection|UTI
  pyelonephritis|acute pyelonephritis
  acute sinusitis
  acute otitis media|otitis media
  viral gastroenteritis
  diverticulitis|acute diverticulitis
  influenza
  hyponatremia|hyponatraemia
  dehydration
  ankle sprain
  acute gastritis
  hypokalemia|hypokalaemia
  herpes zoster|shingles
`);

// Written with the year when they happened and ended.
const past = lines(`
  myocardial infarction
  stroke
  deep vein thrombosis|DVT
  peptic ulcer disease
  tuberculosis
  infectious mononucleosis
  rheumatic fever
  hepatitis a|hepatitis A
  nephrolithiasis|kidney stones
  viral meningitis
  retinal detachment
  pericarditis
  pneumothorax
`);

const family = lines(`
  breast cancer
  colon cancer|colorectal cancer|bowel cancer
  bladder cancer
  thyroid cancer
  melanoma
  alzheimer's disease|alzheimer disease
  huntington's disease|huntington disease
  hemochromatosis|haemochromatosis
  sickle cell disease
  cystic fibrosis
  schizophrenia
  polycystic kidney disease
  pancreatic cancer
  hypertrophic cardiomyopathy
  celiac disease|coeliac disease
  dementia
`);

const threat = lines(`
  pulmonary embolism|PE
  acute coronary syndrome|ACS
  endocarditis|infective endocarditis
  meningitis|bacterial meningitis
  aortic dissection
  septic arthritis
  osteomyelitis
  bowel obstruction|small bowel obstruction
  lymphoma
  multiple myeloma
  temporal arteritis|giant cell arteritis
  cauda equina syndrome
  heart failure|congestive heart failure
  mesenteric ischemia|mesenteric ischaemia
  addison's disease|adrenal insufficiency
  lung cancer
  lupus|systemic lupus erythematosus
  sarcoidosis
  cirrhosis
  myasthenia gravis
  pheochromocytoma|phaeochromocytoma
  hyperthyroidism
  sepsis
`);

export const conditionLists = { chronic, acute, past, family, threat };

export const allergens = lines(`
  penicillin|penicillins;hives,rash,anaphylaxis
  sulfonamides|sulfa|sulfa drugs|sulfonamide antibiotics;rash,hives
  codeine;nausea,vomiting,itching
  latex;hives,rash,contact dermatitis
  peanut|peanuts;anaphylaxis,hives
  shellfish;swelling,hives,anaphylaxis
  iodinated contrast|contrast dye|iodine contrast;hives,wheezing
  erythromycin;vomiting,nausea
  morphine;itching,nausea
  diclofenac;wheezing,bronchospasm
  bee venom|bee stings;anaphylaxis,swelling
  tetracycline|tetracyclines;rash
  egg|eggs;hives,vomiting
  adhesive tape;blistering,rash
  naproxen;bronchospasm,facial swelling
  chlorhexidine;rash,anaphylaxis
`);

// names | as printed | canonical unit | printed units | low | high | lowest | highest | decimals
const us = `
  Hemoglobin;Haemoglobin;Hgb;Hb|Hemoglobin;HGB;Hgb|g/dL|g/dL|12.0|15.5|7.6|17.8|1
  Hematocrit;Hct|Hematocrit;HCT|%|%|36|46|24|55|1
  White blood cells;White blood cell count;WBC;Leukocytes|White Blood Cell Count;WBC;Leukocytes (automated)|10^3/uL|10^3/uL;x10^3/uL|4.0|11.0|1.8|19.5|1
  Platelets;Platelet count;PLT|Platelet Count;Platelets;PLT|10^3/uL|10^3/uL;x10^3/uL|150|400|62|590|0
  MCV;Mean corpuscular volume|MCV;Mean Corpuscular Volume|fL|fL|80|100|64|114|0
  RDW;Red cell distribution width|RDW;RDW (CV)|%|%|11.5|14.5|11.6|19.8|1
  Glucose|Glucose;Glucose (fasting);Glucose, Serum|mg/dL|mg/dL|70|99|48|262|0
  Urea nitrogen;BUN;Blood urea nitrogen|BUN;Urea Nitrogen (BUN)|mg/dL|mg/dL|7|20|7|58|0
  Creatinine|Creatinine;Creatinine, Serum;Creatinine (enzymatic)|mg/dL|mg/dL|0.60|1.10|0.60|3.85|2
  eGFR;Estimated GFR;Glomerular filtration rate;Estimated glomerular filtration rate|eGFR;eGFR (CKD-EPI 2021)|mL/min/1.73m2|mL/min/1.73m2;mL/min/1.73|59||18|110|0
  Sodium|Sodium;Sodium (ISE)|mmol/L|mmol/L|135|145|121|152|0
  Potassium|Potassium;Potassium, Plasma|mmol/L|mmol/L|3.5|5.1|2.7|6.2|1
  Chloride|Chloride|mmol/L|mmol/L|98|107|88|115|0
  Calcium|Calcium;Calcium, Total|mg/dL|mg/dL|8.6|10.2|7.1|12.3|1
  Magnesium|Magnesium;Magnesium, Serum|mg/dL|mg/dL|1.7|2.4|1.1|3.2|1
  Phosphate;Phosphorus|Phosphorus|mg/dL|mg/dL|2.5|4.5|1.4|6.9|1
  Albumin|Albumin;Albumin (BCG)|g/dL|g/dL|3.5|5.0|2.1|5.6|1
  Total bilirubin;Bilirubin;Bilirubin, total|Bilirubin, Total;Total Bilirubin|mg/dL|mg/dL||1.3|0.2|6.4|1
  Alkaline phosphatase;ALP|Alkaline Phosphatase;ALP|IU/L|IU/L|44|121|44|380|0
  ALT;Alanine aminotransferase|ALT (SGPT);Alanine Aminotransferase|IU/L|IU/L||45|8|310|0
  AST;Aspartate aminotransferase|AST (SGOT);AST (w/o P5P)|IU/L|IU/L||41|9|290|0
  GGT;Gamma-glutamyl transferase;Gamma glutamyl transferase|GGT|IU/L|IU/L||65|9|240|0
  Lipase|Lipase|U/L|U/L|13|60|13|720|0
  Total cholesterol;Cholesterol;Cholesterol, total|Cholesterol, Total;Total Cholesterol|mg/dL|mg/dL||200|110|310|0
  HDL cholesterol;HDL|HDL Cholesterol;HDL Cholesterol (direct)|mg/dL|mg/dL|39||22|88|0
  LDL cholesterol;LDL|LDL Cholesterol (calculated);LDL Chol Calc (NIH)|mg/dL|mg/dL||100|38|214|0
  Triglycerides|Triglycerides|mg/dL|mg/dL||150|44|480|0
  Hemoglobin A1c;HbA1c;A1c;Glycated hemoglobin|Hemoglobin A1c;HbA1c (HPLC);Hemoglobin A1c (NGSP)|%|%||5.7|4.6|12.4|1
  TSH;Thyroid stimulating hormone;Thyrotropin|TSH;TSH (3rd generation)|mIU/L|mIU/L|0.45|4.50|0.02|18.60|2
  Free T4;T4, free;Free thyroxine;Thyroxine, free|Free T4;T4, Free (Direct)|ng/dL|ng/dL|0.82|1.77|0.31|3.60|2
  Ferritin|Ferritin;Ferritin (CLIA)|ng/mL|ng/mL|15|150|4|640|0
  Vitamin B12;B12;Cobalamin|Vitamin B12|pg/mL|pg/mL|232|1245|108|1245|0
  Vitamin D;25-hydroxyvitamin D;25-OH vitamin D;Vitamin D, 25-hydroxy|Vitamin D, 25-Hydroxy;Vitamin D (25-OH, total);25-OH Vitamin D (LC/MS)|ng/mL|ng/mL|30.0|100.0|8.0|100.0|1
  C-reactive protein;CRP|C-Reactive Protein;CRP (high sensitivity)|mg/L|mg/L||5.0|0.3|148.0|1
  ESR;Erythrocyte sedimentation rate;Sedimentation rate|Sedimentation Rate;ESR (Westergren)|mm/hr|mm/hr||20|2|96|0
  Uric acid;Urate|Uric Acid|mg/dL|mg/dL|2.6|7.2|1.4|11.9|1
  PSA;Prostate specific antigen|PSA, Total;PSA (total)|ng/mL|ng/mL||4.0|0.2|22.0|1
  INR;International normalized ratio|INR||""|0.9|1.1|0.9|4.6|1
  BNP;B-type natriuretic peptide|BNP|pg/mL|pg/mL||100|12|1840|0
  D-dimer|D-Dimer;D-Dimer (quantitative)|ng/mL|ng/mL||500|120|4200|0
`;

const si = `
  Hemoglobin;Haemoglobin;Hb;Hgb|Haemoglobin;Hb|g/L|g/L|120|150|71|178|0
  White blood cells;White cell count;WBC;WCC;White blood cell count;Leucocytes|White cell count;WCC|10^9/L|x10^9/L;10^9/L|4.0|11.0|1.8|19.5|1
  Platelets;Platelet count;PLT|Platelets;Platelet count|10^9/L|x10^9/L;10^9/L|150|400|58|610|0
  Neutrophils;Absolute neutrophil count|Neutrophils;Neutrophils (absolute)|10^9/L|x10^9/L;10^9/L|2.0|7.5|0.4|14.8|1
  Lymphocytes;Absolute lymphocyte count|Lymphocytes;Lymphocytes (absolute)|10^9/L|x10^9/L;10^9/L|1.0|3.5|0.3|6.2|1
  MCV;Mean cell volume;Mean corpuscular volume|MCV;Mean cell volume|fL|fL|80|100|66|114|0
  Sodium|Sodium;Sodium (indirect ISE)|mmol/L|mmol/L|133|146|119|154|0
  Potassium|Potassium;Potassium, plasma|mmol/L|mmol/L|3.5|5.3|2.6|6.6|1
  Urea|Urea|mmol/L|mmol/L|2.5|7.8|2.5|24.6|1
  Creatinine|Creatinine;Creatinine (enzymatic)|umol/L|umol/L;\xb5mol/L|45|90|45|420|0
  eGFR;Estimated GFR;Glomerular filtration rate;Estimated glomerular filtration rate|eGFR;eGFR (CKD-EPI)|mL/min/1.73m2|mL/min/1.73m2;mL/min/1.73|60||14|104|0
  Calcium;Adjusted calcium;Corrected calcium|Adjusted calcium;Calcium (adjusted)|mmol/L|mmol/L|2.20|2.60|1.80|3.20|2
  Phosphate|Phosphate|mmol/L|mmol/L|0.80|1.50|0.42|2.40|2
  Magnesium|Magnesium|mmol/L|mmol/L|0.70|1.00|0.38|1.45|2
  Albumin|Albumin;Albumin (BCP)|g/L|g/L|35|50|19|56|0
  Total bilirubin;Bilirubin|Total bilirubin;Bilirubin|umol/L|umol/L;\xb5mol/L||21|4|118|0
  Alkaline phosphatase;ALP|Alkaline phosphatase;ALP|IU/L|IU/L|30|130|30|410|0
  ALT;Alanine aminotransferase|ALT;Alanine aminotransferase|IU/L|IU/L||41|8|320|0
  GGT;Gamma-glutamyl transferase;Gamma glutamyl transferase;Gamma GT|Gamma GT;GGT|IU/L|IU/L||60|8|310|0
  Glucose|Glucose (fasting);Glucose|mmol/L|mmol/L|3.9|6.0|2.4|18.8|1
  Hemoglobin A1c;HbA1c;Haemoglobin A1c;Glycated haemoglobin|HbA1c (IFCC);HbA1c|mmol/mol|mmol/mol||42|28|108|0
  TSH;Thyroid stimulating hormone|TSH;TSH (CLIA)|mIU/L|mIU/L|0.27|4.20|0.02|16.80|2
  Free T4;Free thyroxine;T4, free|Free T4;Free thyroxine|pmol/L|pmol/L|12.0|22.0|5.1|41.0|1
  Ferritin|Ferritin;Ferritin (ECLIA)|ug/L|ug/L;\xb5g/L|30|400|4|780|0
  Vitamin B12;B12|Vitamin B12|ng/L|ng/L|197|771|88|771|0
  Folate;Serum folate|Folate, serum;Folate|ug/L|ug/L;\xb5g/L|3.9||1.2|18.0|1
  Vitamin D;25-hydroxyvitamin D;25-OH vitamin D|25-OH Vitamin D;Vitamin D (25-OH)|nmol/L|nmol/L|50||12|140|0
  C-reactive protein;CRP|C-reactive protein;CRP|mg/L|mg/L||5|1|188|0
  ESR;Erythrocyte sedimentation rate|ESR;ESR (Westergren)|mm/hr|mm/hr;mm/h||20|2|98|0
  Total cholesterol;Cholesterol|Total cholesterol;Cholesterol|mmol/L|mmol/L||5.0|2.6|8.4|1
  HDL cholesterol;HDL|HDL cholesterol|mmol/L|mmol/L|1.0||0.5|2.4|1
  LDL cholesterol;LDL|LDL cholesterol (calculated);LDL cholesterol|mmol/L|mmol/L||3.0|1.0|6.2|1
  Triglycerides|Triglycerides (fasting);Triglycerides|mmol/L|mmol/L||1.7|0.5|6.8|1
  Uric acid;Urate|Urate|mmol/L|mmol/L|0.20|0.42|0.10|0.71|2
  INR;International normalised ratio|INR||""|0.8|1.2|0.8|4.8|1
  CK;Creatine kinase|Creatine kinase;CK|IU/L|IU/L||200|30|2100|0
  Transferrin saturation;TSAT|Transferrin saturation|%|%|16|45|4|68|0
  Troponin T;Troponin T, high sensitivity|Troponin T (high sensitivity);hs-Troponin T|ng/L|ng/L||14|3|260|0
`;
export const labs = { us: lines(us.replaceAll('""', "")), si: lines(si.replaceAll('""', "")) };

export const procedures = lines(`
  colonoscopy
  upper endoscopy|gastroscopy|esophagogastroduodenoscopy|EGD
  echocardiogram|transthoracic echocardiogram|echocardiography
  coronary angiography|coronary angiogram
  bronchoscopy
  lumbar puncture
  appendectomy|appendicectomy
  cholecystectomy|laparoscopic cholecystectomy
  total knee replacement|total knee arthroplasty
  total hip replacement|total hip arthroplasty
  nephrectomy
  tonsillectomy
  cataract extraction|cataract surgery
  coronary artery bypass graft|CABG
  pacemaker implantation|pacemaker insertion
  carpal tunnel release
  inguinal hernia repair
  splenectomy
  thyroidectomy
  cystoscopy
  skin biopsy
  bone marrow biopsy
  paracentesis
  thoracentesis|pleural aspiration
`);

export const findings = {
  chest: lines(`
    consolidation|airspace consolidation
    pulmonary nodule|lung nodule
    pleural effusion
    atelectasis
    cardiomegaly
    hilar lymphadenopathy|hilar adenopathy
    pleural thickening
    ground-glass opacity|ground glass opacity
    hyperinflation
    interstitial thickening
    mediastinal widening|widened mediastinum
    pericardial effusion
  `),
  abdomen: lines(`
    hydronephrosis
    gallbladder wall thickening
    pericholecystic fluid
    biliary dilatation|biliary ductal dilatation
    splenomegaly
    hepatomegaly
    ascites
    renal cyst
    free air|free intraperitoneal air
    mesenteric fat stranding|fat stranding
    lymphadenopathy
    bowel wall thickening
  `),
  head: lines(`
    midline shift
    mass effect
    restricted diffusion
    sulcal effacement
    cerebral atrophy|cortical atrophy
    white matter hyperintensities|white matter lesions
    mucosal thickening
    cerebral edema|cerebral oedema
    abnormal enhancement
    pineal cyst
  `),
};

export const vaccines = lines(`
  influenza vaccine|Influenza|influenza|flu vaccine|Fluzone;Fluarix
  measles, mumps and rubella vaccine|MMR|mmr|measles, mumps and rubella|measles, mumps, rubella;M-M-R II
  tetanus, diphtheria and pertussis vaccine|Tdap|tdap|tetanus, diphtheria, pertussis;Boostrix
  hepatitis B vaccine|Hepatitis B|hepatitis b|hep b;Engerix-B
  hepatitis A vaccine|Hepatitis A|hepatitis a|hep a;Havrix
  pneumococcal vaccine|Pneumococcal|pneumococcal|pneumococcal conjugate vaccine;Prevnar 20
  zoster vaccine|Zoster|zoster|shingles vaccine|herpes zoster vaccine|zoster recombinant;Shingrix
  human papillomavirus vaccine|HPV|hpv|human papillomavirus;Gardasil 9
  varicella vaccine|Varicella|varicella|chickenpox vaccine;Varivax
  covid-19 vaccine|COVID-19|covid-19|COVID-19 mRNA vaccine;Comirnaty
  polio vaccine|IPV|ipv|polio|inactivated poliovirus vaccine;IPOL
  meningococcal vaccine|Meningococcal|meningococcal|meningococcal acwy;Menveo
  rotavirus vaccine|Rotavirus|rotavirus;Rotarix
  typhoid vaccine|Typhoid|typhoid;Typhim Vi
  rabies vaccine|Rabies|rabies;Imovax
  yellow fever vaccine|Yellow fever|yellow fever;Stamaril
  japanese encephalitis vaccine|Japanese encephalitis|japanese encephalitis;Ixiaro
`);

export const people = {
  us: { female: "Denise Carla Yolanda Brittany Eleanor Marisol Joanne Tamika".split(" "), male: "Gregory Darnell Curtis Hector Wendell Raymond Tyrone Leonard".split(" "),
    last: "Abernathy Castaneda Delacroix Fitzgerald Granger Holloway Iverson Kowalczyk Lindqvist Montoya Pruitt Rutherford Stanhope Truong Vandermeer Whitfield".split(" ") },
  uk: { female: "Philippa Bronwen Hazel Imogen Maureen Siobhan Tamsin Winifred".split(" "), male: "Alistair Callum Desmond Gareth Hamish Nigel Rupert Trevor".split(" "),
    last: "Ashworth Braithwaite Cholmondeley Davenport Entwistle Featherstone Gallagher Hargreaves Jardine Kilbride Llewellyn MacAllister Ogilvie Pemberton Thackeray Wetherby".split(" ") },
  au: { female: "Kylie Narelle Sheree Bronte Lorraine Anneliese".split(" "), male: "Lachlan Darcy Bruce Kieran Angus Warwick".split(" "),
    last: "Bannister Calloway Dunstan Fairweather Hollingworth Kavanagh Mulcahy Nguyen Papadakis Quigley Rafferty Stavros Tranter Whelan".split(" ") },
  de: { female: "Annegret Heike Ingrid Katrin Sabine Ursula".split(" "), male: "Detlef Florian Joachim Matthias Reinhard Torsten".split(" "),
    last: "Ahlers Brandstetter Dietrich Eberhardt Fassbinder Gerlach Hoffmann Kessler Lindemann Obermaier Reuter Schreiber Vogelsang Zimmermann".split(" ") },
  in: { female: "Lakshmi Meenakshi Priyanka Shalini Sunita Vidya".split(" "), male: "Anand Harish Karthik Mohan Rajesh Suresh".split(" "),
    last: "Banerjee Chatterjee Deshpande Gopalan Iyengar Joshi Kulkarni Mukherjee Nambiar Patwardhan Raghavan Srinivasan Venkatesan Wadhwa".split(" ") },
  ca: { female: "Genevieve Madeleine Shannon Colette Fiona Harpreet".split(" "), male: "Etienne Duncan Gordon Luc Stuart Gurpreet".split(" "),
    last: "Arsenault Beaulieu Campbell Dhaliwal Fournier Grewal Lapointe MacKinnon Ouellette Pelletier Sinclair Tremblay Urquhart Yuen".split(" ") },
};

export const places = {
  us: { towns: ["Fairmont, OH", "Cedar Bluff, TX", "Ashland Park, OR", "Lakewood Falls, MN"], streets: ["Sycamore Avenue", "Old Mill Road", "Franklin Blvd, Suite 200", "W. Magnolia St"], zip: "4####", phone: "(555) 01#-0#4#" },
  uk: { towns: ["Harrowgate", "Millbridge", "Stowford", "Kirkhaven"], streets: ["High Street", "Church Lane", "Station Road", "Victoria Terrace"], zip: "LS#4 #@@", phone: "01632 960#4#" },
  au: { towns: ["Glenorie Bay NSW", "Port Haven VIC", "Banksia Hill QLD"], streets: ["Wattle Street", "Esplanade", "Bridge Road"], zip: "2###", phone: "(02) 5550 1#4#" },
  de: { towns: ["Neustadt", "Waldkirchen", "Altenberg"], streets: ["Lindenstrasse", "Bahnhofstrasse", "Am Markt"], zip: "7####", phone: "+49 30 2312 5###" },
  in: { towns: ["Mysuru", "Kochi", "Pune"], streets: ["MG Road", "Residency Road", "Temple Street"], zip: "56####", phone: "+91 80 5550 1#4#" },
  ca: { towns: ["Halton Bay, ON", "Pointe-Noire, QC", "Maple Ridge, BC"], streets: ["King Street West", "Lakeshore Drive", "Rue Principale"], zip: "M4@ #@#", phone: "416-555-01#4" },
};
