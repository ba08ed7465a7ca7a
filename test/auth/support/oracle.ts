import * as fc from 'fast-check';
import type { Claims } from '../../../src/auth/claims.ts';
import type { Model } from '../../../src/model/model.ts';
import { matches } from '../../../src/search/matches.ts';
import { parsePairs } from '../../../src/search/parse/pairs.ts';
import { parseSearch } from '../../../src/search/parse/search.ts';
import { createExtract } from '../../../src/indexing/extract.ts';
import { clients, doctors, patients } from './records.ts';
import type { Recorded, Resource } from './records.ts';

/**
 * Who may see what, written down once more, from section 5 of the interface's description and in other words than the
 * guard's.
 */

type Context = 'patient' | 'user' | 'system';

/** By type the letters of each context. */
const matrix: Readonly<Record<string, Partial<Record<Context, string>>>> = {
  Patient: { patient: 'rs', user: 'rs', system: 'rs' },
  Observation: { system: 'rs' },
  Appointment: { patient: 'rs', user: 'rs', system: 'rs' },
  Condition: { patient: 'rs', user: 'rs', system: 'rs' },
  MedicationRequest: { patient: 'rs' },
  FamilyMemberHistory: { patient: 'rs' },
  Encounter: { patient: 'rs', user: 'rs', system: 'rs' },
  Media: { user: 'c' },
  List: { patient: 'rs', user: 'rs', system: 'rs' }, // only in the fixture `guarded`
  Location: { user: 'rs', system: 'rs' }, // likewise
  Communication: { patient: 'cruds', user: 'cruds', system: 'cruds' }, // only in the fixture `guarded`
};

/** Types whose records name the client that may see them. */
const ofClients = new Set(['Communication', 'Location']);

interface ScopeParts {
  readonly context: Context;
  readonly type: string;
  readonly letters: string;
  readonly criteria: string | undefined;
}

export interface Token extends Pick<Claims, 'client' | 'patient' | 'fhirUser'> {
  readonly scopes: readonly ScopeParts[];
  /** The scope `fhirUser`. */
  readonly own: boolean;
}

const pick = fc.constantFrom;

const anyScope: fc.Arbitrary<ScopeParts> = fc.record({
  context: pick<Context>('patient', 'patient', 'user', 'system'),
  type: pick('*', '*', '*', '*', '*', '*', ...Object.keys(matrix)),
  letters: pick('r', 's', 'rs', 'rs', 'rs', 'crs', 'c', 'cruds'),
  criteria: pick(
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    'code=a',
    'gender=female',
    'status=booked,active',
    '_id=p1,con1,app1',
    'patient=Patient/p1',
    'nothing=a',
    'category:not=a',
  ),
});

/** What lets a client create something, or change it: a patch needs `u` and one of `r` and `s`. */
const writing: fc.Arbitrary<ScopeParts> = fc.record({
  context: pick<Context>('patient', 'user', 'user', 'user', 'system'),
  type: pick('Media', 'Communication', '*'),
  letters: pick('c', 'crs', 'cs', 'cu', 'crud', 'cruds', 'cruds', 'rus', 'us'),
  criteria: pick(undefined),
});

/** A token with scopes on most types, so that joins have something to see and something that they must not. */
export const seeingToken: fc.Arbitrary<Token> = fc
  .record({
    context: pick<Context>('patient', 'user', 'system'),
    types: fc.oneof(
      fc.constant<string[]>(['*']),
      fc.constant<string[]>(['*']),
      fc.subarray(Object.keys(matrix), { minLength: 4 }),
    ),
    criteria: pick(undefined, undefined, 'status=finished', 'gender=female'),
    client: pick(...clients),
    patient: pick(...patients),
    fhirUser: pick(...doctors),
  })
  .map(({ context, types, criteria, client, patient, fhirUser }) => ({
    client,
    patient,
    fhirUser,
    own: false,
    scopes: types.map(type => ({ context, type, letters: 'rs', criteria })),
  }));

export const anyToken: fc.Arbitrary<Token> = fc.record({
  client: pick(...clients),
  patient: pick(...patients, ...patients, undefined),
  fhirUser: pick(...doctors, ...doctors, 'Patient/p0', undefined),
  scopes: fc
    .tuple(fc.array(anyScope, { minLength: 1, maxLength: 4 }), fc.oneof(pick([]), fc.array(writing, { maxLength: 2 })))
    .map(([some, more]) => [...some, ...more]),
  own: fc.boolean(),
});

export const printScopes = ({ scopes, own }: Token): string =>
  [
    ...scopes.map(
      ({ context, type, letters, criteria }) =>
        `${context}/${type}.${letters}${criteria === undefined ? '' : `?${criteria}`}`,
    ),
    ...(own ? ['fhirUser'] : []),
  ].join(' ');

export interface Oracle {
  /** What a store would hold that has nothing but what the token may read, or may refer to in what it writes. */
  held(token: Token, records: readonly Recorded[]): readonly Recorded[];
}

export function createOracle(model: Model, guarded: boolean): Oracle {
  const extract = createExtract(model);

  /** Whose resource it is. */
  const owners = (resource: Resource): readonly string[] => {
    if (resource.resourceType === 'Patient') return [resource.id];
    const place =
      resource['subject'] ??
      resource['patient'] ??
      (resource['participant'] as object[]).map(one => (one as { actor: object }).actor);
    return [place].flat().map(one => (one as { reference: string }).reference.slice('Patient/'.length));
  };

  const inContext = (context: Context, token: Token, resource: Resource): boolean => {
    switch (context) {
      case 'patient':
        return token.patient !== undefined && owners(resource).includes(token.patient);
      case 'user': {
        if (token.fhirUser?.startsWith('Practitioner/') !== true) return false;
        const [doctor] = (resource['generalPractitioner'] ?? []) as { reference: string }[];
        return !guarded || resource.resourceType !== 'Patient' || doctor?.reference === token.fhirUser;
      }
      case 'system': {
        if (!guarded || !ofClients.has(resource.resourceType)) return true;
        const [identifier] = resource['identifier'] as { value: string }[];
        return identifier?.value === token.client;
      }
      default:
        return context satisfies never;
    }
  };

  const meets = (resource: Resource, criteria: string | undefined): boolean => {
    if (criteria === undefined) return true;
    const type = model.types.get(resource.resourceType);
    if (type === undefined) return false;
    try {
      const context = { model, base: '', zone: 'UTC', handling: 'strict', now: 0 } as const;
      const { query } = parseSearch(type, parsePairs(criteria), context);
      const entries = extract(type, JSON.stringify(resource), { id: 'x', zone: 'UTC' });
      return matches(query, { id: resource.id, lastUpdated: 0, entries });
    } catch {
      return false;
    }
  };

  /** The letters that a scope of the token has on a type. */
  const lettersOf = (scope: ScopeParts, type: string): string =>
    scope.type === '*' || scope.type === type
      ? scope.letters
          .split('')
          .filter(letter => matrix[type]?.[scope.context]?.includes(letter))
          .join('')
      : '';

  const reads = (token: Token, resource: Resource): boolean => {
    const { resourceType } = resource;
    if (resourceType === 'Practitioner') return token.own && token.fhirUser === `Practitioner/${resource.id}`;
    return token.scopes.some(
      scope =>
        /[rs]/.test(lettersOf(scope, resourceType)) &&
        inContext(scope.context, token, resource) &&
        meets(resource, scope.criteria),
    );
  };

  /** What scopes to create, or to update, cover: also what they do not let the token read. */
  const refersTo = (token: Token, resource: Resource): boolean =>
    token.scopes.some(
      scope =>
        (['Media', 'Communication'] as const).some(type => /[cu]/.test(lettersOf(scope, type))) &&
        matrix[resource.resourceType]?.[scope.context] !== undefined &&
        inContext(scope.context, token, resource),
    );

  /** That a record is gone is for those to know who see every record of its type. */
  const seesAll = (token: Token, type: string): boolean =>
    token.scopes.some(
      scope =>
        /[rs]/.test(lettersOf(scope, type)) &&
        scope.criteria === undefined &&
        (scope.context === 'user'
          ? token.fhirUser?.startsWith('Practitioner/') === true && !(guarded && type === 'Patient')
          : scope.context === 'system' && !(guarded && ofClients.has(type))),
    );

  return {
    held: (token, records) =>
      records.filter(({ versions, deleted }) => {
        const now = versions.at(-1);
        if (now === undefined) return false;
        if (deleted) return seesAll(token, now.resourceType);
        return reads(token, now) || refersTo(token, now);
      }),
  };
}
