import { attachmentPlaces, readContents } from '../../attachment/content.ts';
import { isAllowed } from '../../auth/may.ts';
import { asString, isObject } from '../../fhir/json-object.ts';
import { FhirError, fhirError } from '../../fhir/error.ts';
import { operationOutcome } from '../../fhir/outcome.ts';
import type { Issue } from '../../fhir/outcome.ts';
import { readStored } from '../../fhir/stored-text.ts';
import type { ResourceType } from '../../model/model.ts';
import type { StoredVersion } from '../../store/records.ts';
import { severityOfRule, severityFor } from '../../validation/policy.ts';
import type { Weigh } from '../../validation/profile/findings.ts';
import { limitIssues, shorten } from '../../validation/report.ts';
import { declaredType } from '../declared.ts';
import type { Engine, FhirRequest, Interaction } from '../interaction.ts';
import { findVisible } from '../visible.ts';
import { cutAttachments } from '../write/body.ts';
import { readClientRecord } from '../write/client-record.ts';
import type { RecordPlace } from '../write/references.ts';
import { mostIssues, validateInTurn } from '../write/validate-in-turn.ts';
import { readValidateRequest } from './validate-request.ts';
import type { GivenResource, Mode, ValidateRequest } from './validate-request.ts';

/**
 * `$validate`: 200 with an OperationOutcome, be the resource valid or not. On a type the resource that is sent; on an instance the
 * one that is here, or the one that is sent as an update of it. Throws FhirError 400 for what is no call of it, 404 and 410 as a
 * read of the instance does. https://hl7.org/fhir/R4/resource-operation-validate.html
 */
export const validate: Interaction = async (engine, request, partition) => {
  const type = declaredType(engine.model, request);
  const asked = readValidateRequest(engine, type, request);
  const here =
    request.id === undefined ? undefined : await findVisible(engine, type, { ...request, partition, id: request.id });
  requireFitting(asked, type, here !== undefined);
  await requireProfile(engine, asked.profile);
  const issues = [
    ...refusalsOf(asked, type, request),
    ...(asked.mode === 'delete' ? [] : await contentIssues(engine, type, asked, { ...request, partition }, here)),
  ];
  const outcome = operationOutcome(issues.length === 0 ? [allGood] : limitIssues(issues, mostIssues));
  return { status: 200, body: JSON.stringify(outcome), ...(here === undefined ? {} : { records: [here] }) };
};

const allGood: Issue = { severity: 'information', code: 'informational', text: 'Nothing is wrong.' };

/** Throws FhirError 400 where a mode does not go with what is asked about, or there is nothing to validate. */
function requireFitting({ mode, resource }: ValidateRequest, { name }: ResourceType, isInstance: boolean): void {
  const of = `\`${name}/{id}/$validate\``;
  const refuse = (text: string, parameter = 'mode'): never => {
    throw fhirError(400, 'invalid', text, `http.${parameter}`);
  };
  if (!isInstance) {
    if (mode !== undefined && mode !== 'create')
      refuse(`\`mode=${mode}\` is about a resource that is here: ask ${of}.`);
    if (resource === undefined)
      refuse('Send the resource that is to be validated, or Parameters that hold it.', 'body');
    return;
  }
  if (mode === 'create') refuse(`\`mode=create\` is about a resource that is not here yet: ask \`${name}/$validate\`.`);
  if (mode === 'update' && resource === undefined)
    refuse('`mode=update` needs the resource as it would become.', 'body');
  if (mode === 'profile' && resource !== undefined)
    refuse('`mode=profile` is about the resource that is here: send none with it.', 'body');
}

/** "If a profile is nominated, and the server cannot validate against it, it SHALL return an error." */
async function requireProfile({ validator }: Engine, profile: string | undefined): Promise<void> {
  if (profile === undefined || (await validator()).knows(profile)) return;
  const text = `No profile \`${shorten(profile)}\` is loaded here, so nothing can be held against it.`;
  throw fhirError(400, 'not-supported', text, 'http.profile');
}

/** Why the server would not do what the mode is about, whatever the resource. */
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

/** What is wrong with the resource that is sent, or else with the one that is here. */
async function contentIssues(
  engine: Engine,
  type: ResourceType,
  asked: ValidateRequest,
  place: RecordPlace,
  here: Here | undefined,
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

/** What is wrong with the content that was cut out: its base64, and what is said of it. What types are taken is for a create. */
async function attachmentIssues(type: ResourceType, { value, body }: GivenResource): Promise<readonly Issue[]> {
  const { attachment } = type;
  if (attachment === undefined) return [];
  const { spans } = cutAttachments(body, type);
  const report = { structure: [] as Issue[], rules: [] as Issue[] };
  await readContents(body, spans, attachmentPlaces(value, attachment), attachment, report);
  return [...report.structure, ...report.rules.filter(({ code }) => code === 'value')];
}

type Here = StoredVersion & { readonly text: string };

/** A create counts findings by the policy of the type; otherwise each counts as its rule says. */
const weighFor = (type: ResourceType, mode: Mode | undefined, keptApart: boolean): Weigh =>
  mode === 'create' ? severityFor(type, { occasion: 'create' }) : severityOfRule(type, keptApart);

/** https://hl7.org/fhir/R4/http.html#update: the id is that of the URL. */
function otherId(value: unknown, { id, type }: Here): readonly Issue[] {
  const given = isObject(value) ? value['id'] : undefined;
  if (given === id) return [];
  const text = `The id of the resource must be \`${id}\`, as in the URL, not ${given === undefined ? 'left out' : `\`${shorten(asString(given) ?? '')}\``}.`;
  return [{ severity: 'error', code: 'value', text, expression: `${type}.id` }];
}

/** What a create would refuse beside what is told already: references that lead nowhere, attachments, what is not the caller's. */
async function asCreate(
  engine: Engine,
  type: ResourceType,
  { body }: GivenResource,
  place: RecordPlace,
  told: readonly Issue[],
): Promise<readonly Issue[]> {
  // Whoever may not create learns nothing of what a create would find here.
  if (!type.interactions.has('create') || !isAllowed(place.access, { interaction: 'create', resourceType: type.name }))
    return [];
  try {
    await readClientRecord(engine, type, body, place);
    return [];
  } catch (error) {
    if (!(error instanceof FhirError) || error.status >= 500) throw error;
    const seen = new Set(told.map(keyOf));
    return error.issues.filter(issue => !seen.has(keyOf(issue)));
  }
}

const keyOf = ({ code, expression = '', rule = '' }: Issue): string => `${code} ${expression} ${rule}`;
