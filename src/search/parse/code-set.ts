import { FhirError, fhirError } from '../../fhir/error.ts';
import type { CodeSet } from '../../terminology/expander.ts';
import type { Expansion, Expansions } from '../../terminology/expansion.ts';
import { hasPath } from '../../fhir/uri-tree.ts';
import type { Query, Test } from '../ast.ts';
import { split, unescape } from './escape.ts';
import { malformed, type SearchContext, type Value, type ValueParser } from './value.ts';

/** `:in` and `:not-in`: the canonical of a value set. https://hl7.org/fhir/R4/search.html#token */
export const parseInValueSet: ValueParser = (value, context) => {
  const canonical = unescape(value.text);
  const isReference = /^ValueSet\/[A-Za-z0-9.-]{1,64}$/.test(canonical);
  if (!hasPath(canonical) && !canonical.startsWith('urn:') && !isReference) {
    throw malformed(
      value,
      'write the canonical URL of a ValueSet, such as `http://example.org/ValueSet/a`, or `ValueSet/a`',
    );
  }
  const expansion = expansionsOf(context).valueSet(canonical);
  return [codesTest(value, 'in', canonical, expansion, { valueSet: canonical })];
};

/** `:above` and `:below`: a concept with those that subsume it, or that it subsumes. */
export const hierarchyParser =
  (how: 'above' | 'below'): ValueParser =>
  (value, context) => {
    const [system = '', code = '', ...more] = split(value.text, '|').map(unescape);
    if (system === '' || code === '' || more.length > 0) throw malformed(value, 'write `system|code`');
    const expansion = expansionsOf(context).related(system, code, how);
    return [codesTest(value, how, `${system}|${code}`, expansion, { system, code, how })];
  };

const expansionsOf = ({ expansions, model }: SearchContext): Expansions => expansions ?? model.expansions;

function codesTest(value: Value, how: 'in' | 'above' | 'below', of: string, expansion: Expansion, set: CodeSet): Test {
  if ('problem' in expansion) throw new CodesUnknown(value, expansion.problem, set);
  return { kind: 'codes', how, of, codes: expansion.codes };
}

/** The codes of a set are not known here completely: a part of them would be a part of the answer. */
export class CodesUnknown extends FhirError {
  readonly set: CodeSet;
  readonly value: Value;
  readonly problem: string;

  constructor(value: Value, problem: string, set: CodeSet) {
    const { name, text } = value;
    const advice =
      'Use a smaller set whose ValueSet and CodeSystems are stored or loaded completely, or list the codes.';
    const said = `\`${name}=${text}\` cannot be searched for: ${problem}. ${advice}`;
    super(400, [{ severity: 'error', code: 'not-supported', text: said, expression: `http.${name}` }]);
    this.set = set;
    this.value = value;
    this.problem = problem;
  }
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
    case 'inside':
    case 'has':
    case 'tree':
    case 'contained':
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
