import { describeScope } from '../describe-scope.ts';
import type { Permission, ScopeMeaning } from '../describe-scope.ts';
import type { Model } from '../../model/model.ts';
import type { Language } from './language.ts';
import { texts } from './texts/index.ts';
import { typeName } from './type-name.ts';

/** A permission as the user is asked for it. */
export interface Asked {
  /** The scopes that it stands for. */
  readonly scopes: readonly string[];
  readonly text: string;
  /** What narrows it. */
  readonly note: string | undefined;
  /** Whether the app can do without it. */
  readonly optional: boolean;
}

/** What an app asks for, in plain words. */
export interface Permissions {
  /** What it does with which records, under a heading each. */
  readonly records: readonly { readonly heading: string; readonly asked: readonly Asked[] }[];
  /** All else: who somebody is, which patient is open, how long it lasts. */
  readonly others: readonly Asked[];
}

/** The scopes in the words of a language; lifetimes in milliseconds. Each scope is part of one permission. */
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

/** What reads alike is asked once, such as a scope in version 1 and in version 2. */
function joined(asked: readonly Asked[]): readonly Asked[] {
  const alike = Map.groupBy(asked, ({ text, note }) => JSON.stringify([text, note]));
  return [...alike.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : { ...first, scopes: [first, ...others].flatMap(({ scopes }) => scopes) },
  );
}

type Resources = ScopeMeaning & { readonly kind: 'resources' };

function heading({ permissions, context }: Resources, language: Language): string {
  const { verbs, list, act } = texts[language].consent;
  const all = new Set(permissions.map(permission => verbs[verbOf[permission]]));
  return act(list([...all]), context);
}

const verbOf = {
  create: 'add',
  read: 'see',
  search: 'see',
  update: 'change',
  delete: 'remove',
} as const satisfies Record<Permission, string>;

function records({ scope, resourceTypes, criteria }: Resources, model: Model, language: Language): Asked {
  const { list, narrowed } = texts[language].consent;
  const names = resourceTypes.map(name => typeName(model, name, language));
  const only = criteria.map(({ parameter, value }) => `${parameter} = ${value.split('|').at(-1)}`);
  return {
    scopes: [scope],
    text: list(names),
    note: only.length === 0 ? undefined : narrowed(list(only)),
    optional: true,
  };
}

function others(
  meanings: readonly ScopeMeaning[],
  language: Language,
  { refreshIdle, refreshLifetime }: { readonly refreshIdle: number; readonly refreshLifetime: number },
): readonly Asked[] {
  const { consent: words, time } = texts[language];
  const fixed = (text: string, scopes: readonly string[]): Asked => ({
    scopes,
    text,
    note: undefined,
    optional: false,
  });
  const asked = new Map<string, Asked>();
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
