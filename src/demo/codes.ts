/**
 * The clinical vocabulary of the synthetic records: SNOMED CT, ATC, LOINC with UCUM units, and the small HL7 code
 * systems.
 */
export const systems = {
  snomed: 'http://snomed.info/sct',
  loinc: 'http://loinc.org',
  ucum: 'http://unitsofmeasure.org',
  atc: 'http://www.whocc.no/atc',
  healthNumber: 'https://fhir.infoway-inforoute.ca/NamingSystem/ca-on-patient-hcn',
  identifierType: 'http://terminology.hl7.org/CodeSystem/v2-0203',
  observationCategory: 'http://terminology.hl7.org/CodeSystem/observation-category',
  interpretation: 'http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation',
  conditionClinical: 'http://terminology.hl7.org/CodeSystem/condition-clinical',
  conditionVerification: 'http://terminology.hl7.org/CodeSystem/condition-ver-status',
  conditionCategory: 'http://terminology.hl7.org/CodeSystem/condition-category',
  actCode: 'http://terminology.hl7.org/CodeSystem/v3-ActCode',
  participation: 'http://terminology.hl7.org/CodeSystem/v3-ParticipationType',
  roleCode: 'http://terminology.hl7.org/CodeSystem/v3-RoleCode',
  gender: 'http://hl7.org/fhir/administrative-gender',
  appointmentType: 'http://terminology.hl7.org/CodeSystem/v2-0276',
  cancellation: 'http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason',
  absentHistory: 'http://terminology.hl7.org/CodeSystem/history-absent-reason',
  language: 'urn:ietf:bcp:47',
} as const;

/** Canonicals in meta.profile of the records, with the version that the interface declares. */
export const profiles = {
  patient: 'http://fhir.infoway-inforoute.ca/cacore/StructureDefinition/patient-ca-core|1.1.0',
  encounter: 'http://fhir.infoway-inforoute.ca/cacore/StructureDefinition/encounter-ca-core|1.1.0',
  familyMemberHistory: 'http://fhir.infoway-inforoute.ca/cacore/StructureDefinition/familymemberhistory-ca-core|1.1.0',
} as const;

/** A chronic disease: its minimum age, its probability, and its prescriptions. */
export interface Disease {
  readonly code: string;
  readonly display: string;
  readonly fromAge: number;
  readonly probability: number;
  readonly drugs: readonly Drug[];
}

export interface Drug {
  readonly code: string;
  readonly display: string;
  readonly dose: string;
}

export const HYPERTENSION = '38341003';
export const DIABETES = '44054006';
export const HYPERLIPIDEMIA = '55822004';
export const HYPOTHYROIDISM = '40930008';

export const chronicDiseases: readonly Disease[] = [
  disease(HYPERTENSION, 'Hypertensive disorder', 35, 0.45, [
    drug('C09AA05', 'ramipril', '5 mg by mouth once daily'),
    drug('C08CA01', 'amlodipine', '5 mg by mouth once daily'),
  ]),
  disease(DIABETES, 'Type 2 diabetes mellitus', 35, 0.25, [
    drug('A10BA02', 'metformin', '500 mg by mouth twice daily'),
  ]),
  disease(HYPERLIPIDEMIA, 'Hyperlipidemia', 40, 0.35, [drug('C10AA05', 'atorvastatin', '20 mg by mouth at bedtime')]),
  disease('195967001', 'Asthma', 5, 0.18, [drug('R03AC02', 'salbutamol', '2 puffs every 4 hours as needed')]),
  disease(HYPOTHYROIDISM, 'Hypothyroidism', 30, 0.15, [
    drug('H03AA01', 'levothyroxine sodium', '75 micrograms by mouth every morning'),
  ]),
  disease('35489007', 'Depressive disorder', 16, 0.2, [drug('N06AB06', 'sertraline', '50 mg by mouth once daily')]),
  disease('235595009', 'Gastroesophageal reflux disease', 20, 0.22, [
    drug('A02BC02', 'pantoprazole', '40 mg by mouth before breakfast'),
  ]),
  disease('396275006', 'Osteoarthritis', 50, 0.3, [
    drug('N02BE01', 'paracetamol', '500 mg by mouth every 6 hours as needed'),
  ]),
  disease('49436004', 'Atrial fibrillation', 60, 0.12, [drug('C07AB02', 'metoprolol', '50 mg by mouth twice daily')]),
  disease('37796009', 'Migraine', 12, 0.15, [drug('N02CC01', 'sumatriptan', '50 mg by mouth at onset of headache')]),
];

/** Reasons of short episodes. */
export const acuteDiseases: readonly Disease[] = [
  disease('54150009', 'Upper respiratory infection', 0, 1, []),
  disease('10509002', 'Acute bronchitis', 0, 1, [
    drug('J01CA04', 'amoxicillin', '500 mg by mouth three times daily for 7 days'),
  ]),
  disease('36971009', 'Sinusitis', 0, 1, [
    drug('J01CA04', 'amoxicillin', '500 mg by mouth three times daily for 10 days'),
  ]),
  disease('68566005', 'Urinary tract infection', 16, 1, [
    drug('J01XE01', 'nitrofurantoin', '100 mg by mouth twice daily for 5 days'),
  ]),
];

/** Diseases in families. */
export const familyDiseases = [
  { code: '22298006', display: 'Myocardial infarction' },
  { code: '254837009', display: 'Malignant neoplasm of breast', only: 'female' },
  { code: '363406005', display: 'Malignant neoplasm of colon' },
  { code: '399068003', display: 'Malignant neoplasm of prostate', only: 'male' },
  { code: '230690007', display: 'Cerebrovascular accident' },
  { code: DIABETES, display: 'Type 2 diabetes mellitus' },
  { code: HYPERTENSION, display: 'Hypertensive disorder' },
  { code: '64859006', display: 'Osteoporosis' },
] as const;

export const relatives = [
  { code: 'MTH', display: 'mother', sex: 'female' },
  { code: 'FTH', display: 'father', sex: 'male' },
  { code: 'SIS', display: 'sister', sex: 'female' },
  { code: 'BRO', display: 'brother', sex: 'male' },
  { code: 'MGRMTH', display: 'maternal grandmother', sex: 'female' },
  { code: 'PGRFTH', display: 'paternal grandfather', sex: 'male' },
] as const;

/** A measurement: LOINC code, displayed unit and its UCUM code, decimals, usual mean and deviation. */
export interface Measurement {
  readonly code: string;
  readonly display: string;
  readonly unit: string;
  readonly ucum: string;
  readonly decimals: number;
  readonly mean: number;
  readonly deviation: number;
  /** Usual range, for the interpretation of laboratory results. */
  readonly usual?: readonly [number, number];
}

export const vitalSigns = {
  systolic: measurement('8480-6', 'Systolic blood pressure', 'mmHg', 'mm[Hg]', 0, 122, 9),
  diastolic: measurement('8462-4', 'Diastolic blood pressure', 'mmHg', 'mm[Hg]', 0, 76, 6),
  heartRate: measurement('8867-4', 'Heart rate', 'beats/minute', '/min', 0, 74, 9),
  respiratoryRate: measurement('9279-1', 'Respiratory rate', 'breaths/minute', '/min', 0, 16, 2),
  temperature: measurement('8310-5', 'Body temperature', 'degrees Celsius', 'Cel', 1, 36.8, 0.3),
  oxygenSaturation: measurement(
    '59408-5',
    'Oxygen saturation in Arterial blood by Pulse oximetry',
    '%',
    '%',
    0,
    97.5,
    0.8,
  ),
  weight: measurement('29463-7', 'Body weight', 'kg', 'kg', 1, 76, 12),
  height: measurement('8302-2', 'Body height', 'cm', 'cm', 0, 169, 8),
  bodyMassIndex: measurement('39156-5', 'Body mass index (BMI) [Ratio]', 'kg/m2', 'kg/m2', 1, 26, 4),
} as const;

export const laboratoryTests = {
  glucose: measurement(
    '14749-6',
    'Glucose [Moles/volume] in Serum or Plasma',
    'mmol/L',
    'mmol/L',
    2,
    5.1,
    0.45,
    [3.6, 6],
  ),
  hba1c: measurement('4548-4', 'Hemoglobin A1c/Hemoglobin.total in Blood', '%', '%', 2, 5.4, 0.25, [4, 6]),
  cholesterol: measurement(
    '14647-2',
    'Cholesterol [Moles/volume] in Serum or Plasma',
    'mmol/L',
    'mmol/L',
    2,
    4.6,
    0.5,
    [0, 5.2],
  ),
  hdl: measurement(
    '14646-4',
    'Cholesterol in HDL [Moles/volume] in Serum or Plasma',
    'mmol/L',
    'mmol/L',
    2,
    1.4,
    0.25,
    [1, 9],
  ),
  creatinine: measurement(
    '14682-9',
    'Creatinine [Moles/volume] in Serum or Plasma',
    'umol/L',
    'umol/L',
    0,
    78,
    12,
    [50, 110],
  ),
  potassium: measurement(
    '2823-3',
    'Potassium [Moles/volume] in Serum or Plasma',
    'mmol/L',
    'mmol/L',
    1,
    4.2,
    0.3,
    [3.5, 5.1],
  ),
  sodium: measurement('2951-2', 'Sodium [Moles/volume] in Serum or Plasma', 'mmol/L', 'mmol/L', 0, 140, 2, [135, 145]),
  hemoglobin: measurement('718-7', 'Hemoglobin [Mass/volume] in Blood', 'g/L', 'g/L', 0, 140, 11, [120, 160]),
  tsh: measurement(
    '3016-3',
    'Thyrotropin [Units/volume] in Serum or Plasma',
    'mIU/L',
    'm[IU]/L',
    2,
    2.1,
    0.7,
    [0.3, 4.2],
  ),
} as const;

function disease(code: string, display: string, fromAge: number, probability: number, drugs: readonly Drug[]): Disease {
  return { code, display, fromAge, probability, drugs };
}

function drug(code: string, display: string, dose: string): Drug {
  return { code, display, dose };
}

function measurement(
  code: string,
  display: string,
  unit: string,
  ucum: string,
  decimals: number,
  mean: number,
  deviation: number,
  usual?: readonly [number, number],
): Measurement {
  return { code, display, unit, ucum, decimals, mean, deviation, ...(usual === undefined ? {} : { usual }) };
}
