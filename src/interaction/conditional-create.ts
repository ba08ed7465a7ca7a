import type { Partition } from '../store/partitions.ts';
import { requireScope } from '../auth/may.ts';
import { restrict, restriction } from '../auth/restrict.ts';
import { fhirError } from '../fhir/error.ts';
import type { ResourceType } from '../model/model.ts';
import { parsePairs } from '../search/parse/pairs.ts';
import { parseSearch } from '../search/parse/search.ts';
import { controls } from '../search/parse/result-parameters.ts';
import type { Precondition } from '../store/records.ts';
import type { Engine, FhirRequest } from './interaction.ts';
import { refusePending } from './pending.ts';

/**
 * The precondition of If-None-Exist: that nothing matches among the resources that the caller may search, for which a
 * scope is required too. Throws FhirError 400 if the type does not declare it together with search, without criteria,
 * and for an invalid search; always strictly, since an ignored criterion would match everything.
 * https://hl7.org/fhir/R4/http.html#ccreate
 */
export async function ifNoneExist(
  { model, now, store }: Engine,
  type: ResourceType,
  { headers, base, access }: FhirRequest,
  partition: Partition,
): Promise<Precondition> {
  const given = headers['if-none-exist'];
  if (given === undefined) return { is: 'absent' };
  if (!type.conditionalCreate || !type.interactions.has('search-type')) {
    const text = `\`If-None-Exist\` is not supported for ${type.name}; \`Idempotency-Key\` makes a create repeatable.`;
    throw fhirError(400, 'not-supported', text, expression);
  }
  requireScope(access, model, { interaction: 'search-type', resourceType: type.name }, base);
  const pairs = parsePairs(given.startsWith('?') ? given.slice(1) : given);
  const control = pairs.find(([name]) => isControl(name));
  if (control !== undefined) {
    throw fhirError(
      400,
      'value',
      `\`${control[0]}\` is not a criterion; \`If-None-Exist\` accepts criteria only.`,
      expression,
    );
  }
  if (pairs.length === 0) {
    throw fhirError(400, 'value', '`If-None-Exist` has no criteria: every resource would match.', expression);
  }
  const asked = parseSearch(type, pairs, {
    model,
    base,
    zone: partition.settings.zone,
    handling: 'strict',
    now: now(),
  });
  const query = restrict(access, type, 's', asked.query);
  await refusePending(
    store.indexes,
    partition.id,
    { ...asked, query },
    one => restriction(access, one, 's').kind === 'all',
  );
  return { is: 'no-match', query };
}

const isControl = (name: string): boolean =>
  (controls as readonly string[]).includes(name.split(':')[0] ?? '') || name === '_format' || name === '_pretty';

const expression = 'http."If-None-Exist"';
