import { objectsOf } from '../../definitions/json-object.ts';
import type { JsonObject } from '../../definitions/json-object.ts';
import type { Issue } from '../../fhir/outcome.ts';
import { parseReference } from '../../fhir/reference.ts';
import type { Model } from '../../model/model.ts';
import type { Partition } from '../../store/store.ts';
import { shorten } from '../../validation/report.ts';
import type { FoundReference } from '../../validation/rules.ts';

/**
 * What is wrong with references under the policy `enforced`: what they name must be here, in the same partition, or within
 * the resource itself. Types that are not declared are kept elsewhere, so that nobody here can tell: they pass. https://hl7.org/fhir/R4/valueset-reference-handling-policy.html
 */
export async function checkReferences(
  references: readonly FoundReference[],
  resource: JsonObject,
  { partition, base }: { readonly partition: Partition; readonly base: string },
  declared: Model['types'],
): Promise<readonly Issue[]> {
  const contained = new Set(objectsOf(resource['contained']).map(({ id }) => id));
  const missing = await Promise.all(
    references.map(async ({ text, expression }): Promise<Issue | undefined> => {
      const why = await whyMissing(text, contained, partition, base, declared);
      return why === undefined ? undefined : { severity: 'error', code: 'not-found', text: why, expression };
    }),
  );
  return missing.filter(issue => issue !== undefined);
}

async function whyMissing(
  text: string,
  contained: ReadonlySet<unknown>,
  partition: Partition,
  base: string,
  declared: Model['types'],
): Promise<string | undefined> {
  const quoted = `\`${shorten(text)}\``;
  const reference = parseReference(text);
  if (reference?.kind === 'contained') {
    return contained.has(reference.id) ? undefined : `${quoted} names no contained resource.`;
  }
  const here = reference?.kind === 'relative' || (reference?.kind === 'absolute' && reference.base === base);
  if (!here) {
    return `${quoted} cannot be resolved here: write \`Type/id\` of a resource in this partition, or \`identifier\` instead.`;
  }
  const { type, id, version } = reference;
  if (!declared.has(type)) return undefined;
  const found =
    version === undefined
      ? await partition.read(type, id)
      : await partition.readVersion(type, id, /^[1-9]\d{0,14}$/.test(version) ? Number(version) : 0);
  return found?.text === undefined ? `${quoted} is not here: there is no such resource in this partition.` : undefined;
}
