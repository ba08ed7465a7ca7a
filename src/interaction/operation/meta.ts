import { isAllowed } from '../../auth/may.ts';
import { scopeInsufficient } from '../../auth/refusals.ts';
import { restriction } from '../../auth/restrict.ts';
import { asObject } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { fhirError } from '../../fhir/error.ts';
import { parseStored } from '../../fhir/stored-text.ts';
import type { Model, ResourceType } from '../../model/model.ts';
import type { Position, Query } from '../../search/ast.ts';
import type { VersionWithText } from '../../store/port/records.ts';
import { declaredType } from '../declared.ts';
import type { Engine, FhirRequest, FhirResponse, Interaction } from '../interaction.ts';
import { refusePending } from '../pending.ts';
import { refuseCostly, withDeadline } from '../search/deadline.ts';
import { findPage } from '../search/find.ts';
import { anyOrder } from '../search/joined.ts';
import type { Place } from '../search/joined.ts';
import { ofUsedTypes } from '../search/used-types.ts';
import { findVisible } from '../read.ts';
import { readArguments } from './arguments.ts';
import { elementsOf, labelsOf, withLabels } from './meta-labels.ts';
import type { Labels } from './meta-labels.ts';
import { printParameters } from './parameters.ts';

/**
 * `$meta`: the Meta of a record; of a type or the whole system the profiles, security labels and tags of the records
 * that the caller may search. https://hl7.org/fhir/R4/resource-operation-meta.html
 */
export const meta: Interaction = async (engine, request, partition) => {
  readArguments(engine, request);
  const { access, base, resourceType, id } = request;
  if (resourceType !== undefined && id !== undefined) {
    const found = await findVisible(engine, declaredType(engine.model, request), { partition, access, id });
    return answerMeta(found);
  }
  const allowed = resourceType === undefined ? typesOf(engine.model, request) : [declaredType(engine.model, request)];
  const place = { partition: withDeadline(partition, engine.searchDeadline), extract: engine.extract, base };
  const asked = allowed.map(type => ({ type, query: restriction(request.access, type, 's') }));
  const labels = await refuseCostly(labelsOfTypes(engine, asked, request, place));
  return { status: 200, body: printMeta(elementsOf(labels)) };
};

/** The answer with the Meta of a record. */
export function answerMeta(record: VersionWithText): FhirResponse {
  const { version, lastUpdated, text } = record;
  const body = printMeta(asObject(asObject(parseStored(text))['meta']));
  return { status: 200, etag: String(version), lastModified: lastUpdated, body, records: [record] };
}

/** A Meta has content, and a parameter a value: one without labels says that there are none. */
const printMeta = (valueMeta: JsonObject): string =>
  printParameters([{ name: 'return', valueMeta: Object.keys(valueMeta).length === 0 ? withoutContent : valueMeta }]);

/** https://hl7.org/fhir/R4/extension-data-absent-reason.html */
const withoutContent: JsonObject = {
  extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'not-applicable' }],
};

/** The types that the caller may search. Throws FhirError 403 if there is none. */
function typesOf({ types }: Model, { access, base }: FhirRequest): readonly ResourceType[] {
  const allowed = [...types.values()].filter(({ name }) =>
    isAllowed(access, { interaction: 'search-type', resourceType: name }),
  );
  if (allowed.length > 0) return allowed;
  throw scopeInsufficient(base, 'The token has no scope to search records of any type.', []);
}

/** Records that are read for one answer at most. */
const mostRead = 20_000;

/** A type, with the query of its records that the caller may search. */
interface QueriedType {
  readonly type: ResourceType;
  readonly query: Query;
}

async function labelsOfTypes(
  engine: Engine,
  asked: readonly QueriedType[],
  { requestId }: FhirRequest,
  place: Place,
): Promise<Labels> {
  const fault = (error: unknown): void => engine.fault(error, requestId);
  let labels = labelsOf({});
  let read = 0;
  for (const { type, query } of await ofUsedTypes(asked, place)) {
    const search = { type, query, sort: anyOrder, limit: 500 };
    const isAll = query.kind === 'all';
    await refusePending(engine.store.indexes, place.partition.id, { ...search, count: search.limit }, () => isAll);
    let after: Position | undefined;
    do {
      const { versions, next } = await findPage({ ...search, after }, place);
      if ((read += versions.length) > mostRead) throw tooCostly();
      for (const { text = '{}' } of versions) labels = withLabels(labels, labelsIn(text, fault));
      after = next;
    } while (after !== undefined);
  }
  return labels;
}

/** None of a damaged record, which must not prevent the answer. */
function labelsIn(text: string, fault: (error: unknown) => void): Labels {
  try {
    return labelsOf(asObject(parseStored(text))['meta']);
  } catch (error) {
    fault(error);
    return labelsOf({});
  }
}

const tooCostly = () =>
  fhirError(
    403,
    'too-costly',
    `More than ${mostRead} records would have to be read. Call \`$meta\` on a type with fewer records, or on a record.`,
  );
