import { isId, parseCanonical, parseReference } from '../../fhir/reference.ts';
import type { FhirError } from '../../fhir/error.ts';
import type { SearchParam } from '../../model/model.ts';
import type { Test } from '../ast.ts';
import { split, unescape } from './escape.ts';
import { malformed } from './value.ts';
import type { SearchContext, Value, ValueParser } from './value.ts';

/**
 * `Type/id`, an id alone, or an absolute URL; for canonicals also `url|version`, and `Type/id|version`. URLs below the
 * own base equal their relative form. A version of a resource (`Type/1/_history/2`) is an error, since entries have
 * none, and so is a type that the parameter cannot reference: an empty answer would look like "none on record".
 * https://hl7.org/fhir/R4/search.html#reference
 */
export const parseReferenceValue: ValueParser = (value, context) => {
  const { dataTypes } = value.param;
  const canonical = dataTypes.has('canonical') || dataTypes.has('uri');
  if (!canonical && isId(value.text)) return byId(value.param, value.text, context); // as most
  const [address = '', version, ...more] = split(value.text, '|').map(unescape);
  if (version !== undefined && (!canonical || version === '' || more.length > 0)) {
    throw malformed(value, canonical ? 'a canonical is written `url|version`' : expected(value.param));
  }
  if (!canonical) return literal(value, address, context);
  const text = address.replace(/(?<=.)#.*$/, '');
  // A relative canonical may be any text; what records have of it is stored as written.
  const tests = isRelativeText(text) ? [] : literal(value, text, context);
  const urls = new Set([parseCanonical(address).url, ...asWritten(tests, context)]);
  const named = [...urls].map((url): Test => ({
    kind: 'reference',
    url,
    ...(version === undefined ? {} : { version }),
  }));
  return version === undefined ? [...named, ...tests.filter(hasId)] : named;
};

function isRelativeText(text: string): boolean {
  const kind = parseReference(text)?.kind;
  return !isId(text) && (kind === undefined || kind === 'url') && !isUri(text) && /^[^\s#]+$/.test(text);
}

/** The value of `:[type]`: an id of that type. https://hl7.org/fhir/R4/search.html#reference */
export function referenceOf(type: string, value: Value): Value {
  if (isId(unescape(value.text))) return { ...value, text: `${type}/${value.text}` };
  throw malformed(value, `write the id of the ${type} alone`);
}

/**
 * The forms in which records may reference a resource of this server by canonical: entries of canonicals are stored as
 * written.
 */
function asWritten(tests: readonly Test[], { base }: SearchContext): readonly string[] {
  return tests.flatMap(test => {
    if (test.kind !== 'reference' || test.type === undefined || test.id === undefined) return [];
    const relative = `${test.type}/${test.id}`;
    return [relative, `${base}/${relative}`];
  });
}

/** True for a reference without an id, `Patient/`, which counts as an empty value. */
export function namesNobody(text: string): boolean {
  return /^[A-Za-z]*\/$/.test(text);
}

function literal(value: Value, text: string, context: SearchContext): readonly Test[] {
  if (isId(text)) return byId(value.param, text, context);
  const own = `${context.base}/`;
  const reference = parseReference(text.startsWith(own) ? text.slice(own.length) : text);
  switch (reference?.kind) {
    case 'relative': {
      const { type, id, version } = reference;
      if (version !== undefined) throw versioned(value, `${type}/${id}`);
      const { targets } = value.param;
      if (targets.length > 0 ? !targets.includes(type) : !context.model.definitions.resourceTypes.has(type)) {
        throw malformed(value, expected(value.param));
      }
      return [{ kind: 'reference', type, id, base: context.base }];
    }
    case 'absolute':
      if (reference.version !== undefined) throw versioned(value, reference.url);
      return [{ kind: 'reference', url: reference.url }];
    case 'url':
      if (isUri(text) && !text.startsWith(own)) return [{ kind: 'reference', url: text }];
      throw malformed(value, expected(value.param));
    case 'contained':
    case undefined:
      throw malformed(value, expected(value.param));
    default:
      return reference satisfies never;
  }
}

/**
 * Entries have no versions: an answer for one version would be that for all.
 * https://hl7.org/fhir/R4/search.html#versions
 */
function versioned(value: Value, resource: string): FhirError {
  return malformed(value, `references are searched by resource and not by version, so write \`${resource}\``);
}

/** An id alone means one of the target types; without a restriction, any type. */
function byId({ targets }: SearchParam, id: string, { base }: SearchContext): readonly Test[] {
  return targets.length === 0
    ? [{ kind: 'reference', id, base }]
    : targets.map((type): Test => ({ kind: 'reference', type, id, base }));
}

const hasId = (test: Test): boolean => test.kind === 'reference' && test.id !== undefined;

const isUri = (text: string): boolean => /^[A-Za-z][A-Za-z0-9+.-]*:[^\s]/.test(text);

function expected({ targets }: SearchParam): string {
  const [type = 'Type'] = targets;
  const all = targets.map(target => `\`${target}\``).join(', ');
  const which = targets.length > 1 ? ` with one of the types ${all}` : '';
  return `write \`${type}/id\`${which}, the id alone, or an absolute URL`;
}
