import { storedTypes } from '../../definitions/definition.ts';
import type { Definition, StoredDefinition } from '../../definitions/definition.ts';
import type { Definitions } from '../../definitions/definitions.ts';
import { definitionsAbove, givenDefinition } from '../../definitions/stored.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { Model } from '../../model/model.ts';
import { modelAbove } from '../../model/stored-above.ts';
import { snapshotsOf } from '../../model/snapshot/snapshots.ts';
import type { ValidationIssue } from '../profile/findings.ts';
import { checkProfile } from './check-profile.ts';
import { mistakesInCodes } from './check-terminology.ts';

/** The definitions of a partition. */
export interface AppliedDefinitions {
  readonly model: Model;
  readonly definitions: Definitions;
}

/** The rule of a definition that another one of the same canonical excludes. */
export const definitionConflict = 'definition conflict';

/** The rule of a definition that cannot apply. */
const definitionMistake = 'definition';

/** Types of which a shipped url is fixed in every version, since other parts of the server rely on it. */
const fixedByUrl: ReadonlySet<string> = new Set(['StructureDefinition', 'SearchParameter']);

/**
 * The errors of a record that would be a definition of its partition: that it names a definition of the server or that
 * of another record, and what `definitions check` would report of it as a file. `id` is that of the record that it
 * replaces, undefined for a new one. None for records of other types.
 */
export function checkStored(
  resource: JsonObject,
  id: string | undefined,
  { model, definitions }: AppliedDefinitions,
): readonly ValidationIssue[] {
  const type = String(resource['resourceType']);
  if (!storedTypes.has(type)) return [];
  const given = givenDefinition(resource, id ?? '');
  const { below = definitions, records = [] } = definitions.above ?? {};
  const others = records.filter(one => one.resourceType !== type || one.id !== id);
  const conflict = given.url === '' ? undefined : conflictOf(given, below, others);
  if (conflict !== undefined) return [issueAt(given, 'url', conflict, definitionConflict)];
  return mistakesOf(given, below, others, model.below ?? model).map(({ path, text }) =>
    issueAt(given, path, text, definitionMistake),
  );
}

const issueAt = ({ resourceType }: Definition, path: string, text: string, rule: string): ValidationIssue => ({
  severity: 'error',
  code: rule === definitionConflict ? 'duplicate' : 'business-rule',
  text,
  expression: path === '' ? resourceType : `${resourceType}.${path}`,
  rule,
});

function conflictOf(
  given: StoredDefinition,
  below: Definitions,
  others: readonly StoredDefinition[],
): string | undefined {
  const { resourceType, url, version } = given;
  const canonical = version === undefined ? url : `${url}|${version}`;
  const shipped = fixedByUrl.has(resourceType)
    ? below.find(resourceType, url)
    : below.all(resourceType).find(one => one.url === url && one.version === version);
  if (shipped !== undefined)
    return (
      `\`${canonical}\` is a definition of this server, which a record cannot replace. Choose another url` +
      `${fixedByUrl.has(resourceType) ? '' : ' or version'}.`
    );
  const same = others.find(one => one.resourceType === resourceType && one.url === url && one.version === version);
  if (same === undefined) return undefined;
  return `${resourceType}/${same.id} defines \`${canonical}\` already. Update that record, or choose another version.`;
}

interface Mistake {
  readonly path: string;
  readonly text: string;
}

function mistakesOf(
  given: StoredDefinition,
  below: Definitions,
  others: readonly StoredDefinition[],
  model: Model,
): readonly Mistake[] {
  switch (given.resourceType) {
    case 'SearchParameter': {
      // It is compiled like one that is in use.
      const used = { ...given, status: 'active' };
      const rest = others.filter(one => one.resourceType !== given.resourceType || one.url !== given.url);
      const records = [...rest, used];
      const { problems } = modelAbove(model, definitionsAbove(below, records), records);
      return problems.filter(({ file }) => file === given.file);
    }
    case 'StructureDefinition': {
      const definitions = definitionsAbove(below, [...others, given]);
      const { url, version } = given;
      const loaded = {
        types: model.definitions,
        snapshots: snapshotsOf(definitions),
        has: (type: string, canonical: string) => definitions.find(type, canonical) !== undefined,
        urls: (type: string) => definitions.all(type).map(one => one.url),
      };
      return checkProfile(given.resource(), version === undefined ? url : `${url}|${version}`, loaded).filter(
        ({ undecided }) => !undecided,
      );
    }
    default:
      return mistakesInCodes(given, definitionsAbove(below, [...others, given]));
  }
}
