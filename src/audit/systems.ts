/** Code systems of events. https://hl7.org/fhir/R4/auditevent.html */
export const systems = {
  type: 'http://terminology.hl7.org/CodeSystem/audit-event-type',
  interaction: 'http://hl7.org/fhir/restful-interaction',
  /** Agents and kinds of events. https://hl7.org/fhir/R4/valueset-audit-event-type.html */
  dicom: 'http://dicom.nema.org/resources/ontology/DCM',
  participation: 'http://terminology.hl7.org/CodeSystem/v3-ParticipationType',
  entity: 'http://terminology.hl7.org/CodeSystem/audit-entity-type',
  role: 'http://terminology.hl7.org/CodeSystem/object-role',
  /** https://profiles.ihe.net/ITI/BALP/CodeSystem-BasicAuditEntityType.html */
  basic: 'https://profiles.ihe.net/ITI/BALP/CodeSystem/BasicAuditEntityType',
  /** Our own: commands of the command line, and what the server does by itself. */
  command: 'https://clinical-records.example/fhir/CodeSystem/command',
  /** Our own: what becomes of requests for tokens. */
  authorization: 'https://clinical-records.example/fhir/CodeSystem/authorization',
  /** Our own: digests of keys that make writes repeatable. */
  key: 'https://clinical-records.example/fhir/idempotency-key',
} as const;
