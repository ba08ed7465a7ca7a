/** A resource that is validated many times. */
export interface ValidationCase {
  readonly name: string;
  /** An official example, and the profile that it is held against. */
  readonly example: string;
  readonly profile: string;
  /** Milliseconds that it may take, warm. */
  readonly most: number;
}

/** What `--case validate` measures. */
export const validationCases: readonly ValidationCase[] = [
  {
    name: 'validate: vital signs',
    example: 'Observation-blood-pressure',
    profile: 'http://hl7.org/fhir/StructureDefinition/bp',
    most: 0.2,
  },
  {
    name: 'validate: Patient, CA Core+',
    example: 'Patient-example',
    profile: 'http://fhir.infoway-inforoute.ca/cacore/StructureDefinition/patient-ca-core',
    most: 0.3,
  },
];
