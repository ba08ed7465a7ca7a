import { asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { Visit } from '../shell/visit.ts';

/** The parameters of the page that links to other results keep. */
const lasting = ['_columns', '_view'];

/** Links from results to others of the same search. */
export interface ResultLinks {
  /** With other parameters instead of those of the same names; an empty value leaves one out. */
  with(changes: Readonly<Record<string, string>>): string;
  /** To another page of the Bundle, by its relation; undefined without one. */
  page(relation: string): string | undefined;
}

export function resultLinks({ query, options, record, target, place }: Visit, bundle: JsonObject): ResultLinks {
  const [path = ''] = target.split('?');
  const kept = [...options].filter(([name]) => lasting.includes(name));
  return {
    with(changes) {
      const stays = ([name]: readonly [string, string]): boolean => changes[name] === undefined;
      const added = Object.entries(changes).filter(([, value]) => value !== '');
      const pairs = [...query, ...kept].filter(stays).map(([name, value]) => [name, value]);
      const text = new URLSearchParams([...pairs, ...added]).toString();
      return record(text === '' ? path : `${path}?${text}`);
    },
    page(relation) {
      const url = asString(objectsOf(bundle['link']).find(link => link['relation'] === relation)?.['url']);
      const base = `${place?.base ?? ''}/`;
      if (url?.startsWith(base) !== true) return undefined;
      const more = new URLSearchParams(kept.map(pair => [...pair])).toString();
      const own = url.slice(base.length);
      return record(more === '' ? own : `${own}${own.includes('?') ? '&' : '?'}${more}`);
    },
  };
}
