import { asString, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';

/** The languages of a caller, the preferred one first. */
export interface Languages {
  readonly tags: readonly string[];
  /** False if a display in another language is not acceptable: `*;q=0`. */
  readonly others: boolean;
}

/**
 * Languages as `displayLanguage` and Accept-Language have them: `de, en;q=0.5, *;q=0`; undefined for a text without
 * one. https://www.rfc-editor.org/rfc/rfc9110#section-12.5.4
 */
export function parseLanguages(text: string): Languages | undefined {
  const items = text
    .slice(0, 500)
    .split(',')
    .map(item => {
      const [tag = '', ...parameters] = item.split(';').map(part => part.trim());
      const weight = parameters.map(one => /^q=([01](?:\.\d{0,3})?)$/.exec(one)?.[1]).find(Boolean);
      return { tag: tag.toLowerCase(), weight: Number(weight ?? 1) };
    })
    .sort((a, b) => b.weight - a.weight);
  const tags = items.filter(({ tag, weight }) => weight > 0 && isTag(tag)).map(({ tag }) => tag);
  const others = !items.some(({ tag, weight }) => tag === '*' && weight === 0);
  return tags.length === 0 ? undefined : { tags, others };
}

export const isTag = (text: string): boolean => /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i.test(text);

/** A name of a concept, in a language if that is known. */
export interface Name {
  readonly value: string;
  readonly language: string | undefined;
  readonly use?: JsonObject | undefined;
}

/** The names of a concept: its display, and its designations. */
export interface Names {
  readonly display: Name | undefined;
  readonly designations: readonly JsonObject[];
}

/**
 * The display in the first of the languages that a concept has a name in, `fr` for `fr-CA` and the other way round too;
 * else its own, if others are acceptable.
 */
export function nameIn({ display, designations }: Names, languages: Languages | undefined): Name | undefined {
  if (languages === undefined) return display;
  const names: readonly Name[] = [...(display === undefined ? [] : [display]), ...designations.flatMap(nameOf)];
  for (const tag of languages.tags) {
    const exact = names.find(({ language }) => language?.toLowerCase() === tag);
    const near = exact ?? names.find(({ language }) => isNear(language, tag));
    if (near !== undefined) return near;
  }
  return languages.others ? display : undefined;
}

/** Whether names in these languages include one of a language, as in `nameIn`. */
export const speaks = (language: string | undefined, { tags }: Languages): boolean =>
  tags.some(tag => isNear(language, tag));

function isNear(language: string | undefined, tag: string): boolean {
  return language !== undefined && language.toLowerCase().split('-')[0] === tag.split('-')[0];
}

export function nameOf({ value, language, use }: JsonObject): readonly Name[] {
  const text = asString(value);
  if (text === undefined) return [];
  return [{ value: text, language: asString(language), use: objectsOf([use])[0] }];
}
