/** Code systems of events. https://hl7.org/fhir/R4/auditevent.html */
export const systems = {
  type: 'http://terminology.hl7.org/CodeSystem/audit-event-type',
  interaction: 'http://hl7.org/fhir/restful-interaction',
  /** Agents and types of events. https://hl7.org/fhir/R4/valueset-audit-event-type.html */
  dicom: 'http://dicom.nema.org/resources/ontology/DCM',
  participation: 'http://terminology.hl7.org/CodeSystem/v3-ParticipationType',
  entity: 'http://terminology.hl7.org/CodeSystem/audit-entity-type',
  role: 'http://terminology.hl7.org/CodeSystem/object-role',
  /** https://profiles.ihe.net/ITI/BALP/CodeSystem-BasicAuditEntityType.html */
  basic: 'https://profiles.ihe.net/ITI/BALP/CodeSystem/BasicAuditEntityType',
  /** Defined here: commands of the command line, and automatic actions of the server. */
  command: 'https://clinical-records.example/fhir/CodeSystem/command',
  /** Defined here: results of token requests. */
  authorization: 'https://clinical-records.example/fhir/CodeSystem/authorization',
  /** Defined here: digests of idempotency keys. */
  key: 'https://clinical-records.example/fhir/idempotency-key',
} as const;
