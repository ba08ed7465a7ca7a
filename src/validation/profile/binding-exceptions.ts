/** A binding of R4 that cannot be enforced as it is published. */
interface Exception {
  readonly strength: string;
  readonly reason: string;
}

/**
 * The mistakes in the bindings of R4 4.0.1, by path, strength and ValueSet, so that a corrected one is used as it is.
 */
export const bindingExceptions: ReadonlyMap<string, Exception> = new Map([
  [
    'Observation.component.value[x] required http://hl7.org/fhir/ValueSet/ucum-vitals-common|4.0.1',
    {
      strength: 'extensible',
      reason: 'the profile of all vital signs requires it of each component, and the set lacks the units of some ' +
'(L/min of oxygen); US Core relaxes it', // prettier-ignore
    },
  ],
]);
