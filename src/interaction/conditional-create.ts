import type { Partition } from '../store/port/partitions.ts';
import { FhirError, fhirError } from '../fhir/error.ts';
import type { ResourceType } from '../model/model.ts';
import { parsePairs } from '../search/parse/pairs.ts';
import type { Precondition } from '../store/port/records.ts';
import { shorten } from '../validation/report.ts';
import { readCriteria } from './criteria.ts';
import type { CriteriaSource } from './criteria.ts';
import type { Engine, SentRequest } from './interaction.ts';

export const ifNoneExistSource = {
  name: '`If-None-Exist`',
  expression: 'http."If-None-Exist"',
} as const satisfies CriteriaSource;

/**
 * The precondition of If-None-Exist: that nothing matches among the resources that the caller may search. Throws
 * FhirError 400 if the type does not declare it together with search, and as `readCriteria`.
 * https://hl7.org/fhir/R4/http.html#ccreate
 */
export async function ifNoneExist(
  engine: Engine,
  type: ResourceType,
  request: SentRequest,
  partition: Partition,
): Promise<Precondition> {
  const given = request.headers['if-none-exist'];
  if (given === undefined) return { is: 'absent' };
  if (!type.conditionalCreate || !type.interactions.has('search-type')) {
    const text = `\`If-None-Exist\` is not supported for ${type.name}; \`Idempotency-Key\` makes a create repeatable.`;
    throw fhirError(400, 'not-supported', text, ifNoneExistSource.expression);
  }
  try {
    const pairs = parsePairs(queryOf(given, type, request.base));
    const query = await readCriteria(engine, type, request, partition, { pairs, source: ifNoneExistSource });
    return { is: 'no-match', query };
  } catch (error) {
    throw ofHeader(error);
  }
}

/**
 * The query of If-None-Exist, which clients also send after `?`, after the type, and as the whole URL of the search.
 * Throws FhirError 400 for the URL of another search. https://hl7.org/fhir/R4/http.html#ccreate
 */
export function queryOf(given: string, { name }: Pick<ResourceType, 'name'>, base: string): string {
  const mark = given.indexOf('?');
  const path = mark === -1 ? '' : given.slice(0, mark);
  if (path.includes('=')) return given; // a `?` in a value
  const own = ['', name, `/${name}`, `${new URL(base).pathname}/${name}`];
  const searched = /^https?:/i.test(path) ? URL.parse(path)?.pathname : path;
  if (searched !== undefined && own.includes(searched.replace(/\/$/, ''))) return given.slice(mark + 1);
  const text = `\`${shorten(path)}\` is not the search of ${name} here: send criteria alone, such as \`identifier=…\`.`;
  throw fhirError(400, 'value', text, ifNoneExistSource.expression);
}

/** An error of a criterion as one of the header: the request has no parameter of this name. */
function ofHeader(error: unknown): unknown {
  if (!(error instanceof FhirError) || error.status !== 400) return error;
  const { expression } = ifNoneExistSource;
  return new FhirError(
    error.status,
    error.issues.map(issue => ({ ...issue, expression })),
    error.headers,
  );
}
