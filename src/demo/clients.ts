import type { Resource } from './resource.ts';

/** A client of the demonstration, for which anybody at this machine may have a token. */
export interface DemoClient {
  readonly id: string;
  /** As people are shown it. */
  readonly name: string;
  /** It gets every scope of these contexts that there is. */
  readonly contexts: readonly string[];
  /** Who may use it by the command `token`; it acts for itself where the list is empty. */
  readonly users: readonly string[];
}

export const demoBackend = 'demo-backend';
export const demoApp = 'demo-app';

export const demoClients: readonly DemoClient[] = [
  { id: demoBackend, name: 'Demo backend', contexts: ['system'], users: [] },
  { id: demoApp, name: 'Demo app', contexts: ['user', 'patient', 'fhirUser'], users: ['demo-clinician'] },
];

/** Where apps listen that are being made: what most tools serve a page at. */
const local = ['http://localhost:3000', 'http://127.0.0.1:3000'];

/** Where a code for the demo app may go. */
export const demoRedirectUris: readonly string[] = local.flatMap(origin =>
  ['/', '/index.html', '/callback', '/app.html'].map(path => `${origin}${path}`),
);

/** Where a launch of the demo app begins; the first is the one that is taken if none is named. */
export const demoLaunchUrls: readonly string[] = ['/launch.html', '/launch'].map(path => `${local[0]}${path}`);

/** Somebody of the demonstration who signs in, on this machine alone: everybody knows the password. */
export interface DemoUser {
  readonly id: string;
  readonly name: string;
  readonly password: string;
  /** The resource that stands for the user. */
  readonly fhirUser: string;
  /** That resource, where it is not among the records that are made. */
  readonly resource?: Resource;
}

export const demoUsers: readonly DemoUser[] = [
  {
    id: 'demo-clinician',
    name: 'Dr. Adaeze Okafor',
    password: 'take-good-care',
    fhirUser: 'Practitioner/practitioner-1',
    resource: {
      resourceType: 'Practitioner',
      id: 'practitioner-1',
      active: true,
      name: [{ use: 'official', family: 'Okafor', given: ['Adaeze'], prefix: ['Dr.'] }],
      qualification: [{ code: { text: 'Family physician' } }],
    },
  },
  { id: 'demo-patient', name: 'A patient', password: 'my-own-record', fhirUser: 'Patient/p905-00003' },
];

/** The scopes of the contexts among those that exist: `system/…`, or the word itself. */
export function scopesOf({ contexts }: DemoClient, existing: readonly string[], patient: string | undefined): string[] {
  const usable = contexts.filter(context => context !== 'patient' || patient !== undefined);
  return existing.filter(scope => usable.includes(scope.split('/')[0] ?? ''));
}
