import { printDateTime } from './calendar.ts';
import { profiles, systems } from './codes.ts';
import type { Person } from './person.ts';
import type { Resource } from './resource.ts';
import type { Visit } from './visit.ts';

const kinds = {
  ROUTINE: { display: 'Routine appointment', encounter: { code: '308335008', display: 'Patient encounter procedure' } },
  FOLLOWUP: {
    display: 'A follow up visit from a previous appointment',
    encounter: { code: '390906007', display: 'Follow-up encounter' },
  },
  CHECKUP: {
    display: 'A routine check-up, such as an annual physical',
    encounter: { code: '185349003', display: 'Encounter for check up' },
  },
} as const;

/** The booking of the patient, a practitioner and a location. */
export function appointment(person: Person, visit: Visit): Resource {
  const accepted = visit.status === 'pending' ? 'needs-action' : 'accepted';
  return {
    resourceType: 'Appointment',
    id: visit.appointmentId,
    status: visit.status,
    ...(visit.status === 'cancelled'
      ? { cancelationReason: { coding: [{ system: systems.cancellation, code: 'pat', display: 'Patient' }] } }
      : {}),
    appointmentType: {
      coding: [{ system: systems.appointmentType, code: visit.kind, display: kinds[visit.kind].display }],
    },
    start: printDateTime(visit.day, visit.start),
    end: printDateTime(visit.day, visit.end),
    minutesDuration: visit.end - visit.start,
    participant: [
      { actor: { reference: person.reference }, status: visit.status === 'cancelled' ? 'declined' : 'accepted' },
      { actor: { reference: visit.practitioner }, status: accepted },
      { actor: { reference: visit.location }, status: 'accepted' },
    ],
  };
}

/** The visit: same patient, practitioner and times as the appointment; one that began today has no end yet. */
export function encounter(person: Person, visit: Visit, id: string): Resource {
  const { code, display } = kinds[visit.kind].encounter;
  const finished = visit.status === 'fulfilled';
  const period = {
    start: printDateTime(visit.day, visit.start),
    ...(finished ? { end: printDateTime(visit.day, visit.end) } : {}),
  };
  return {
    resourceType: 'Encounter',
    id,
    meta: { profile: [profiles.encounter] },
    status: finished ? 'finished' : 'in-progress',
    class: { system: systems.actCode, code: 'AMB', display: 'ambulatory' },
    type: [{ coding: [{ system: systems.snomed, code, display }] }],
    subject: { reference: person.reference },
    participant: [
      {
        type: [{ coding: [{ system: systems.participation, code: 'PPRF', display: 'primary performer' }] }],
        period,
        individual: { reference: visit.practitioner },
      },
    ],
    appointment: [{ reference: `Appointment/${visit.appointmentId}` }],
    period,
    location: [{ location: { reference: visit.location } }],
  };
}
