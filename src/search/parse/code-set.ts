import { type FhirError, fhirError } from '../../fhir/error.ts';
import type { Expansion } from '../../terminology/expansion.ts';
import { hasPath } from '../../fhir/uri-tree.ts';
import type { Query, Test } from '../ast.ts';
import { split, unescape } from './escape.ts';
import { malformed, type Value, type ValueParser } from './value.ts';

/** `:in` and `:not-in`: the canonical of a value set. https://hl7.org/fhir/R4/search.html#token */
export const parseInValueSet: ValueParser = (value, context) => {
  const canonical = unescape(value.text);
  if (!hasPath(canonical) && !canonical.startsWith('urn:')) {
    throw malformed(value, 'write the canonical URL of a ValueSet, such as `http://example.org/ValueSet/a`');
  }
  return [codesTest(value, 'in', canonical, context.model.expansions.valueSet(canonical))];
};

/** `:above` and `:below`: a concept with those that subsume it, or that it subsumes. */
export const hierarchyParser =
  (how: 'above' | 'below'): ValueParser =>
  (value, context) => {
    const [system = '', code = '', ...more] = split(value.text, '|').map(unescape);
    if (system === '' || code === '' || more.length > 0) throw malformed(value, 'write `system|code`');
    return [codesTest(value, how, `${system}|${code}`, context.model.expansions.related(system, code, how))];
  };

function codesTest(value: Value, how: 'in' | 'above' | 'below', of: string, expansion: Expansion): Test {
  if ('problem' in expansion) throw notExpanded(value, expansion.problem);
  return { kind: 'codes', how, of, codes: expansion.codes };
}

/** A part of the codes would be a part of the answer. */
function notExpanded({ name, text }: Value, problem: string): FhirError {
  return fhirError(
    400,
    'not-supported',
    `\`${name}=${text}\` cannot be searched for: ${problem}. Use a smaller set whose ValueSet and CodeSystems are ` +
      'loaded completely, or list the codes.',
    `http.${name}`,
  );
}

/** Most codes of all sets in one search. */
const MOST_IN_SEARCH = 10_000;

/** Throws FhirError 400 if the sets of codes in a query have too many codes together. */
export function checkCodes(query: Query): void {
  const count = codesIn(query);
  if (count <= MOST_IN_SEARCH) return;
  const [limit, found] = [MOST_IN_SEARCH, count].map(number => number.toLocaleString('en'));
  const text = `The sets of codes in this search have ${found} codes together: use sets with ${limit} at most.`;
  throw fhirError(400, 'too-costly', text);
}

function codesIn(query: Query): number {
  switch (query.kind) {
    case 'and':
    case 'or':
      return query.of.reduce((sum, part) => sum + codesIn(part), 0);
    case 'not':
    case 'chain':
    case 'has':
      return codesIn(query.of);
    case 'param':
      return query.test.kind === 'codes' ? query.test.codes.reduce((sum, { codes }) => sum + codes.length, 0) : 0;
    case 'all':
    case 'entry':
    case 'id':
    case 'lastUpdated':
    case 'owner':
    case 'present':
      return 0;
    default:
      return query satisfies never;
  }
}
