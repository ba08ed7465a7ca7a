import type { Resource } from './resource.ts';

/** A client of the demonstration, for which anybody at this machine may have a token. */
export interface DemoClient {
  readonly id: string;
  /** It gets every scope of these contexts that there is. */
  readonly contexts: readonly string[];
  /** Who may use it; it acts for itself where the list is empty. */
  readonly users: readonly string[];
}

export const demoClients: readonly DemoClient[] = [
  { id: 'demo-backend', contexts: ['system'], users: [] },
  { id: 'demo-app', contexts: ['user', 'patient', 'fhirUser'], users: ['demo-clinician'] },
];

/** The people of the demonstration who sign in, with the resource that each of them is. */
export const demoUsers: readonly { readonly id: string; readonly resource: Resource }[] = [
  {
    id: 'demo-clinician',
    resource: {
      resourceType: 'Practitioner',
      id: 'practitioner-1',
      active: true,
      name: [{ use: 'official', family: 'Okafor', given: ['Adaeze'], prefix: ['Dr.'] }],
      qualification: [{ code: { text: 'Family physician' } }],
    },
  },
];

/** The scopes of the contexts among those that exist: `system/…`, or the word itself. */
export function scopesOf({ contexts }: DemoClient, existing: readonly string[], patient: string | undefined): string[] {
  const usable = contexts.filter(context => context !== 'patient' || patient !== undefined);
  return existing.filter(scope => usable.includes(scope.split('/')[0] ?? ''));
}
