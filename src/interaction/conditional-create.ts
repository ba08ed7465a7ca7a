import type { Partition } from '../store/partitions.ts';
import { fhirError } from '../fhir/error.ts';
import type { ResourceType } from '../model/model.ts';
import { parsePairs } from '../search/parse/pairs.ts';
import type { Precondition } from '../store/records.ts';
import { readCriteria } from './criteria.ts';
import type { CriteriaSource } from './criteria.ts';
import type { Engine, FhirRequest } from './interaction.ts';

export const ifNoneExistSource: CriteriaSource = { name: '`If-None-Exist`', expression: 'http."If-None-Exist"' };

/**
 * The precondition of If-None-Exist: that nothing matches among the resources that the caller may search. Throws
 * FhirError 400 if the type does not declare it together with search, and as `readCriteria`.
 * https://hl7.org/fhir/R4/http.html#ccreate
 */
export async function ifNoneExist(
  engine: Engine,
  type: ResourceType,
  request: FhirRequest,
  partition: Partition,
): Promise<Precondition> {
  const given = request.headers['if-none-exist'];
  if (given === undefined) return { is: 'absent' };
  if (!type.conditionalCreate || !type.interactions.has('search-type')) {
    const text = `\`If-None-Exist\` is not supported for ${type.name}; \`Idempotency-Key\` makes a create repeatable.`;
    throw fhirError(400, 'not-supported', text, ifNoneExistSource.expression);
  }
  const pairs = parsePairs(given.startsWith('?') ? given.slice(1) : given);
  return {
    is: 'no-match',
    query: await readCriteria(engine, type, request, partition, { pairs, source: ifNoneExistSource }),
  };
}
