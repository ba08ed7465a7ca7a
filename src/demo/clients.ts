import type { Resource } from './resource.ts';

/** A client of the demonstration, for which any user of this machine may have a token. */
export interface DemoClient {
  readonly id: string;
  /** The name that users see. */
  readonly name: string;
  /** It has every existing scope of these contexts. */
  readonly contexts: readonly string[];
  /** The users for whom the command `token` issues tokens; the client is a backend service if the list is empty. */
  readonly users: readonly string[];
}

export const demoBackend = 'demo-backend';
export const demoApp = 'demo-app';

export const demoClients: readonly DemoClient[] = [
  { id: demoBackend, name: 'Demo backend', contexts: ['system'], users: [] },
  { id: demoApp, name: 'Demo app', contexts: ['user', 'patient', 'fhirUser'], users: ['demo-clinician'] },
];

/** Usual addresses of apps in development. */
const local = ['http://localhost:3000', 'http://127.0.0.1:3000'];

/** Redirect URIs of the demo app. */
export const demoRedirectUris: readonly string[] = local.flatMap(origin =>
  ['/', '/index.html', '/callback', '/app.html'].map(path => `${origin}${path}`),
);

/** Launch URLs of the demo app; the first is the default. */
export const demoLaunchUrls: readonly string[] = ['/launch.html', '/launch'].map(path => `${local[0]}${path}`);

/** A user of the demonstration who signs in, on this machine only, since the password is public. */
export interface DemoUser {
  readonly id: string;
  readonly name: string;
  readonly password: string;
  /** The resource that represents the user. */
  readonly fhirUser: string;
  /** That resource, if it is not among the generated records. */
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

/** The existing scopes of the contexts: `system/…`, or the word itself. */
export function scopesOf({ contexts }: DemoClient, existing: readonly string[], patient: string | undefined): string[] {
  const usable = contexts.filter(context => context !== 'patient' || patient !== undefined);
  return existing.filter(scope => usable.includes(scope.split('/')[0] ?? ''));
}
