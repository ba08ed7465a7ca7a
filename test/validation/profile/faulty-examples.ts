/**
 * Official examples of R4 that do break R4, with what is wrong in each: the file, the rule (or issue code) that finds
 * it, and why.
 */
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
  [
    'Observation-f202',
    'Observation.effective[x] min',
    'a body temperature without a time, which R4 requires of vital signs',
  ],
  ['Questionnaire-qs1', 'required', 'items of it have no linkId'],
  ['StructureDefinition-Definition', 'sdf-4', 'a pattern of R4 that has no base, though it is not abstract'],
  ['StructureDefinition-Event', 'sdf-4', 'a pattern of R4 that has no base, though it is not abstract'],
  ['StructureDefinition-FiveWs', 'sdf-4', 'a pattern of R4 that has no base, though it is not abstract'],
  ['StructureDefinition-Request', 'sdf-4', 'a pattern of R4 that has no base, though it is not abstract'],
  [
    'Bundle-10bb101f-a121-4264-a920-67be9cb82c74',
    'Bundle.entry.fullUrl',
    'the entry of Patient/pat2 is called Patient/pat12',
  ],
  [
    'Bundle-3a0707d3-549e-4467-b8b8-5a2ab3800efe',
    'Bundle.entry.fullUrl',
    'the entry of Patient/pat2 is called Patient/pat12',
  ],
  ['Bundle-lri-example', 'Bundle.entry.fullUrl', 'the ids of its entries lack the `lri-` of their URLs'],
  ['CapabilityStatement-example', 'urn', 'R4 writes UUIDs in lower case'],
  ['TerminologyCapabilities-example', 'urn', 'R4 writes UUIDs in lower case'],
  [
    'ImplementationGuide-fhir',
    'Reference.reference',
    'it names SearchParameter-questionnaireresponse-extensions-QuestionnaireResponse-item-subject, ' +
      'whose id is too long',
  ],
  ['CodeSystem-dicom-dcim', 'extension context', 'comments on its concepts are those of ValueSets'],
  [
    'SearchParameter-questionnaireresponse-extensions-QuestionnaireResponse-item-subject',
    'value',
    'its id is longer than 64 characters',
  ],
  ['SearchParameter-valueset-extensions-ValueSet-author', 'required', 'it has no base'],
  ['SearchParameter-valueset-extensions-ValueSet-effective', 'required', 'it has no base'],
  ['SearchParameter-valueset-extensions-ValueSet-end', 'required', 'it has no base'],
  ['SearchParameter-valueset-extensions-ValueSet-keyword', 'required', 'it has no base'],
  ['SearchParameter-valueset-extensions-ValueSet-workflow', 'required', 'it has no base'],
  ['SearchParameter-codesystem-extensions-CodeSystem-author', 'required', 'it has no base'],
  ['SearchParameter-codesystem-extensions-CodeSystem-effective', 'required', 'it has no base'],
  ['SearchParameter-codesystem-extensions-CodeSystem-end', 'required', 'it has no base'],
  ['SearchParameter-codesystem-extensions-CodeSystem-keyword', 'required', 'it has no base'],
  ['SearchParameter-codesystem-extensions-CodeSystem-workflow', 'required', 'it has no base'],
];
