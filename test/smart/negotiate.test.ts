// Scopes as asked, as registered, as granted.
// https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { registrableScope } from '../../src/smart/accounts/account-rules.ts';
import { describeScope } from '../../src/auth/describe-scope.ts';
import {
  narrowForUser,
  narrowRefresh,
  negotiateScopes,
  negotiated,
  ScopeRefused,
} from '../../src/smart/scope/negotiate.ts';
import type { ScopeRules } from '../../src/smart/scope/negotiate.ts';
import { supportedScopes } from '../../src/auth/scope-words.ts';
import { loadModel } from '../support/loaded-once.ts';
import type { Model } from '../../src/model/model.ts';
import { loadWith, ours, statement } from '../support/definition-files.ts';

const { model: shipped } = await loadModel({ definitions: [] });
if (shipped === undefined) throw new Error('The shipped definitions are wrong');

/** Every word and every wildcard. */
const everything = [
  'openid', 'fhirUser', 'profile', 'launch', 'launch/patient', 'launch/encounter', 'offline_access', 'online_access',
  'patient/*.cruds', 'user/*.cruds', 'system/*.cruds',
]; // prettier-ignore

const rules = (more: Partial<ScopeRules> = {}): ScopeRules => ({
  model: shipped,
  registered: everything,
  flow: 'app',
  launch: false,
  ...more,
});
const backend = rules({ flow: 'backend' });

/** The scopes that are granted, as one text; the message where the request fails. */
const outcome = (requested: string | undefined, by: ScopeRules = rules()): string => {
  try {
    return negotiateScopes(requested, by).scopes.join(' ');
  } catch (error) {
    if (error instanceof ScopeRefused) return `refused: ${error.message}`;
    throw error;
  }
};

const absent = 'does not exist';
const forApps = 'is for apps';
const forSystems = 'is for backend services';

describe('what does not exist fails the whole request', () => {
  it.each([
    ['patient/Observation.rs', absent, 'no launch scope of the type is listed'],
    ['patient/Observation.r', absent, 'nor one with fewer letters'],
    ['user/Observation.rs', absent, 'in neither context'],
    ['patient/Observation.read', absent, 'nor in version 1'],
    ['patient/Observation.rs?category=laboratory', absent, 'nor confined by a search'],
    ['patient/Media.c', absent, 'the type has another context'],
    ['user/Media.rs', absent, 'letters that are not listed'],
    ['user/Media.cr', absent, 'a letter too many'],
    ['user/Media.read', absent, 'nothing is left of it'],
    ['patient/Patient.cruds', absent, 'letters too many'],
    ['patient/Condition.write', absent, 'nothing is left of it'],
    ['user/MedicationRequest.rs', absent, 'the type is listed for patients alone'],
    ['patient/Practitioner.r', absent, 'the type has `fhirUser` alone'],
    ['patient/Basic.rs', absent, 'a type that is not declared'],
    ['patient/Nonsense.rs', absent, 'no type'],
    ['patient/Basic.*', absent, 'no type, version 1'],
    ['patient/*.d', absent, 'a wildcard with nothing left'],
    ['patient/*.write', absent, 'the same in version 1'],
    ['patient/*.rs?no-such-parameter=a', absent, 'a search that no type has'],
    ['patient/Condition.sr', absent, 'letters out of order'],
    ['patient/Condition.rr', absent, 'a letter twice'],
    ['patient/Condition.x', absent, 'a letter that is none'],
    ['patient/Condition.', absent, 'no letter'],
    ['patient/Condition', absent, 'no permission'],
    ['patient/condition.rs', absent, 'case matters'],
    ['Patient/Condition.rs', absent, 'case matters'],
    ['encounter/Condition.rs', absent, 'no context of SMART'],
    ['patient/Condition.read?category=a', absent, 'version 1 has no search'],
    ['patient/Condition.rs?nothing=a', absent, 'no parameter of the type'],
    ['patient/Condition.rs?_count=1', absent, 'a parameter that finds nothing'],
    ['patient/Condition.rs?clinical-status=a%', absent, 'an escape that is none'],
    ['patient/Condition.rs?', absent, 'an empty search'],
    ['launch/Patient', absent, 'case matters'],
    ['groups', absent, 'a scope that others have'],
    ['__private', absent, 'a scope that does not exist'],
    ['https://example.org/scope', absent, 'a scope of another server'],
    ['toString', absent, 'no name out of JavaScript'],
    ['patient/toString.rs', absent, 'nor there'],
    ['system/Patient.rs', forSystems, 'a scope of systems'],
    ['system/*.rs', forSystems, 'or all of them'],
  ])('%s, since %s: %s', (scope, why) => {
    expect(outcome(scope)).toMatch(/^refused: /);
    expect(outcome(scope)).toContain(why);
    expect(outcome(scope)).toContain(`\`${scope}\``);
    expect(outcome(`patient/Patient.rs ${scope} openid`)).toContain(why);
  });

  it.each([
    ['patient/*.sr', 'patient/*.rs'],
    ['user/Condition.sdurc', 'user/Condition.cruds'],
    ['patient/Condition.rr', 'patient/Condition.r'],
    ['patient/Condition.sr?clinical-status=active', 'patient/Condition.rs?clinical-status=active'],
  ])('%s, and says the order of the letters', (asked, ordered) => {
    const order = `does not exist. The letters are in the order \`cruds\`: \`${ordered}\`.`;
    expect(outcome(asked)).toContain(order);
    expect(() => registrableScope(asked, shipped)).toThrow(`The letters are in the order \`cruds\`: \`${ordered}\`.`);
    expect(outcome('patient/Condition.x')).toContain('`scopes_supported` lists those that do');
  });

  it('but the scopes of OpenID Connect for claims that no user has are ignored', () => {
    expect(outcome('openid email phone address patient/Patient.rs')).toBe(outcome('openid patient/Patient.rs'));
    expect(outcome('email')).toMatch(/^refused: /);
  });

  it.each([
    ['system/Media.c', absent],
    ['system/MedicationRequest.rs', absent],
    ['system/FamilyMemberHistory.rs', absent],
    ['system/Observation.c', absent],
    ['system/Observation.cruds', absent],
    ['system/Media.*', absent],
    ['system/*.c', absent],
    ['patient/Patient.rs', forApps],
    ['user/Patient.rs', forApps],
    ['fhirUser', forApps],
    ['openid', forApps],
    ['offline_access', forApps],
    ['launch/patient', forApps],
    ['nonsense', absent],
  ])('%s, of a backend client', (scope, why) => {
    expect(outcome(scope, backend)).toMatch(new RegExp(`^refused: .*${why}`));
    expect(outcome(`system/Patient.rs ${scope}`, backend)).toMatch(/^refused: /);
  });

  it.each([
    [undefined, 'parameter `scope` is missing'],
    ['', 'parameter `scope` is missing'],
    ['   ', 'parameter `scope` is missing'],
    ['patient/Patient.rs\topenid', absent],
    ['patient/Patient.rs\nopenid', absent],
    ['patient/Patient.rs\u00a0openid', absent],
    ['patient/Patient.rs,openid', absent],
    [Array.from({ length: 201 }, (_, at) => `patient/Patient.rs?name=a${at}`).join(' '), 'more than the 200 scopes'],
    ['a'.repeat(5000), absent],
  ])('%j is no list of scopes', (requested, why) => {
    expect(outcome(requested)).toContain(why);
    expect(outcome(requested)).toMatch(/^refused: [\x20-\x21\x23-\x5b\x5d-\x7e]{1,400}$/);
  });
});

describe('what is listed is granted as asked', () => {
  it.each([
    'patient/Patient.r',
    'patient/Patient.s',
    'patient/Patient.rs',
    'patient/Condition.r patient/Condition.s',
    'user/Media.c',
    'openid fhirUser profile',
    'launch/patient openid fhirUser offline_access patient/Condition.rs',
    'patient/Condition.rs?clinical-status=active',
    'patient/Condition.rs?clinical-status=active&code=a',
    'patient/Condition.rs?code=http://snomed.info/sct|1 patient/Condition.r',
    'online_access user/Patient.r',
  ])('%s', scope => expect(outcome(scope)).toBe(scope));

  it('each scope once, whatever spaces are between', () => {
    expect(outcome('  openid   patient/Patient.r openid  patient/Patient.r ')).toBe('openid patient/Patient.r');
  });

  it('backend clients as well', () => {
    const asked = 'system/Observation.rs system/Patient.r system/Observation.rs?category=laboratory';
    expect(outcome(asked, backend)).toBe(asked);
  });
});

const patients = 'Patient Appointment Condition MedicationRequest FamilyMemberHistory Encounter';
const each = (context: string, types: string, letters: string): string =>
  [...shipped.types.keys()]
    .filter(type => types.split(' ').includes(type))
    .map(type => `${context}/${type}.${letters}`)
    .join(' ');

describe('version 1 forms are narrowed, and wildcards to letters that a type lists', () => {
  it.each([
    ['patient/Patient.read', 'patient/Patient.read'],
    ['patient/Patient.*', 'patient/Patient.read'],
    ['user/Media.write', 'user/Media.c'],
    ['user/Media.*', 'user/Media.c'],
    ['patient/*.read', 'patient/*.read'],
    ['patient/*.*', 'patient/*.read'],
    ['patient/*.rs', 'patient/*.rs'],
    ['patient/*.cruds', 'patient/*.rs'],
    ['patient/*.s', 'patient/*.s'],
    ['user/*.rs', 'user/*.rs'],
    ['user/*.c', 'user/*.c'],
    ['user/*.write', 'user/*.c'],
    ['user/*.cruds', 'user/*.crs'],
    ['patient/*.rs?clinical-status=active', 'patient/*.rs?clinical-status=active'],
  ])('%s → %s', (asked, granted) => expect(outcome(asked)).toBe(granted));

  it('of systems', () => {
    expect(outcome('system/*.cruds', backend)).toBe('system/*.rs');
    expect(outcome('system/*.read', backend)).toBe('system/*.read');
    const narrowed = 'system/*.rs?category=laboratory';
    expect(outcome(narrowed, backend)).toBe(narrowed);
  });

  it('beside others, each once', () => {
    expect(outcome('patient/Condition.rs patient/*.rs patient/Condition.read')).toBe(
      'patient/Condition.rs patient/*.rs patient/Condition.read',
    );
  });
});

describe('what is more than a token may have', () => {
  it('fails, also with wildcards in its place', () => {
    const asked = Array.from({ length: 40 }, (_, at) => `patient/*.rs?_id=a${at}`);
    expect(outcome(asked.join(' '))).toBe(asked.join(' '));
    const registered = patients.split(' ').map(type => `patient/${type}.rs`); // types: wildcards are granted by type
    expect(outcome(asked.slice(0, 30).join(' '), rules({ registered })).split(' ')).toHaveLength(180);
    expect(outcome(asked.join(' '), rules({ registered }))).toContain('more than the 200 scopes');
  });
});

describe('what the client is not registered for', () => {
  const unregistered = 'is not registered';
  it.each([
    ['patient/Patient.rs', 'patient/Condition.rs', unregistered],
    ['patient/Patient.r', 'patient/Patient.rs', unregistered],
    ['patient/Patient.rs', 'patient/Patient.r', 'patient/Patient.r'],
    ['patient/Patient.r patient/Patient.s', 'patient/Patient.rs', 'patient/Patient.rs'],
    ['patient/Patient.read', 'patient/Patient.rs', 'patient/Patient.rs'],
    ['patient/*.read', 'patient/Condition.rs', 'patient/Condition.rs'],
    ['patient/Patient.rs', 'patient/Patient.read', 'patient/Patient.read'],
    ['patient/Patient.rs', 'patient/Patient.*', 'patient/Patient.read'],
    ['patient/*.read', 'patient/*.read', 'patient/*.read'],
    ['patient/*.r', 'patient/*.rs', 'patient/*.r'],
    ['patient/*.r patient/*.s', 'patient/*.rs', 'patient/*.rs'],
    ['patient/*.cruds', 'patient/*.rs?clinical-status=active', 'patient/*.rs?clinical-status=active'],
    ['patient/*.rs?_id=a', 'patient/*.r', 'patient/*.r?_id=a'],
    ['patient/*.r patient/*.rs?_id=a', 'patient/*.rs', 'patient/*.r patient/*.s?_id=a'],
    [
      'patient/*.r patient/Patient.s',
      'patient/*.rs',
      each('patient', patients, 'r').replace('Patient.r', 'Patient.rs'),
    ],
    [each('patient', patients, 'rs'), 'patient/*.rs', each('patient', patients, 'rs')],
    ['patient/Patient.r', 'patient/Patient.read', 'patient/Patient.r'],
    ['patient/*.r', 'patient/Condition.rs', unregistered],
    ['user/*.rs', 'patient/Condition.rs', unregistered],
    ['patient/*.rs', 'patient/Observation.rs', absent],
    ['patient/Observation.rs', 'patient/Observation.rs', absent],
    ['patient/Condition.r', 'patient/Condition.read', 'patient/Condition.r'],
    ['patient/Condition.r', 'patient/*.rs', 'patient/Condition.r'],
    ['patient/Condition.rs patient/Patient.r', 'patient/*.rs', 'patient/Condition.rs patient/Patient.r'],
    ['patient/Condition.rs', 'patient/*.write', absent],
    ['patient/Condition.rs', 'openid', unregistered],
    ['offline_access patient/Condition.rs', 'patient/Condition.rs online_access', unregistered],
    ['patient/Condition.rs?code=a', 'patient/Condition.rs', unregistered],
    ['patient/Condition.rs?code=a', 'patient/Condition.rs?code=b', unregistered],
    ['patient/Condition.rs?code=a', 'patient/Condition.rs?code=a', 'patient/Condition.rs?code=a'],
    [
      'patient/Condition.rs?code=a',
      'patient/Condition.r?code=a&clinical-status=active',
      'patient/Condition.r?code=a&clinical-status=active',
    ],
    [
      'patient/Condition.rs?code=a',
      'patient/Condition.r?clinical-status=active&code=a',
      'patient/Condition.r?clinical-status=active&code=a',
    ],
    ['patient/Condition.rs', 'patient/Condition.rs?code=a', 'patient/Condition.rs?code=a'],
    ['patient/Condition.rs?code=a', 'patient/Condition.read', 'patient/Condition.rs?code=a'],
    [
      'patient/Condition.rs?code=a',
      'patient/*.rs?clinical-status=active',
      'patient/Condition.rs?clinical-status=active&code=a',
    ],
    [
      'patient/Condition.r patient/Condition.rs?code=a',
      'patient/Condition.read',
      'patient/Condition.r patient/Condition.s?code=a',
    ],
  ])('registered for %s, asks for %s: %s', (registered, asked, expected) => {
    const by = rules({ registered: registered.split(' ') });
    expect(outcome(asked, by).replace(/^refused: .*(does not exist|is not registered).*$/, '$1')).toBe(expected);
  });
});

describe('launches', () => {
  const ehr = rules({ launch: true });
  const visit = rules({ launch: true, encounter: true });
  it.each([
    ['launch openid patient/Patient.rs', ehr, 'launch openid patient/Patient.rs'],
    ['launch launch/patient openid', ehr, 'launch launch/patient openid'],
    ['launch launch/patient openid', rules(), 'launch/patient openid'],
    [
      'launch openid',
      rules(),
      'refused: The scope `launch` requires the launch token of an ' +
        'EHR; without one, request ' +
        '`launch/patient`.',
    ],
    ['launch launch/patient launch/encounter', visit, 'launch launch/patient launch/encounter'],
    ['launch launch/encounter openid', ehr, 'launch openid'],
    [
      'launch/patient launch/encounter',
      rules(),
      'refused: The scope `launch/encounter` requires the launch token of an EHR, which names the encounter.',
    ],
    [
      'launch launch/encounter',
      rules({ launch: true, encounter: true, registered: ['launch'] }),
      'refused: The client is not registered for the scope `launch/encounter`.',
    ],
    ['openid patient/Patient.rs', ehr, 'refused: The request has a launch token, but not the scope `launch`.'],
  ] as const)('%s', (asked, by, expected) => expect(outcome(asked, by)).toBe(expected));

  it.each([
    ['patient/Patient.rs', true],
    ['launch/patient openid', true],
    ['patient/*.read', true],
    ['openid user/Patient.rs', false],
  ])('%s needs a patient: %s', (asked, needsPatient) => {
    expect(negotiateScopes(asked, rules()).needsPatient).toBe(needsPatient);
  });
});

describe('what a user may grant', () => {
  const asked = negotiateScopes('openid fhirUser user/Patient.rs patient/Patient.rs', rules());
  it.each(['Practitioner/dr', 'PractitionerRole/dr'])('%s: all', fhirUser => {
    expect(narrowForUser(asked, { fhirUser, model: shipped })).toEqual(asked);
  });

  it.each(['Patient/p1', 'RelatedPerson/r1', 'Person/x', undefined, 'Practitioner', 'Practitioner/', ''])(
    '%s: no `user/` scope',
    fhirUser => {
      expect(() => narrowForUser(asked, { fhirUser, model: shipped })).toThrow(ScopeRefused);
      const wild = negotiateScopes('openid user/*.rs', rules());
      expect(() => narrowForUser(wild, { fhirUser, model: shipped })).toThrow('is for clinicians');
    },
  );

  it('nothing of `fhirUser` if the user has no record', () => {
    const some = negotiateScopes('openid fhirUser patient/Patient.rs', rules());
    expect(narrowForUser(some, { fhirUser: undefined, model: shipped }).scopes).toEqual([
      'openid',
      'patient/Patient.rs',
    ]);
    expect(narrowForUser(some, { fhirUser: 'Patient/p1', model: shipped })).toEqual(some);
    expect(() => narrowForUser(negotiated(['fhirUser']), { fhirUser: undefined, model: shipped })).toThrow(
      ScopeRefused,
    );
  });
});

describe('a refresh', () => {
  const granted = ['launch', 'openid', 'offline_access', 'patient/Condition.rs', 'patient/Patient.r'];
  const refreshed = (requested?: string) => narrowRefresh(granted, requested, shipped).join(' ');

  it.each([
    [undefined, granted.join(' ')],
    ['', granted.join(' ')],
    [granted.join(' '), granted.join(' ')],
    ['patient/Condition.rs', 'patient/Condition.rs'],
    ['patient/Condition.r openid', 'patient/Condition.r openid'],
    ['patient/*.read', 'patient/Condition.read patient/Patient.r'],
  ])('%s → %s', (requested, expected) => expect(refreshed(requested)).toBe(expected));

  it.each([
    'patient/Patient.rs',
    'patient/Encounter.r',
    'user/Patient.rs',
    'launch/patient',
    'launch/encounter',
    'nonsense',
    'system/Patient.rs',
    'patient/Condition.cruds',
  ])('never gives %s', scope => {
    expect(() => refreshed(scope)).toThrow(ScopeRefused);
    expect(() => refreshed(`openid ${scope}`)).toThrow(ScopeRefused);
  });

  it.each(['patient/Encounter.r', 'patient/Patient.rs', 'user/*.rs', 'launch/patient'])(
    'says that %s was not granted',
    scope =>
      expect(() => refreshed(scope)).toThrow(
        `The scope \`${scope}\` was not granted: request the granted scopes, or some of them.`,
      ),
  );

  it('for a part of a wildcard gives that part', () => {
    const wide = (requested: string) => narrowRefresh(['openid', 'patient/*.rs'], requested, shipped).join(' ');
    expect(wide('patient/*.rs')).toBe('patient/*.rs');
    expect(wide('patient/*.read')).toBe('patient/*.read');
    expect(wide('patient/*.r')).toBe('patient/*.r');
    expect(wide('patient/*.r?_id=a')).toBe('patient/*.r?_id=a');
    expect(wide('patient/Condition.r patient/Patient.read')).toBe('patient/Condition.r patient/Patient.read');
    expect(wide('patient/Condition.rs?clinical-status=active')).toBe('patient/Condition.rs?clinical-status=active');
    expect(() => wide('user/*.rs')).toThrow(ScopeRefused);
  });

  it('gives what was granted also where definitions list it no more', () => {
    expect(narrowRefresh(['patient/Basic.rs'], 'patient/Basic.rs', shipped)).toEqual(['patient/Basic.rs']);
  });
});

describe('definitions', () => {
  const modelWith = async (scopes: readonly string[]): Promise<Model> => {
    const extension = scopes.map(valueString => ours('smart-scope', { valueString }));
    const type = { type: 'Basic', interaction: [{ code: 'read' }, { code: 'search-type' }], extension };
    const searchParam = [{ name: 'code', type: 'token' }];
    const { model, problems } = await loadWith({ 'capability/more.json': statement([{ ...type, searchParam }]) });
    if (model === undefined) throw new Error(problems.map(({ text }) => text).join('\n'));
    return model;
  };

  it('may restrict a scope by a search, which is in the answer', async () => {
    const by = rules({ model: await modelWith(['system/Basic.r', 'system/Basic.rs?code=a']), flow: 'backend' });
    expect(outcome('system/Basic.r', by)).toBe('system/Basic.r');
    expect(outcome('system/Basic.s', by)).toBe('system/Basic.s?code=a');
    expect(outcome('system/Basic.rs', by)).toBe('system/Basic.r system/Basic.s?code=a');
    expect(outcome('system/Basic.s?code=a', by)).toBe('system/Basic.s?code=a');
    expect(outcome('system/Basic.s?code=b', by)).toBe('system/Basic.s?code=b&code=a');
    expect(outcome('system/Basic.rsd', by)).toContain(absent);
    const narrow = { ...by, registered: ['system/Basic.rs?code=a'] };
    expect(outcome('system/Basic.s', narrow)).toBe('system/Basic.s?code=a');
    expect(outcome('system/Basic.r', narrow)).toContain('is not registered');
  });

  it('may list a wildcard, which is of their type', async () => {
    const model = await modelWith(['user/*.rs']);
    expect(outcome('user/Basic.r', rules({ model }))).toBe('user/Basic.r');
    expect(outcome('user/*.rs', rules({ model }))).toBe('user/*.rs');
    const registered = ['user/Basic.rs', 'user/Patient.r'];
    expect(outcome('user/*.rs', rules({ model, registered }))).toBe('user/Basic.rs user/Patient.r');
    expect(outcome('user/Observation.rs', rules({ model }))).toContain(absent);
  });
});

describe('scopes_supported', () => {
  it('has every word and the matrix', () => {
    const [words, resources] = [supportedScopes(shipped).slice(0, 8), supportedScopes(shipped).slice(8)];
    expect(words).toEqual(everything.slice(0, 8));
    expect(resources.toSorted()).toEqual(
      [
        'patient/Patient.r', 'patient/Patient.rs', 'user/Patient.rs', 'system/Patient.rs', 'system/Observation.rs',
        'patient/Appointment.rs', 'user/Appointment.rs', 'system/Appointment.rs',
        'patient/Condition.rs', 'user/Condition.rs', 'system/Condition.rs',
        'patient/MedicationRequest.rs', 'patient/FamilyMemberHistory.rs',
        'patient/Encounter.rs', 'user/Encounter.rs', 'system/Encounter.rs', 'user/Media.c',
      ].toSorted(),
    ); // prettier-ignore
  });

  it.each(supportedScopes(shipped))('%s is granted as asked', scope => {
    const isVisit = scope === 'launch/encounter';
    const asked = isVisit ? `launch ${scope}` : scope;
    const launch = isVisit || scope === 'launch';
    const by = rules({ flow: scope.startsWith('system/') ? 'backend' : 'app', launch, encounter: isVisit });
    expect(outcome(asked, by)).toBe(asked);
    expect(outcome(asked, { ...by, registered: asked.split(' ') })).toBe(asked);
  });

  it('has a type of the definitions of one who installs it', async () => {
    const { model } = await loadModel({ definitions: [join(import.meta.dirname, '../fixtures/guarded')] });
    if (model === undefined) throw new Error('The definitions are wrong');
    expect(supportedScopes(model)).toContain('user/Communication.cruds');
    expect(outcome('patient/Communication.crs', rules({ model }))).toBe('patient/Communication.crs');
  });
});

describe('what a scope means', () => {
  it('as a value, for a page to put into words', () => {
    expect(describeScope('patient/Condition.rs?code=http://x|a%20b&clinical-status=active', shipped)).toEqual({
      kind: 'resources',
      scope: 'patient/Condition.rs?code=http://x|a%20b&clinical-status=active',
      context: 'patient',
      resourceTypes: ['Condition'],
      permissions: ['read', 'search'],
      groups: [{ resourceTypes: ['Condition'], permissions: ['read', 'search'] }],
      criteria: [
        { parameter: 'code', value: 'http://x|a b' },
        { parameter: 'clinical-status', value: 'active' },
      ],
    });
    expect(describeScope('user/*.write', shipped)).toMatchObject({
      resourceTypes: ['Media'],
      permissions: ['create', 'update', 'delete'],
      groups: [{ resourceTypes: ['Media'], permissions: ['create'] }],
    });
    expect(describeScope('patient/*.rs?clinical-status=active', shipped)).toMatchObject({
      resourceTypes: ['Condition'],
    });
    expect(describeScope('launch/patient', shipped)).toEqual({ kind: 'word', scope: 'launch/patient' });
    expect(describeScope('fhirUser', shipped)).toEqual({ kind: 'word', scope: 'fhirUser' });
    for (const scope of ['launch/location', 'patient/Condition.rs?code=%']) {
      expect(describeScope(scope, shipped)).toEqual({ kind: 'unknown', scope });
    }
  });
});
