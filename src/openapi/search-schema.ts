import type { JsonObject } from '../fhir/json-object.ts';
import type { SearchParamType } from '../model/model.ts';
import type { Source } from './source.ts';

/**
 * The schema of the values of a search type, each with commas between alternatives; several values must all match.
 * https://hl7.org/fhir/R4/search.html#ptypes
 */
export const searchSchema = (type: SearchParamType | 'words', { components }: Source): JsonObject =>
  components.share('schemas', `search-${type}`, () => ({
    type: 'array',
    items: { type: 'string', ...(patterns[type] === undefined ? {} : { pattern: patterns[type] }) },
    description: descriptions[type],
  }));

const prefix = '(?:eq|ne|gt|lt|ge|le|sa|eb|ap)?';
const number = '[+-]?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?';
const day = '\\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\\d|3[01])';
const time =
  '(?:T(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?(?:Z|[+-](?:0\\d|1[0-3]):[0-5]\\d|[+-]14:00)?)?)?)?';

/** One value or several with commas, each of the form. */
const values = (form: string): string => `^${form}(?:,${form})*$`;

/** The forms of values that have one. https://hl7.org/fhir/R4/search.html#date */
const patterns: Partial<Readonly<Record<SearchParamType | 'words', string>>> = {
  date: values(`${prefix}${day}${time}`),
  number: values(`${prefix}${number}`),
};

const several = 'Alternatives are separated by commas; repeat the parameter for values that must all match.';
const prefixes = 'with one of the prefixes eq, ne, gt, lt, ge, le, sa, eb and ap';

const descriptions: Readonly<Record<SearchParamType | 'words', string>> = {
  string: `The beginning of a text; case, accents and punctuation are ignored. ${several}`,
  token: `\`code\`, \`system|code\`, \`|code\` without a system, or \`system|\`. ${several}`,
  reference: `\`Type/id\`, \`id\`, or an absolute URL. ${several}`,
  date: `A date or time, which may be partial, ${prefixes}. ${several}`,
  number: `A number, ${prefixes}. ${several}`,
  quantity: `\`number|system|code\` or \`number||code\`, ${prefixes}. ${several}`,
  uri: `The whole URI. ${several}`,
  composite: `The values of the components, separated by \`$\`. ${several}`,
  special: `A value in the form that the parameter defines. ${several}`,
  words: `Words that must all occur, phrases in quotes, a \`*\` for the end of a word. ${several}`,
};
