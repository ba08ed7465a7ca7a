import type { Partition } from '../../store/port/partitions.ts';
import { hasText } from '../../store/port/records.ts';
import type { Requirement } from '../../store/port/records.ts';
import { checksTarget, referable } from '../../auth/referable.ts';
import { isWithin } from '../../auth/restrict.ts';
import type { Letter } from '../../auth/scope.ts';
import { objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { Issue } from '../../fhir/outcome.ts';
import { parseReference } from '../../fhir/reference.ts';
import type { ParsedReference } from '../../fhir/reference.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Query } from '../../search/ast.ts';
import { shorten } from '../../validation/report.ts';
import type { FoundReference } from '../../validation/walk.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import { mostIssues } from './client-context.ts';

/** The destination of a record, and its writer. */
export type RecordPlace = Pick<FhirRequest, 'base' | 'access'> & {
  readonly partition: Partition;
  /** The letter of the scopes that allow the write. */
  readonly letter: Letter;
};

/** Whether `checkReferences` and `requiredTargets` find anything in a record of a type: else none need be searched. */
export const checksReferences = (type: ResourceType, access: RecordPlace['access']): boolean =>
  access !== 'open' || type.referencePolicies.has('enforced');

/**
 * The issues of a record's references, whose contained resources have these ids. Under the policy `enforced` their
 * targets must exist, in the same partition, or within the resource itself; whatever the policy, a caller who may not
 * see every record of a type can reference only those within that caller's context, and the others are reported as
 * missing. References to undeclared types, and those that `checksTarget` excepts, are accepted without a look. The
 * search for missing ones ends soon after as many as an answer lists.
 * https://hl7.org/fhir/R4/valueset-reference-handling-policy.html
 */
export async function checkReferences(
  engine: Engine,
  type: ResourceType,
  references: readonly FoundReference[],
  contained: ReadonlySet<unknown>,
  place: RecordPlace,
): Promise<readonly Issue[]> {
  const issues: Issue[] = [];
  const reasons = new Map<string, string | undefined>();
  for (let from = 0; from < references.length && issues.length <= mostIssues; from += atOnce) {
    const next = references.slice(from, from + atOnce);
    const unknown = new Set(next.map(({ text }) => text).filter(text => !reasons.has(text)));
    await Promise.all(
      Array.from(unknown, async text => reasons.set(text, await whyMissing(engine, type, text, contained, place))),
    );
    for (const { text, expression } of next) {
      const why = reasons.get(text);
      if (why !== undefined) issues.push({ severity: 'error', code: 'not-found', text: why, expression });
    }
  }
  return issues;
}

/** The ids of the resources within a resource. */
export const containedIds = (resource: JsonObject): ReadonlySet<unknown> =>
  new Set(objectsOf(resource['contained']).map(({ id }) => id));

/** Number of references that are looked up at the same time. */
const atOnce = 100;

/**
 * What a write of references needs so that `checkReferences` still holds: their targets, if the policy is `enforced`.
 */
export function requiredTargets(
  { model }: Pick<Engine, 'model'>,
  type: ResourceType,
  references: readonly FoundReference[],
  { base, access, letter }: Pick<RecordPlace, 'base' | 'access' | 'letter'>,
): readonly Requirement[] {
  if (!type.referencePolicies.has('enforced')) return [];
  const names = new Map<string, Requirement>();
  for (const { text } of references) {
    const reference = parseReference(text);
    if (reference === undefined || !isHere(reference, base) || reference.version !== undefined) continue;
    const target = model.types.get(reference.type);
    if (target === undefined || !checksTarget(access, { type, letter }, target, model)) continue;
    names.set(`${target.name}/${reference.id}`, { is: 'there', type: target.name, id: reference.id });
  }
  return [...names.values()];
}

/** Whether a reference leads to a resource below the base. */
const isHere = (
  reference: ParsedReference,
  base: string,
): reference is Extract<ParsedReference, { readonly kind: 'relative' | 'absolute' }> =>
  reference.kind === 'relative' || (reference.kind === 'absolute' && reference.base === base);

async function whyMissing(
  engine: Engine,
  from: ResourceType,
  text: string,
  contained: ReadonlySet<unknown>,
  { partition, base, access, letter }: RecordPlace,
): Promise<string | undefined> {
  const enforced = from.referencePolicies.has('enforced');
  const quoted = `\`${shorten(text)}\``;
  const reference = parseReference(text);
  if (reference?.kind === 'contained') {
    return !enforced || contained.has(reference.id) ? undefined : `${quoted} is not the id of a contained resource.`;
  }
  if (reference === undefined || !isHere(reference, base)) {
    return enforced
      ? `${quoted} cannot be resolved here: write \`Type/id\` of a resource in this partition, or ` +
          '`identifier` instead.'
      : undefined;
  }
  const type = engine.model.types.get(reference.type);
  const written = { type: from, letter };
  if (type === undefined || !checksTarget(access, written, type, engine.model)) return undefined;
  const { zone } = partition.settings;
  const rule = referable(access, written, type, { model: engine.model, base, zone, now: engine.now() });
  if (!enforced && rule.kind === 'all') return undefined;
  return (await isThere(engine, type, reference, rule, partition))
    ? undefined
    : `${quoted} does not exist in this partition.`;
}

/** An older version exists only for callers who may see it and its current version. */
async function isThere(
  { extract }: Engine,
  type: ResourceType,
  { id, version }: { readonly id: string; readonly version?: string | undefined },
  rule: Query,
  partition: Partition,
): Promise<boolean> {
  const current = version === undefined || rule.kind !== 'all' ? await partition.read(type.name, id) : undefined;
  const old = /^[1-9]\d{0,14}$/.test(version ?? '') ? await partition.read(type.name, id, Number(version)) : undefined;
  const wanted = version === undefined ? [current] : rule.kind === 'all' ? [old] : [current, old];
  return wanted.every(
    found => found !== undefined && hasText(found) && isWithin(rule, type, found, extract, partition),
  );
}
