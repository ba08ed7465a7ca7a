import { storedTypes } from '../../definitions/definition.ts';
import { checkStored, definitionConflict } from '../../validation/definition/check-stored.ts';
import { recordNotWritable } from '../../auth/refusals.ts';
import { isWritable } from '../../auth/may.ts';
import { attachmentPlaces } from '../../attachment/content.ts';
import { unsentContent } from '../../attachment/unsent.ts';
import type { Unsent } from '../../attachment/unsent.ts';
import { asString, isObject } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { FhirError, fhirError } from '../../fhir/error.ts';
import type { Issue } from '../../fhir/outcome.ts';
import { parseStored } from '../../fhir/stored-text.ts';
import type { ParsedJson } from '../../fhir/json.ts';
import { ownersIn } from '../../indexing/owners.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Requirement, VersionWithText } from '../../store/port/records.ts';
import { checkBinaries, findReferences } from '../../validation/walk.ts';
import type { FoundReference } from '../../validation/walk.ts';
import type { ValidationIssue } from '../../validation/profile/findings.ts';
import { limitIssues, shorten } from '../../validation/report.ts';
import type { Engine, ParsedText } from '../interaction.ts';
import { contextOf, mostIssues } from './client-context.ts';
import type { WriteContext } from './context.ts';
import { checkRecord, cutRecord, isOfStructure } from './record.ts';
import type { CheckedRecord } from './record.ts';
import { checkReferences, checksReferences, containedIds, requiredTargets } from './references.ts';
import type { RecordPlace } from './references.ts';
import { fillServerSet } from './server-set.ts';

/** The record of a body, checked. */
export interface ClientRecord extends Pick<CheckedRecord, 'text' | 'resource' | 'parsed' | 'contents'> {
  /** Warnings and notes, which do not reject it. */
  readonly warnings: readonly Issue[];
  /** What its write requires, so that the references that the version before does not have still hold. */
  readonly requires: readonly Requirement[];
}

/** The destination of a record. */
export interface ClientPlace extends RecordPlace {
  /** Empty for a new one. */
  readonly id: string;
  /** Whether the body must have this id, may have no other, or whether its own is ignored. */
  readonly bodyId: 'required' | 'optional' | 'ignored';
  /** The version that it replaces; undefined if it creates a record. */
  readonly former: FormerVersion | undefined;
  /** The parsed body without its attachments, if the caller has it. */
  readonly parsed?: ParsedText | undefined;
  /** Undefined: that of a separate request. */
  readonly context?: WriteContext | undefined;
}

export type FormerVersion = VersionWithText;

/**
 * Parses and checks the body of a client as a record of a type before anything is stored: strict JSON, structure (400),
 * the caller's rights (403), then R4's rules and profiles by the `validation-policy`, references and attachments (422);
 * all errors are reported together. Attachments are decoded within `body`, which is overwritten. Throws FhirError, also
 * 413. https://hl7.org/fhir/R4/http.html#create
 */
export async function readClientRecord(
  engine: Engine,
  type: ResourceType,
  body: Buffer,
  place: ClientPlace,
): Promise<ClientRecord> {
  const { model, maxBody } = engine;
  const { attachment } = type;
  const cut = cutRecord(type, body, place.parsed, maxBody);
  const resource = resourceOf(cut.parsed.value, type.name);
  requireId(resource, place, type.name);
  const { context = contextOf(engine, {}) } = place;
  const checked = await checkRecord(context, cut, place.former !== undefined);
  const { found, structure, rules, ...record } = checked;
  if (!found.some(issue => issue.severity === 'error' && isOfStructure(issue)))
    requireWritable(engine, type, cut.text, place);
  const places = attachment === undefined ? [] : attachmentPlaces(resource, attachment);
  const binaries = checkBinaries(resource, type, model, new Set(places.map(({ owner }) => owner)));
  const added = newReferences(resource, type, engine, place);
  const id = place.letter === 'c' ? undefined : place.id;
  const defined = storedTypes.has(type.name) ? checkStored(resource, id, engine) : [];
  const references = await referenceIssues(engine, type, added, resource, place);
  const warnings = found.filter(({ severity }) => severity !== 'error');
  refuse(
    structure,
    [...rules, ...defined, ...binaries, ...references, ...attachedTo(type, record, place).issues],
    warnings,
  );
  return { ...record, warnings, requires: requiredTargets(engine, type, added, place) };
}

/**
 * The issues of the references that the version before does not have. In a transaction they are checked at its end,
 * since other entries may create or delete what they refer to.
 */
async function referenceIssues(
  engine: Engine,
  type: ResourceType,
  added: readonly FoundReference[],
  resource: JsonObject,
  place: ClientPlace,
): Promise<readonly Issue[]> {
  if (added.length === 0) return [];
  const contained = containedIds(resource);
  const { base, access, partition, letter, context } = place; // the rest of it may be large, and the check comes late
  const check = (): Promise<readonly Issue[]> =>
    checkReferences(engine, type, added, contained, { base, access, partition, letter });
  if (context?.atEnd === undefined) return check();
  context.atEnd(async () => {
    const issues = await check();
    if (issues.length > 0) throw new FhirError(422, issues);
  });
  return [];
}

/** Throws FhirError 422 if a reference that the version before does not have is missing by now. */
export async function requireReferences(
  engine: Engine,
  type: ResourceType,
  { resource }: ClientRecord,
  place: ClientPlace,
): Promise<void> {
  const added = newReferences(resource, type, engine, place);
  const issues = await checkReferences(engine, type, added, containedIds(resource), place);
  if (issues.length > 0) throw new FhirError(422, issues);
}

/**
 * The references to check: those that the version before does not have, since the others are not the writer's doing.
 */
function newReferences(
  resource: JsonObject,
  type: ResourceType,
  { model }: Pick<Engine, 'model'>,
  { former, access }: Pick<ClientPlace, 'former' | 'access'>,
): readonly FoundReference[] {
  if (!checksReferences(type, access)) return [];
  const found = findReferences(resource, type, model);
  const before = former === undefined ? undefined : parseStored(former.text);
  if (!isObject(before)) return found;
  const known = new Set(findReferences(before, type, model).map(({ text }) => text));
  return found.filter(({ text }) => !known.has(text));
}

/**
 * A record that was checked beside another version before, or none, checked beside the current one. Throws as
 * `readClientRecord`. A body with attachments is not read again: it was overwritten.
 */
export async function recheckClientRecord(
  engine: Engine,
  type: ResourceType,
  { body, record }: { readonly body: Buffer; readonly record: ClientRecord },
  place: ClientPlace,
): Promise<ClientRecord> {
  // Without content it was checked beside a version that has some.
  if (place.former === undefined && record.contents.length === 0) return readClientRecord(engine, type, body, place);
  requireId(record.resource, place, type.name);
  const added = newReferences(record.resource, type, engine, place);
  return { ...record, requires: requiredTargets(engine, type, added, place) };
}

/** What a checked record is stored with after the version before: its text, and its attachments if none were sent. */
export interface SettledRecord {
  /** With the elements that the server sets. */
  readonly text: string;
  /** Undefined: those of the version before. */
  readonly attachments: readonly [] | undefined;
  /** The parsed text, if it is known. */
  readonly parsed: ParsedJson | undefined;
  /** The owners (indexing/owners.ts); undefined for a type without access links. */
  readonly owners: readonly string[] | undefined;
}

/**
 * What is stored of a checked record. Throws FhirError 403 and 422 if the version before, which may have changed since
 * the checks, does not allow it.
 */
export function settleRecord(
  engine: Engine,
  type: ResourceType,
  record: ClientRecord,
  place: ClientPlace,
): SettledRecord {
  const { former, partition } = place;
  requireWritable(engine, type, record.text, place);
  const { attachments, issues } = attachedTo(type, record, place);
  if (issues.length > 0) throw new FhirError(422, issues);
  const values = {
    now: engine.now(),
    zone: partition.settings.zone,
    former: former && (() => parseStored(former.text)),
  };
  const text = fillServerSet(record.text, record.resource, type, engine.model.definitions, values);
  const parsed = text === record.text ? record.parsed : undefined;
  return { text, attachments, parsed, owners: ownersIn(engine.extract, type, { text, parsed }, partition) };
}

/** The attachments of an update that has no content. */
function attachedTo(
  { attachment }: ResourceType,
  { resource, contents }: Pick<ClientRecord, 'resource' | 'contents'>,
  { former }: Pick<ClientPlace, 'former'>,
): Unsent {
  if (attachment === undefined || former === undefined || contents.length > 0)
    return { attachments: undefined, issues: [] };
  return unsentContent(resource, parseStored(former.text), attachment);
}

/** Throws FhirError 403 if the caller may not write the record, as it is and as it would be stored. */
function requireWritable(
  { model, extract, now }: Engine,
  type: ResourceType,
  text: string,
  { access, letter, id, former, partition, base }: ClientPlace,
): void {
  const change = { before: former, after: { id, lastUpdated: now(), text } };
  if (!isWritable(access, type, letter, change, { model, extract, base, partition }))
    throw recordNotWritable(base, type.name);
}

/** https://hl7.org/fhir/R4/http.html#update: the body has the id of the URL, or of the match. */
function requireId({ id: given }: JsonObject, { id, bodyId }: ClientPlace, typeName: string): void {
  if (given === id || bodyId === 'ignored' || (bodyId === 'optional' && given === undefined)) return;
  const other = given === undefined ? 'absent' : `\`${shorten(asString(given) ?? '')}\``;
  const where = bodyId === 'required' ? 'as in the URL' : 'as of the record that matches';
  throw fhirError(400, 'value', `The id of the resource must be \`${id}\`, ${where}, not ${other}.`, `${typeName}.id`);
}

/** https://hl7.org/fhir/R4/http.html#create: the body is a resource of the type that the URL names. */
function resourceOf(value: unknown, typeName: string): JsonObject {
  const given = isObject(value) ? value['resourceType'] : undefined;
  if (isObject(value) && given === typeName) return value;
  const what = typeof given === 'string' ? `\`${shorten(given)}\`` : 'a resource without a `resourceType`';
  throw fhirError(
    400,
    'structure',
    `The URL takes a resource of type ${typeName}; the body is ${what}.`,
    'resourceType',
  );
}

/**
 * Throws with all errors, each once: 400 for errors of structure, else 422, or 409 for a definition that exists.
 * Warnings are omitted if there are errors, with a note if the list is cut.
 */
function refuse(structure: readonly Issue[], rules: readonly ValidationIssue[], warnings: readonly Issue[]): void {
  if (structure.length + rules.length === 0) return;
  const cut = warnings.filter(({ code }) => code === 'incomplete');
  const wrong = limitIssues([...eachOnce(structure, rules), ...cut], mostIssues);
  const status = rules.some(({ rule }) => rule === definitionConflict) ? 409 : 422;
  throw new FhirError(structure.length > 0 ? 400 : status, wrong);
}

/** Removes duplicates at the same place: attachments and references that are missing are also findings of profiles. */
function eachOnce(structure: readonly Issue[], rules: readonly ValidationIssue[]): readonly Issue[] {
  const keyOf = ({ code, expression = '' }: Issue): string => `${code} ${expression}`;
  const wrong = new Map(structure.map(issue => [keyOf(issue), issue]));
  const asked = rules.filter(issue => !isOfStructure(issue));
  const seen = new Set(asked.map(keyOf));
  const others = rules.filter(issue => isOfStructure(issue) && !seen.has(keyOf(issue)));
  return [...wrong.values(), ...asked, ...new Map(others.map(issue => [keyOf(issue), issue])).values()];
}
