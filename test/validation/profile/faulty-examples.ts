/** Official examples of R4 that do break R4, with what is wrong in each: the file, the rule (or issue code) that finds it, and why. */
export const faulty: readonly (readonly [file: string, rule: string, reason: string])[] = [
  ['ActivityDefinition-blood-tubes-supply', 'txt-2', 'its narrative is an empty `div`'],
  ['ActivityDefinition-heart-valve-replacement', 'txt-2', 'its narrative is an empty `div`'],
  ['EventDefinition-example', 'txt-2', 'its narrative is an empty `div`'],
  ['Questionnaire-zika-virus-exposure-assessment', 'txt-2', 'its narrative is an empty `div`'],
  ['DeviceMetric-example', 'DeviceMetric.parent target', 'the parent is a DeviceDefinition, and R4 takes a Device'],
  [
    'DeviceUseStatement-example',
    'DeviceUseStatement.reasonReference target',
    'the reason is a Procedure, which R4 does not take',
  ],
  ['ImplementationGuide-fhir', 'required', 'it has neither name nor status'],
  [
    'MedicationRequest-medrx0301',
    'MedicationRequest.dispenseRequest.performer target',
    'who dispenses is a Practitioner, and R4 takes an Organization',
  ],
  ['Observation-clinical-gender', 'Observation.performer target', 'who observed is an Encounter'],
  ['Questionnaire-qs1', 'required', 'items of it have no linkId'],
  ['StructureDefinition-Definition', 'sdf-4', 'a pattern of R4 that has no base, though it is not abstract'],
  ['StructureDefinition-Event', 'sdf-4', 'a pattern of R4 that has no base, though it is not abstract'],
  ['StructureDefinition-FiveWs', 'sdf-4', 'a pattern of R4 that has no base, though it is not abstract'],
  ['StructureDefinition-Request', 'sdf-4', 'a pattern of R4 that has no base, though it is not abstract'],
];
