import { isStoredElsewhere } from '../../auth/referable.ts';
import { FhirError } from '../../fhir/error.ts';
import { asString } from '../../fhir/json-object.ts';
import { splitForStamp } from '../../fhir/resource-text.ts';
import { parsePairs } from '../../search/parse/pairs.ts';
import { checkStructure } from '../../validation/structure.ts';
import type { CriteriaSource } from '../criteria.ts';
import { Turns } from '../../limits/turns.ts';
import { firstTwo, readCriteria } from '../criteria.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import { linkPairs } from './criteria-links.ts';
import type { RecordOf } from './criteria-links.ts';
import type { CriteriaMatch } from './criteria.ts';
import { entryPath } from './entry.ts';
import type { Targets } from './head.ts';
import type { Identities } from './identities.ts';
import { linksIn, rewriteLinks } from './link.ts';
import { createLinkPlaces } from './link-places.ts';
import type { PlaceOfLink } from './link-places.ts';
import { resolveLinks } from './resolve.ts';
import type { StagedPartition } from './staged/staged-partition.ts';
import type { TransactionEntry } from './transaction-entry.ts';

/** Resolves the links of an entry. Throws FhirError 422 if one leads nowhere. */
export interface ResolveEntry {
  /** The text of its resource with other links; undefined if it has none, or no other links. */
  resource(entry: TransactionEntry): Promise<string | undefined>;
  /** What its patch makes of a version, whose own links may lead nowhere. */
  patched(entry: TransactionEntry, text: string, before: string): Promise<string>;
}

/**
 * Resolves the links of entries to the records of others, and conditional references to what they find after all
 * entries: in the resources of the entries and in the partition, among the records that the caller may search.
 * https://hl7.org/fhir/R4/http.html#trules
 */
export function createEntryResolution(
  engine: Engine,
  partition: StagedPartition,
  { identities, targets }: { readonly identities: Identities; readonly targets: Targets },
  caller: FhirRequest,
): ResolveEntry {
  const resolve = async (entry: TransactionEntry, given: string, known?: ReadonlySet<string>): Promise<string> => {
    const { text, issues } = await resolveLinks(given, {
      known,
      targets,
      base: caller.base,
      fullUrl: asString(entry.value['fullUrl']),
      definitions: engine.model.definitions,
      placeOf: placesOf(entry, given, known === undefined),
      strict: true,
      find,
      elsewhere: name => {
        const type = engine.model.types.get(name);
        return type !== undefined && isStoredElsewhere(type);
      },
    });
    if (issues.length > 0) throw new FhirError(422, issues);
    return text;
  };
  /** What a patch makes of a version is no part of the Bundle, but has the places of a separate patch. */
  const placesOf = ({ index, request }: TransactionEntry, given: string, isOfBundle: boolean): PlaceOfLink =>
    isOfBundle
      ? createLinkPlaces(engine.model, `${entryPath(index)}.resource`, () => JSON.parse(given))
      : createLinkPlaces(engine.model, request.resourceType ?? '', () => JSON.parse(given));
  let ended: Promise<StagedPartition> | undefined;
  const known = new Map<string, Promise<CriteriaMatch>>();
  const find: Find = (type, criteria) => {
    const key = `${type}?${criteria}`;
    ended ??= withResources(engine, partition, identities, targets);
    const recordOf = (url: string) => Promise.resolve(targets.get(url)?.reference);
    const match = known.get(key) ?? ended.then(place => findMatch(engine, place, caller, { type, criteria, recordOf }));
    known.set(key, match);
    return match;
  };
  const isPlain = (text: string): boolean => targets.size === 0 && !mayLead.test(text);
  return {
    resource: async entry => {
      const text = entry.resource()?.text;
      if (text === undefined || isPlain(text)) return undefined;
      const linked = await resolve(entry, text);
      return linked === text ? undefined : linked;
    },
    patched: async (entry, text, before) =>
      isPlain(text) ? text : resolve(entry, text, linksIn(before, engine.model.definitions)),
  };
}

/** A text without such links is not searched for them: most have none. */
const mayLead = /urn:(?:uuid|oid):|"reference":"(?:[^"?]*\/)?[A-Z][A-Za-z]{0,63}\?/;

type Find = (type: string, criteria: string) => Promise<CriteriaMatch>;

/** The partition with the resources of the entries that have a valid structure, before they are decided. */
async function withResources(
  { model }: Pick<Engine, 'model'>,
  partition: StagedPartition,
  identities: Identities,
  targets: Targets,
): Promise<StagedPartition> {
  const ended = partition.copy();
  const turns = new Turns();
  for (const [entry, { type, id, isReplaced }] of identities) {
    if (!isReplaced || ended.has(type, id)) continue;
    await turns.next();
    const resource = entry.resource();
    if (resource === undefined || checkStructure(resource.parsed.value, model, type).length > 0) continue;
    const linked = rewriteLinks(resource.text, model.definitions, ({ text }) => targets.get(text)?.reference);
    await ended.write([{ kind: 'put', type, id, text: splitForStamp(linked, id) }]);
  }
  return ended;
}

/** What a conditional reference finds among the records that the caller may search. */
async function findMatch(
  engine: Engine,
  partition: StagedPartition,
  caller: FhirRequest,
  { type: typeName, criteria, recordOf }: { type: string; criteria: string; recordOf: RecordOf },
): Promise<CriteriaMatch> {
  const type = engine.model.types.get(typeName);
  if (type === undefined) return { kind: 'undeclared' };
  try {
    const place = { partition, extract: engine.extract, base: caller.base };
    const named = { model: engine.model, type: typeName, fullUrl: undefined, recordOf };
    const pairs = await linkPairs(parsePairs(criteria), named);
    const query = await readCriteria(engine, type, caller, partition, { pairs, source });
    const versions = await firstTwo(type, query, place);
    const [found] = versions;
    if (found === undefined) return { kind: 'none' };
    return versions.length === 1 ? { kind: 'one', id: found.id } : { kind: 'many' };
  } catch (error) {
    if (error instanceof FhirError) return { kind: 'bad', issues: error.issues };
    throw error;
  }
}

const source: CriteriaSource = { name: 'the conditional reference', expression: undefined };
