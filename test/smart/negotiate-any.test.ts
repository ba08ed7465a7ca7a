// Any request for scopes by any client: what is granted is within what is listed and registered, and is what the guard
// then gives.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAccess } from '../../src/auth/access.ts';
import { narrowRefresh, negotiateScopes, ScopeRefused } from '../../src/smart/scope/negotiate.ts';
import type { ScopeRules } from '../../src/smart/scope/negotiate.ts';
import { loadModel } from '../support/loaded-once.ts';

const { model: shipped } = await loadModel({ definitions: [] });
if (shipped === undefined) throw new Error('The shipped definitions are wrong');
const model = shipped;

/** Section 5 of the interface's description, by context and type. */
const matrix: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  patient: {
    Patient: 'rs',
    Appointment: 'rs',
    Condition: 'rs',
    MedicationRequest: 'rs',
    FamilyMemberHistory: 'rs',
    Encounter: 'rs',
  },
  user: { Patient: 'rs', Appointment: 'rs', Condition: 'rs', Encounter: 'rs', Media: 'c' },
  system: { Patient: 'rs', Observation: 'rs', Appointment: 'rs', Condition: 'rs', Encounter: 'rs' },
};

interface Parts {
  readonly context: string;
  readonly type: string;
  readonly permission: string;
  readonly search: string;
}

const versionOne: Readonly<Record<string, string>> = { read: 'rs', write: 'cud', '*': 'cruds' };
const lettersOf = ({ permission }: Parts): string => versionOne[permission] ?? permission;
const print = ({ context, type, permission, search }: Parts): string =>
  `${context}/${type}.${permission}${search === '' || versionOne[permission] !== undefined ? '' : `?${search}`}`;
const read = (text: string): Parts | undefined => {
  const [, context = '', type = '', permission = '', search = ''] =
    /^(\w+)\/(\w+|\*)\.([a-z]+|\*)(?:\?(.*))?$/.exec(text) ?? [];
  return context === '' ? undefined : { context, type, permission, search };
};
const searched = (search: string): readonly string[] => search.split('&').filter(part => part !== '');

const pick = fc.constantFrom;
const partsOf = (...contexts: string[]): fc.Arbitrary<Parts> =>
  fc.record({
    context: pick(...contexts),
    type: pick('Patient', 'Condition', 'Encounter', 'Media', 'Observation', '*', '*', '*', 'Practitioner', 'Basic'),
    permission: pick('r', 's', 'rs', 'rs', 'c', 'cruds', 'read', 'read', 'write', '*'),
    search: pick('', '', '', '', '', '_id=p1', '_id=p1&_lastUpdated=gt2020', 'nothing=a'),
  });
const word = pick('openid', 'fhirUser', 'launch/patient', 'offline_access', 'profile', 'launch');
const ofApps = fc.oneof(
  { weight: 8, arbitrary: partsOf('patient', 'patient', 'user').map(print) },
  { weight: 3, arbitrary: word },
  { weight: 1, arbitrary: partsOf('system').map(print) },
);
const ofSystems = fc.oneof({ weight: 15, arbitrary: partsOf('system').map(print) }, { weight: 1, arbitrary: ofApps });

interface Request {
  readonly flow: ScopeRules['flow'];
  readonly asked: readonly string[];
  readonly registered: readonly string[];
  readonly launch: boolean;
}

const request: fc.Arbitrary<Request> = pick<ScopeRules['flow']>('app', 'app', 'backend').chain(flow => {
  const scope = flow === 'app' ? ofApps : ofSystems;
  const wide = pick('patient/*.rs', 'user/*.cruds', 'system/*.read', 'system/*.rs?_id=p1', 'openid', 'fhirUser');
  return fc.record({
    flow: fc.constant(flow),
    asked: fc.array(scope, { minLength: 1, maxLength: 3 }),
    registered: fc.array(fc.oneof(scope, wide), { maxLength: 12 }),
    launch: pick(false, false, false, true),
  });
});

/** True where a list has a scope for a letter of a type that is confined by no more than the search. */
const has = (list: readonly string[], { context, type, search }: Parts, letter: string): boolean =>
  list.some(text => {
    const one = read(text);
    return (
      one?.context === context &&
      (one.type === type || one.type === '*') &&
      lettersOf(one).includes(letter) &&
      searched(one.search).every(part => searched(search).includes(part))
    );
  });

const isListed = ({ context, type }: Parts, letter: string): boolean =>
  matrix[context]?.[type]?.includes(letter) === true;

/** The listed permissions of a scope on resources, each with type and letter: a wildcard has those of all types. */
const listedOf = (scope: Parts): readonly (readonly [scope: Parts, letter: string])[] =>
  (scope.type === '*' ? Object.keys(matrix[scope.context] ?? {}) : [scope.type]).flatMap(type =>
    lettersOf(scope)
      .split('')
      .filter(letter => scope.type !== '*' || isListed({ ...scope, type }, letter))
      .map(letter => [{ ...scope, type }, letter] as const),
  );

/** Undefined where the request fails. */
function refusable(negotiate: () => readonly string[]): readonly string[] | undefined {
  try {
    return negotiate();
  } catch (error) {
    if (error instanceof ScopeRefused) return undefined;
    throw error;
  }
}
const negotiate = ({ asked, ...by }: Request): readonly string[] | undefined =>
  refusable(() => negotiateScopes(asked.join(' '), { model, ...by }).scopes);

/** The permissions of a token with these scopes, for a caller who may have all of them. */
function given(scopes: readonly string[], flow: Request['flow']): ReadonlySet<string> {
  const user = flow === 'app' ? { subject: 'dr', patient: 'p1', fhirUser: 'Practitioner/dr' } : noUser;
  const claims = { issuer: '', client: 'app', ...user, scope: scopes.join(' '), partition: 'demo', expires: 1 };
  const { grants } = createAccess(claims, { model, base: 'http://records.example/r4/demo', zone: 'UTC', now: 0 });
  return new Set(grants.flatMap(({ resourceType, letters }) => letters.map(letter => `${resourceType}.${letter}`)));
}
const none: Parts = { context: '', type: '', permission: '', search: '' };
const noUser = { subject: undefined, patient: undefined, fhirUser: undefined };

/** The same, by the text alone. */
const said = (scopes: readonly string[]): ReadonlySet<string> =>
  new Set(
    scopes.flatMap(text => {
      const scope = read(text);
      if (scope === undefined) return text === 'fhirUser' ? ['Practitioner.r'] : [];
      return listedOf(scope).map(([{ type }, letter]) => `${type}.${letter}`);
    }),
  );

/** Checks a property of random requests; gives how often it held of one that was granted, and how often one failed. */
function always(check: (request: Request, granted: readonly string[] | undefined) => void): [number, number] {
  let [granted, refused] = [0, 0];
  fc.assert(
    fc.property(request, one => {
      const scopes = negotiate(one);
      if (scopes === undefined) refused += 1;
      else granted += 1;
      check(one, scopes);
    }),
    { numRuns: 3_000 },
  );
  return [granted, refused];
}

describe('what is granted', () => {
  it('is asked for, listed and registered', () => {
    const [granted, refused] = always(({ asked, registered, flow }, scopes = []) => {
      const beyond = scopes.filter(text => {
        const scope = read(text);
        if (scope === undefined) return !asked.includes(text) || !registered.includes(text);
        if ((scope.context === 'system') !== (flow === 'backend')) return true;
        const parts = listedOf(scope);
        return (
          parts.length === 0 ||
          parts.some(([one, letter]) => !isListed(one, letter) || !has(registered, one, letter)) ||
          parts.some(([one, letter]) => !has(asked, one, letter))
        );
      });
      expect(beyond).toEqual([]);
    });
    expect(Math.min(granted, refused)).toBeGreaterThan(150);
  });

  it('is written in version 2, or in version 1 where it was asked for so, each once', () => {
    always(({ asked }, scopes = []) => {
      const old = asked.flatMap(text => read(text) ?? []).filter(({ permission }) => permission in versionOne);
      const resources = scopes.filter(text => read(text) !== undefined);
      const form = /^(?:patient|user|system)\/(?:[A-Z]\w+|\*)\.(?=[cruds])c?r?u?d?s?(?:\?\S+)?$/;
      const others = resources.filter(text => !form.test(text));
      const isOld = (text: string): boolean =>
        old.some(({ context, type }) => text.startsWith(`${context}/`) && (type === '*' || text.includes(`/${type}.`)));
      expect(others.filter(text => !/\.(?:read|write|\*)$/.test(text) || !isOld(text))).toEqual([]);
      expect(new Set(scopes).size).toBe(scopes.length);
    });
  });

  it('is all of a scope of version 2 on one type, or the request fails', () => {
    let unfit = 0;
    always(({ asked, registered, flow }, scopes) => {
      const named = asked.flatMap(text => {
        const scope = read(text);
        return scope !== undefined && scope.type !== '*' && versionOne[scope.permission] === undefined ? [scope] : [];
      });
      const fits = named.every(
        scope =>
          (scope.context === 'system') === (flow === 'backend') &&
          !scope.search.includes('nothing') &&
          scope.permission.split('').every(letter => isListed(scope, letter) && has(registered, scope, letter)),
      );
      unfit += Number(!fits);
      expect(scopes === undefined || fits).toBe(true);
      expect(scopes ?? named.map(print)).toEqual(expect.arrayContaining(named.map(print)));
    });
    expect(unfit).toBeGreaterThan(150);
  });

  it('is the same when it is asked for again, also for a client that is registered for no more', () => {
    always((one, scopes) => {
      if (scopes === undefined) return;
      const again = { ...one, asked: scopes, launch: scopes.includes('launch') };
      expect(negotiate(again)).toEqual(scopes);
      expect(negotiate({ ...again, registered: scopes })).toEqual(scopes);
      expect(narrowRefresh(scopes, scopes.join(' '), model)).toEqual(scopes);
    });
  });

  it('has a wildcard only where one is asked for and registered wildcards cover it', () => {
    let wild = 0;
    always(({ asked, registered }, scopes = []) => {
      const isWild = (text: string): boolean => read(text)?.type === '*';
      const granted = scopes.filter(isWild).flatMap(text => listedOf(read(text) ?? none));
      wild += Number(granted.length > 0);
      for (const list of [asked.filter(isWild), registered.filter(isWild)])
        expect(granted.filter(([one, letter]) => !has(list, one, letter))).toEqual([]);
    });
    expect(wild).toBeGreaterThan(30);
  });

  it('is what the guard gives by it, and nothing else', () => {
    always(({ flow }, scopes = []) => expect(given(scopes, flow)).toEqual(said(scopes)));
  });

  it('never grows by a refresh', () => {
    let narrowed = 0;
    fc.assert(
      fc.property(request, fc.array(fc.oneof(ofApps, fc.nat(9)), { minLength: 1, maxLength: 2 }), (one, some) => {
        const before = negotiate({ ...one, flow: 'app' }) ?? [];
        const again = some.map(item => (typeof item === 'number' ? (before[item % before.length] ?? 'openid') : item));
        const after = refusable(() => narrowRefresh(before, again.join(' '), model)) ?? [];
        narrowed += Number(after.length > 0);
        expect([...given(before, 'app')]).toEqual(expect.arrayContaining([...given(after, 'app')]));
        expect(before).toEqual(expect.arrayContaining(after.filter(text => read(text) === undefined)));
      }),
      { numRuns: 3_000 },
    );
    expect(narrowed).toBeGreaterThan(10);
  });
});
