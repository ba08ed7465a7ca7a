import { readFileSync } from 'node:fs';
import { asObject, asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { FindSnapshot } from '../../model/snapshot/snapshot.ts';
import { locales } from '../../pages/language.ts';
import type { Language } from '../../pages/language.ts';
import { html } from '../../pages/html.ts';
import type { Markup } from '../../pages/html.ts';

/** A text of a definition with its language, which may not be that of the page. */
export interface Label {
  readonly text: string;
  readonly language: Language;
}

/** The label of an element by its path, such as `Patient.birthDate`. */
export type LabelOf = (path: string) => Label;

/**
 * Labels in the language of a page. In this order: the translation that a definition has for its `label` or its
 * `short`; the `label`, if the definition is in that language; the French name of the element (names.fr.json); the
 * element name as words, which are English.
 * https://hl7.org/fhir/R4/extension-translation.html
 */
export function createLabels(find: FindSnapshot, canonicals: readonly string[], language: Language): LabelOf {
  const elements = canonicals.flatMap(canonical => {
    const { structure, elements: all } = find(canonical) ?? {};
    const own = asString(structure?.['language'])?.split('-')[0] ?? 'en';
    return (all ?? []).map(element => ({ element, isOurs: own === language }));
  });
  const declared = new Map<string, string>();
  for (const { element, isOurs } of elements) {
    const path = String(element['path']).replace('[x]', '');
    const text = translated(element, language) ?? (isOurs ? asString(element['label']) : undefined);
    if (text !== undefined && !String(element['id']).includes(':') && !declared.has(path)) declared.set(path, text);
  }
  return path => {
    const text = declared.get(path);
    return text === undefined ? labelOfName(path.slice(path.lastIndexOf('.') + 1), language) : { text, language };
  };
}

/** The label of an element that no definition translates, by its name without `[x]`. */
export function labelOfName(name: string, language: Language): Label {
  const french = language === 'fr' && Object.hasOwn(frenchNames(), name) ? frenchNames()[name] : undefined;
  return french === undefined ? { text: words(name), language: 'en' } : { text: french, language };
}

/** The text of an element in a language, by the extension `translation`; undefined without one. */
export function translated(element: JsonObject, language: Language): string | undefined {
  for (const name of ['_label', '_short'])
    for (const { url, extension } of objectsOf(asObject(element[name])['extension'])) {
      if (url !== translation) continue;
      const parts = new Map(objectsOf(extension).map(part => [part['url'], part]));
      const tag = asString(parts.get('lang')?.['valueCode'])?.split('-')[0];
      const { valueString, valueMarkdown } = parts.get('content') ?? {};
      const content = asString(valueString) ?? asString(valueMarkdown);
      if (tag === language && content !== undefined) return content;
    }
  return undefined;
}

const translation = 'http://hl7.org/fhir/StructureDefinition/translation';

/** `birthDate` → `Birth date`, `instantiatesUri` → `Instantiates URI`. */
function words(name: string): string {
  const [first = '', ...rest] = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(' ')
    .map(word => (abbreviations.has(word.toLowerCase()) ? word.toUpperCase() : word.toLowerCase()));
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(' ');
}

const abbreviations: ReadonlySet<string> = new Set(['id', 'uri', 'url', 'udi', 'oid', 'uuid']);

let french: Readonly<Record<string, string>> | undefined;

function frenchNames(): Readonly<Record<string, string>> {
  const file = new URL('./names.fr.json', import.meta.url);
  french ??= JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, string>>; // a file of this folder
  return french;
}

/** A text that names its language where that is not the language of the page, so that screen readers pronounce it. */
export const inLanguage = ({ text, language }: Label, page: Language): Markup =>
  language === page ? text : html`<span lang="${locales[language]}">${text}</span>`;

/** An English text of a definition, with its language on a French page. */
export const inEnglish = (text: string, page: Language): Markup => inLanguage({ text, language: 'en' }, page);

/** The colon after a heading in a line; French has a no-break space before it. */
export const colon: Readonly<Record<Language, string>> = { en: ':', fr: '\u00a0:' };
