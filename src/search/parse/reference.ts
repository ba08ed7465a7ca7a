import { parseCanonical } from '../../fhir/canonical.ts';
import { isId } from '../../fhir/id.ts';
import { parseReference } from '../../fhir/reference.ts';
import type { SearchParam } from '../../model/model.ts';
import type { Test } from '../ast.ts';
import { split, unescape } from './escape.ts';
import { malformed, type SearchContext, type Value, type ValueParser } from './value.ts';

/**
 * `Type/id`, an id alone, or an absolute URL; `url|version` for canonicals. URLs below our own base are the same as
 * their relative form. A version (`Type/1/_history/2`) is not looked at, since entries have none: the search is for the
 * resource. A type that the parameter cannot refer to is an error and not an empty answer, which reads like "none on
 * record". https://hl7.org/fhir/R4/search.html#reference
 */
export const parseReferenceValue: ValueParser = (value, context) => {
  const { dataTypes } = value.param;
  const canonical = dataTypes.has('canonical') || dataTypes.has('uri');
  const [address = '', version, ...more] = split(value.text, '|').map(unescape);
  if (version !== undefined && (!canonical || version === '' || more.length > 0 || !isUri(address))) {
    throw malformed(value, canonical ? 'a canonical is written `url|version`' : expected(value.param));
  }
  if (version !== undefined) return [{ kind: 'reference', url: address, version }];
  const tests = literal(value, address, context);
  // What a canonical names is looked for as it is written, also where it lies below our own base.
  return canonical && isUri(address)
    ? [{ kind: 'reference', url: parseCanonical(address).url }, ...tests.filter(hasId)]
    : tests;
};

/** True for a reference that names nobody, `Patient/`: as good as an empty value. */
export function namesNobody(text: string): boolean {
  return /^[A-Za-z]*\/$/.test(text);
}

function literal(value: Value, text: string, context: SearchContext): readonly Test[] {
  if (isId(text)) return byId(value.param, text);
  const own = `${context.base}/`;
  const reference = parseReference(text.startsWith(own) ? text.slice(own.length) : text);
  switch (reference?.kind) {
    case 'relative': {
      const { type, id } = reference;
      const { targets } = value.param;
      if (targets.length > 0 ? !targets.includes(type) : !context.model.definitions.resourceTypes.has(type)) {
        throw malformed(value, expected(value.param));
      }
      return [{ kind: 'reference', type, id }];
    }
    case 'absolute':
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

/** An id alone means one of the targets; where there is no limit to them, any type. */
function byId({ targets }: SearchParam, id: string): readonly Test[] {
  return targets.length === 0
    ? [{ kind: 'reference', id }]
    : targets.map((type): Test => ({ kind: 'reference', type, id }));
}

const hasId = (test: Test): boolean => test.kind === 'reference' && test.id !== undefined;

const isUri = (text: string): boolean => /^[A-Za-z][A-Za-z0-9+.-]*:[^\s]/.test(text);

function expected({ targets }: SearchParam): string {
  const [type = 'Type'] = targets;
  const all = targets.map(target => `\`${target}\``).join(', ');
  const which = targets.length > 1 ? ` with one of the types ${all}` : '';
  return `write \`${type}/id\`${which}, the id alone, or an absolute URL`;
}
