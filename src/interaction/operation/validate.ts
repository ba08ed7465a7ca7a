import { attachmentPlaces, readContents } from '../../attachment/content.ts';
import { isAllowed } from '../../auth/may.ts';
import { asObject, asString, isObject, stringsOf } from '../../fhir/json-object.ts';
import { FhirError, fhirError } from '../../fhir/error.ts';
import { operationOutcome } from '../../fhir/outcome.ts';
import type { Issue } from '../../fhir/outcome.ts';
import { readStored } from '../../fhir/stored-text.ts';
import type { ResourceType } from '../../model/model.ts';
import type { VersionWithText } from '../../store/port/records.ts';
import { severityOfRule, severityFor } from '../../validation/policy.ts';
import type { Weigh } from '../../validation/profile/findings.ts';
import { limitIssues, shorten } from '../../validation/report.ts';
import { declaredType } from '../declared.ts';
import { refuseReferred } from '../delete/referrers.ts';
import type { Engine, FhirRequest, Interaction } from '../interaction.ts';
import { findVisible } from '../read.ts';
import { cutAttachments } from '../write/body.ts';
import { readClientRecord } from '../write/client-record.ts';
import { currentOf } from '../write/current.ts';
import type { RecordPlace } from '../write/references.ts';
import { mostIssues, validateInTurn } from '../write/client-context.ts';
import { readValidateRequest } from './validate-request.ts';
import type { GivenResource, Mode, ValidateRequest } from './validate-request.ts';

/**
 * `$validate`: 200 with an OperationOutcome, whether the resource is valid or not. On a type for the sent resource; on
 * an instance for the stored one, or the sent one as its update. Validation of sent content reveals nothing about
 * stored records, so that a caller who may read or create the type may call it; validation of a stored record is a
 * read. https://hl7.org/fhir/R4/resource-operation-validate.html
 */
export const validate: Interaction = async (engine, request, partition) => {
  const type = declaredType(engine.model, request);
  const asked = readValidateRequest(engine, type, request);
  const here =
    request.id === undefined ? undefined : await findVisible(engine, type, { ...request, partition, id: request.id });
  requireFitting(asked, type, here !== undefined);
  await requireProfile(engine, asked.profile);
  const refusals = refusalsOf(asked, type, request);
  const further =
    asked.mode === 'delete'
      ? // A caller who may not delete must not learn what a delete would find.
        await (refusals.length > 0 ? [] : deleteIssues(engine, type, request, here))
      : await contentIssues(engine, type, asked, { ...request, partition, letter: 'c' }, here);
  const issues = [...refusals, ...further];
  const named = asked.mode === 'delete' ? [] : appliedProfiles(engine, type, asked, here);
  const outcome = operationOutcome([...(issues.length === 0 ? [allGood] : limitIssues(issues, mostIssues)), ...named]);
  return { status: 200, body: JSON.stringify(outcome), ...(here === undefined ? {} : { records: [here] }) };
};

const allGood: Issue = { severity: 'information', code: 'informational', text: 'No issues.' };

/** A note that names the profiles by which a resource was validated: of the call, of its type, and those it claims. */
function appliedProfiles(
  { definitions }: Engine,
  type: ResourceType,
  { profile, resource }: ValidateRequest,
  here: VersionWithText | undefined,
): readonly Issue[] {
  const content = resource === undefined ? readStored(here?.text ?? '{}').value : resource.value;
  const claimed = stringsOf(asObject(asObject(content)['meta'])['profile']);
  const found = [...new Set([profile, type.profile, ...claimed])].flatMap(canonical => {
    const one = canonical === undefined ? undefined : definitions.find('StructureDefinition', canonical);
    return one === undefined ? [] : [`\`${one.version === undefined ? one.url : `${one.url}|${one.version}`}\``];
  });
  if (found.length === 0) return [];
  return [{ severity: 'information', code: 'informational', text: `Validated by ${found.join(', ')}.` }];
}

/** Throws FhirError 400 if a mode does not fit the call, or there is nothing to validate. */
function requireFitting({ mode, resource }: ValidateRequest, { name }: ResourceType, isInstance: boolean): void {
  const of = `\`${name}/{id}/$validate\``;
  const refuse = (text: string, parameter = 'mode'): never => {
    throw fhirError(400, 'invalid', text, `http.${parameter}`);
  };
  if (!isInstance) {
    if (mode !== undefined && mode !== 'create') refuse(`\`mode=${mode}\` is for a stored resource: call it on ${of}.`);
    if (resource === undefined) refuse('Send the resource to validate, or Parameters with it.', 'body');
    return;
  }
  if (mode === 'create') refuse(`\`mode=create\` is for a new resource: call \`${name}/$validate\`.`);
  if (mode === 'update' && resource === undefined)
    refuse('`mode=update` requires the new content of the resource.', 'body');
  if (mode === 'profile' && resource !== undefined)
    refuse('`mode=profile` is for the stored resource: send none.', 'body');
}

/** "If a profile is nominated, and the server cannot validate against it, it SHALL return an error." */
async function requireProfile({ validator }: Engine, profile: string | undefined): Promise<void> {
  if (profile === undefined || (await validator()).knows(profile)) return;
  const text = `No profile \`${shorten(profile)}\` is loaded, so the resource cannot be validated against it.`;
  throw fhirError(400, 'not-supported', text, 'http.profile');
}

/** Why the server would reject the interaction of the mode, whatever the resource. */
function refusalsOf({ mode }: ValidateRequest, type: ResourceType, { access }: FhirRequest): readonly Issue[] {
  if (mode === undefined || mode === 'profile') return [];
  if (!type.interactions.has(mode)) {
    return [
      { severity: 'error', code: 'not-supported', text: `The interaction ${mode} of ${type.name} is not supported.` },
    ];
  }
  if (isAllowed(access, { interaction: mode, resourceType: type.name })) return [];
  return [{ severity: 'error', code: 'forbidden', text: `The token has no scope for ${mode} of ${type.name}.` }];
}

/** The issues with which a DELETE of the record would be refused: for the caller's rights, and for its referrers. */
async function deleteIssues(
  engine: Engine,
  type: ResourceType,
  request: FhirRequest,
  found: VersionWithText | undefined,
): Promise<readonly Issue[]> {
  try {
    const current = await currentOf(engine, type, request, { letter: 'd', found });
    if (current.is !== 'record' || type.deletePolicy !== 'refuse') return [];
    const ids = [current.version.id];
    await refuseReferred(engine, request, type, { ids, deleted: ids });
    return [];
  } catch (error) {
    if (!(error instanceof FhirError) || error.status >= 500) throw error;
    return error.issues;
  }
}

/** The issues of the sent resource, or else of the stored one. */
async function contentIssues(
  engine: Engine,
  type: ResourceType,
  asked: ValidateRequest,
  place: RecordPlace,
  here: VersionWithText | undefined,
): Promise<readonly Issue[]> {
  const { resource, mode } = asked;
  const what = resource ?? (here === undefined ? undefined : readStored(here.text));
  if (what === undefined) return [];
  const weigh = weighFor(type, mode, resource === undefined);
  const issues = await validateInTurn(engine, type, what, weigh, asked.profile === undefined ? [] : [asked.profile]);
  if (resource === undefined) return issues;
  if (mode === 'create') return [...issues, ...(await asCreate(engine, type, resource, place, issues))];
  const id = here === undefined ? [] : otherId(what.value, here);
  return [...id, ...issues, ...(await attachmentIssues(type, resource))];
}

/**
 * The issues of the content that was cut out: its base64, and its metadata. A create checks the accepted media types.
 */
async function attachmentIssues(type: ResourceType, { value, body }: GivenResource): Promise<readonly Issue[]> {
  const { attachment } = type;
  if (attachment === undefined) return [];
  const { spans } = cutAttachments(body, type);
  const report = { structure: [] as Issue[], rules: [] as Issue[] };
  await readContents(body, spans, attachmentPlaces(value, attachment), attachment, report);
  return [...report.structure, ...report.rules.filter(({ code }) => code === 'value')];
}

/** A create uses the severities of the type's policy; other modes those of the rules. */
const weighFor = (type: ResourceType, mode: Mode | undefined, keptApart: boolean): Weigh =>
  mode === 'create' ? severityFor(type, { occasion: 'create' }) : severityOfRule(type, keptApart);

/** https://hl7.org/fhir/R4/http.html#update: the id is that of the URL. */
function otherId(value: unknown, { id, type }: VersionWithText): readonly Issue[] {
  const given = isObject(value) ? value['id'] : undefined;
  if (given === id) return [];
  const text =
    `The id of the resource must be \`${id}\`, as in the URL, not ` +
    `${given === undefined ? 'absent' : `\`${shorten(asString(given) ?? '')}\``}.`;
  return [{ severity: 'error', code: 'value', text, expression: `${type}.id` }];
}

/** The further issues of a create: unresolved references, attachments, records that the caller may not write. */
async function asCreate(
  engine: Engine,
  type: ResourceType,
  { body }: GivenResource,
  place: RecordPlace,
  reported: readonly Issue[],
): Promise<readonly Issue[]> {
  // A caller who may not create must not learn what a create would find.
  if (!type.interactions.has('create') || !isAllowed(place.access, { interaction: 'create', resourceType: type.name }))
    return [];
  try {
    await readClientRecord(engine, type, body, { ...place, id: '', bodyId: 'ignored', former: undefined });
    return [];
  } catch (error) {
    if (!(error instanceof FhirError) || error.status >= 500) throw error;
    const seen = new Set(reported.map(keyOf));
    return error.issues.filter(issue => !seen.has(keyOf(issue)));
  }
}

const keyOf = ({ code, expression = '', rule = '' }: Issue): string => `${code} ${expression} ${rule}`;
