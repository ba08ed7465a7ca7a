import { describeScope } from '../../auth/describe-scope.ts';
import type { Permission, ScopeMeaning } from '../../auth/describe-scope.ts';
import type { Model } from '../../model/model.ts';
import type { Language } from '../../pages/language.ts';
import { texts } from './texts/index.ts';
import { typeName } from '../../pages/type-name.ts';

/** A permission on the consent page. */
export interface ConsentPermission {
  /** The scopes that it covers. */
  readonly scopes: readonly string[];
  readonly text: string;
  /** The criteria that narrow it. */
  readonly note: string | undefined;
  /** Whether the app works without it. */
  readonly optional: boolean;
}

/** The permissions that an app requests, in plain words. */
export interface Permissions {
  /** Access to records, under a heading each. */
  readonly records: readonly { readonly heading: string; readonly asked: readonly ConsentPermission[] }[];
  /** All other permissions: the user's identity, the open patient, the duration. */
  readonly others: readonly ConsentPermission[];
}

/** The permissions of scopes in a language; lifetimes in milliseconds. Each scope is part of one permission. */
export function permissionsOf(
  scopes: readonly string[],
  model: Model,
  language: Language,
  lifetimes: { readonly refreshIdle: number; readonly refreshLifetime: number },
): Permissions {
  const meanings = scopes.map(scope => describeScope(scope, model));
  const resources = meanings.filter(meaning => meaning.kind === 'resources');
  const groups = Map.groupBy(resources, meaning => heading(meaning, language));
  return {
    records: [...groups].map(([heading, of]) => ({
      heading,
      asked: joined(of.map(one => records(one, model, language))),
    })),
    others: others(meanings, language, lifetimes),
  };
}

/** Merges permissions with the same text, such as those of a scope in version 1 and in version 2. */
function joined(asked: readonly ConsentPermission[]): readonly ConsentPermission[] {
  const alike = Map.groupBy(asked, ({ text, note }) => JSON.stringify([text, note]));
  return [...alike.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : { ...first, scopes: [first, ...others].flatMap(({ scopes }) => scopes) },
  );
}

/** Most types that are named; of a scope on more, such as a wildcard on all of R4, their number is shown. */
const mostNames = 20;

type Resources = ScopeMeaning & { readonly kind: 'resources' };

const heading = ({ permissions, context }: Resources, language: Language): string =>
  texts[language].consent.act(verbsOf(permissions, language), context);

function verbsOf(permissions: readonly Permission[], language: Language): string {
  const { verbs, list } = texts[language].consent;
  return list([...new Set(permissions.map(permission => verbs[verbOf[permission]]))]);
}

const verbOf = {
  create: 'add',
  read: 'see',
  search: 'see',
  update: 'change',
  delete: 'remove',
} as const satisfies Record<Permission, string>;

function records({ scope, groups, criteria }: Resources, model: Model, language: Language): ConsentPermission {
  const { list, narrowed, kinds } = texts[language].consent;
  const isMixed = new Set(groups.map(({ permissions }) => verbsOf(permissions, language))).size > 1;
  const namesOf = (names: readonly string[]): readonly string[] =>
    names.length > mostNames ? [kinds(names.length)] : names.map(name => typeName(model, name, language));
  const lines = groups.flatMap(({ resourceTypes, permissions }) =>
    namesOf(resourceTypes).map(name => (isMixed ? `${name} (${verbsOf(permissions, language)})` : name)),
  );
  const only = criteria.map(({ parameter, value }) => `${parameter} = ${value.split('|').at(-1)}`);
  return {
    scopes: [scope],
    text: lines.join('; '),
    note: only.length === 0 ? undefined : narrowed(list(only)),
    optional: true,
  };
}

function others(
  meanings: readonly ScopeMeaning[],
  language: Language,
  { refreshIdle, refreshLifetime }: { readonly refreshIdle: number; readonly refreshLifetime: number },
): readonly ConsentPermission[] {
  const { consent: words, time } = texts[language];
  const fixed = (text: string, scopes: readonly string[]): ConsentPermission => ({
    scopes,
    text,
    note: undefined,
    optional: false,
  });
  const asked = new Map<string, ConsentPermission>();
  for (const meaning of meanings) {
    if (meaning.kind === 'resources') continue;
    const { scope } = meaning;
    if (meaning.kind === 'unknown') {
      asked.set(scope, fixed(words.other(scope), [scope]));
      continue;
    }
    switch (meaning.scope) {
      case 'openid':
      case 'profile':
      case 'fhirUser':
        asked.set('identity', fixed(words.identity, [...(asked.get('identity')?.scopes ?? []), scope]));
        break;
      case 'launch':
      case 'launch/patient':
      case 'launch/encounter':
        asked.set('launch', fixed(words.know, [...(asked.get('launch')?.scopes ?? []), scope]));
        break;
      case 'offline_access':
        asked.set(scope, {
          scopes: [scope],
          text: words.offline(time(refreshLifetime / 1000)),
          note: words.offlineIdle(time(refreshIdle / 1000)),
          optional: true,
        });
        break;
      case 'online_access':
        asked.set(scope, { ...fixed(words.online, [scope]), optional: true });
        break;
      default:
        meaning satisfies never;
    }
  }
  return [...asked.values()];
}
