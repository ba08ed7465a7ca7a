import { isWithin, restriction } from '../../auth/restrict.ts';
import { notToBeWritten } from '../../auth/refusals.ts';
import { attachmentPlaces, checkAttached, readContents } from '../../attachment/content.ts';
import type { Content } from '../../attachment/content.ts';
import { cutBody } from '../../attachment/cut.ts';
import { isObject } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { FhirError, fhirError } from '../../fhir/error.ts';
import { compactJson } from '../../fhir/json.ts';
import type { ParsedJson } from '../../fhir/json.ts';
import type { Issue } from '../../fhir/outcome.ts';
import { withoutProperty } from '../../fhir/edit-text.ts';
import type { ResourceType } from '../../model/model.ts';
import { checkBinaries } from '../../validation/binaries.ts';
import { weighing } from '../../validation/policy.ts';
import type { ValidationIssue } from '../../validation/profile/findings.ts';
import { findReferences } from '../../validation/references.ts';
import { firstOf, shorten } from '../../validation/report.ts';
import { inTurn } from '../../validation/turns.ts';
import type { Engine } from '../interaction.ts';
import { parseBody, pathOf, requireLength } from './body.ts';
import { mostIssues, validationBudget } from './budget.ts';
import { checkReferences } from './references.ts';
import type { RecordPlace } from './references.ts';
import { fillServerSet } from './server-set.ts';

/** What is to be stored of a body. */
export interface CheckedRecord {
  /** Compact, without attachments, with what the server sets. */
  readonly text: string;
  readonly contents: readonly Content[];
  /** Warnings and notes: nothing that keeps it from being stored. */
  readonly told: readonly Issue[];
}

/**
 * Reads the body of a write as a record of a type and checks all of it before anything is stored: strict JSON, structure
 * (400), what the caller may write (403), then what `validation-policy` says of R4's rules and profiles, references and
 * attachments (422); everything that is wrong is told at once. Attachments are decoded within `body`, which is overwritten.
 * Throws FhirError, also 413. https://hl7.org/fhir/R4/http.html#create
 */
export async function readRecord(
  engine: Engine,
  type: ResourceType,
  body: Buffer,
  place: RecordPlace,
): Promise<CheckedRecord> {
  const { model, maxBody } = engine;
  const { attachment } = type;
  const path = pathOf(attachment);
  const { rest, spans } = attachment === undefined ? { rest: body, spans: [] } : cutBody(body, path);
  requireLength(rest, maxBody, attachment);
  const { text, parsed } = parseBody(rest, type.name);
  const resource = resourceOf(parsed.value, type.name);

  const { structure, rules, told } = await validate(engine, type, resource, parsed);
  if (structure.length === 0) refuseOutside(engine, type, text, place);
  const places = attachment === undefined ? [] : attachmentPlaces(resource, attachment);
  let contents: readonly Content[] = [];
  if (attachment !== undefined) {
    for (const place of places) rules.push(...checkAttached(place, attachment));
    contents = await readContents(body, spans, places, attachment, { structure, rules });
  }
  rules.push(...checkBinaries(resource, type, model, new Set(places.map(({ owner }) => owner))));
  const references = findReferences(resource, type, model);
  rules.push(...(await checkReferences(engine, type, references, resource, place)));
  refuse(structure, rules, told);

  const { settings } = place.partition;
  const compact = compactJson(text);
  const kept = spans.length === 0 ? compact : withoutProperty(compact, path);
  const times = { now: engine.now(), zone: settings.zone };
  return { text: fillServerSet(kept, resource, type, model.definitions, times), contents, told };
}

/** What the definitions say of a resource: what is wrong with its structure, what else is refused, and what is only told. */
async function validate(
  engine: Engine,
  type: ResourceType,
  resource: JsonObject,
  { decimals }: ParsedJson,
): Promise<{ readonly structure: Issue[]; readonly rules: Issue[]; readonly told: readonly Issue[] }> {
  const profiles = type.profile === undefined ? [] : [type.profile];
  const validator = await engine.validator();
  const weigh = weighing(type, { occasion: 'create' });
  const options = { type: type.name, profiles, decimals, weigh, limit: mostIssues, budget: validationBudget };
  const issues = await inTurn(() => validator.validateWithServer(resource, options));
  const errors = issues.filter(({ severity }) => severity === 'error');
  return {
    structure: errors.filter(isOfStructure),
    rules: errors.filter(issue => !isOfStructure(issue)),
    told: issues.filter(({ severity }) => severity !== 'error'),
  };
}

/** Findings of profiles and of R4's own rules name what asked; those of the structure check do not. */
const isOfStructure = ({ rule }: ValidationIssue): boolean => rule === undefined;

/** Throws FhirError 403 where the record, as it would be, is none that the caller may write. */
function refuseOutside(
  { extract, now }: Engine,
  type: ResourceType,
  text: string,
  { access, partition, base }: RecordPlace,
): void {
  const record = { id: '', lastUpdated: now(), text };
  if (!isWithin(restriction(access, type, 'c'), type, record, extract, partition))
    throw notToBeWritten(base, type.name);
}

/** https://hl7.org/fhir/R4/http.html#create: the body is a resource of the type that the URL names. */
function resourceOf(value: unknown, typeName: string): JsonObject {
  const given = isObject(value) ? value['resourceType'] : undefined;
  if (isObject(value) && given === typeName) return value;
  const what = typeof given === 'string' ? `\`${shorten(given)}\`` : 'no resource with a `resourceType`';
  throw fhirError(
    400,
    'structure',
    `The URL takes a resource of type ${typeName}; the body is ${what}.`,
    'resourceType',
  );
}

/**
 * Throws where anything is wrong, with all that is to be mended, each thing once: 400 where the structure is, else 422. Of what
 * is only told, no more than that not all is listed.
 */
function refuse(structure: readonly Issue[], rules: readonly ValidationIssue[], told: readonly Issue[]): void {
  if (structure.length + rules.length === 0) return;
  const cut = told.filter(({ code }) => code === 'incomplete');
  const wrong = firstOf([...eachOnce(structure, rules), ...cut], mostIssues);
  throw new FhirError(structure.length > 0 ? 400 : 422, wrong);
}

/**
 * Leaves out what is told of the same place already: what attachments and references lack, profiles ask for too.
 */
function eachOnce(structure: readonly Issue[], rules: readonly ValidationIssue[]): readonly Issue[] {
  const keyOf = ({ code, expression = '' }: Issue): string => `${code} ${expression}`;
  const wrong = new Map(structure.map(issue => [keyOf(issue), issue]));
  const asked = rules.filter(issue => !isOfStructure(issue));
  const seen = new Set(asked.map(keyOf));
  const others = rules.filter(issue => isOfStructure(issue) && !seen.has(keyOf(issue)));
  return [...wrong.values(), ...asked, ...new Map(others.map(issue => [keyOf(issue), issue])).values()];
}
