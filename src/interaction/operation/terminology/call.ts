import { FhirError, fhirError } from '../../../fhir/error.ts';
import { asObject, asString, objectsOf } from '../../../fhir/json-object.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import type { IssueCode } from '../../../fhir/outcome.ts';
import { Budget } from '../../../fhirpath/evaluate/environment.ts';
import type { CodeSystem } from '../../../terminology/code-system.ts';
import { CALL_STEPS } from '../../../terminology/expansion.ts';
import { largeSystemsOf } from '../../../terminology/large/registry.ts';
import { isTag, parseLanguages } from '../../../terminology/languages.ts';
import type { Languages } from '../../../terminology/languages.ts';
import type { Partition } from '../../../store/port/partitions.ts';
import { createService, findSupplement, withResources } from '../../../terminology/service.ts';
import type { TerminologyService } from '../../../terminology/service.ts';
import { atDate } from '../../../terminology/source.ts';
import type { TerminologySource } from '../../../terminology/source.ts';
import type { NotExpandedKind } from '../../../terminology/members.ts';
import { versionRules } from '../../../terminology/versions.ts';
import { shorten } from '../../../validation/report.ts';
import type { Engine, FhirRequest } from '../../interaction.ts';
import type { Arguments } from '../arguments.ts';

/** The kinds of problems of terminology services. https://hl7.org/fhir/tools/CodeSystem-tx-issue-type.html */
const issueTypes = 'http://hl7.org/fhir/tools/CodeSystem/tx-issue-type';

export const issueType = (code: string): { readonly system: string; readonly code: string } => ({
  system: issueTypes,
  code,
});

/** An error with the kind of problem that terminology clients read. */
export const terminologyError = (
  status: number,
  code: IssueCode,
  kind: string,
  text: string,
  expression?: string,
): FhirError =>
  new FhirError(status, [
    { severity: 'error', code, text, kind: issueType(kind), ...(expression === undefined ? {} : { expression }) },
  ]);

/** Most resources of `tx-resource` in a call. */
const mostResources = 100;

/** The definitions of a call: those that it sends (`tx-resource`) above the loaded ones, as they were at its `date`. */
export function sourceOf(
  engine: Pick<Engine, 'definitions'>,
  given: Arguments,
  inline?: JsonObject,
): TerminologySource {
  const sent = [...given.all('tx-resource').map(asObject), ...(inline === undefined ? [] : [inline])];
  if (sent.length > mostResources)
    throw fhirError(
      400,
      'too-costly',
      `Send at most ${mostResources} resources as \`tx-resource\`.`,
      'http.tx-resource',
    );
  const date = given.text('date');
  const source = date === undefined ? engine.definitions : atDate(engine.definitions, date);
  return withResources(source, sent);
}

/** What a call reads from. */
export interface CallOf {
  readonly engine: Pick<Engine, 'store'>;
  readonly partition: Pick<Partition, 'id'>;
  readonly source: TerminologySource;
}

/**
 * The service of a call: with its version rules, and the supplements that it or the value set asks for. Throws
 * FhirError 422 for an unknown supplement.
 */
export async function serviceOf(
  { engine, partition, source }: CallOf,
  given: Arguments,
  valueSet: JsonObject | undefined,
): Promise<TerminologyService> {
  const budget = new Budget(CALL_STEPS);
  const versions = {
    defaults: [...given.texts('system-version'), ...expansionParameters(valueSet, 'system-version')],
    checks: [...given.texts('check-system-version'), ...expansionParameters(valueSet, 'check-system-version')],
    forced: [...given.texts('force-system-version'), ...expansionParameters(valueSet, 'force-system-version')],
  };
  const wanted = new Set([
    ...given.texts('useSupplement'),
    ...objectsOf(valueSet?.['extension'])
      .filter(({ url }) => url === supplementExtension)
      .flatMap(one => asString(one['valueCanonical']) ?? []),
  ]);
  const rules = versionRules(versions);
  const setVersions = given.texts('default-valueset-version');
  return createService(source, {
    rules,
    setVersions,
    large: await largeSystemsOf(engine.store, partition.id),
    supplements: Array.from(wanted, canonical => requireSupplement(source, canonical)),
    spend: steps => budget.spend(steps),
  });
}

/** https://hl7.org/fhir/R4/extension-valueset-supplement.html */
const supplementExtension = 'http://hl7.org/fhir/StructureDefinition/valueset-supplement';

function requireSupplement(source: TerminologySource, canonical: string): CodeSystem {
  const found = findSupplement(source, canonical);
  if (found !== undefined) return found;
  const text = `The supplement \`${shorten(canonical)}\` is not loaded, or it is no supplement: store the CodeSystem.`;
  throw terminologyError(422, 'not-found', 'not-found', text);
}

/** The parameters of expansions that a value set states itself. */
const parameterExtensions: ReadonlySet<unknown> = new Set([
  'http://hl7.org/fhir/StructureDefinition/valueset-expansion-parameter',
  'http://hl7.org/fhir/tools/StructureDefinition/valueset-expansion-parameter',
]);

function expansionParameters(valueSet: JsonObject | undefined, name: string): readonly string[] {
  return [...objectsOf(valueSet?.['extension']), ...objectsOf(asObject(valueSet?.['compose'])['extension'])]
    .filter(({ url }) => parameterExtensions.has(url))
    .map(one => objectsOf(one['extension']))
    .filter(parts => parts.some(part => part['url'] === 'name' && Object.values(part).includes(name)))
    .flatMap(parts => parts.filter(part => part['url'] === 'value'))
    .flatMap(part => Object.entries(part).filter(([key]) => key.startsWith('value')))
    .flatMap(([, value]) => asString(value) ?? []);
}

/**
 * The languages of a call: `displayLanguage`, else those of the value set's own parameters, of Accept-Language, and of
 * the value set. Throws FhirError 400 for a `displayLanguage` without a language.
 * https://hl7.org/fhir/R4/languages.html
 */
export function languagesOf(
  { headers }: Pick<FhirRequest, 'headers'>,
  given: Arguments,
  valueSet: JsonObject | undefined,
): { readonly text: string; readonly languages: Languages } | undefined {
  const asked = given.text('displayLanguage');
  if (asked !== undefined && parseLanguages(asked) === undefined && !asked.trim().startsWith('*'))
    throw terminologyError(
      400,
      'processing',
      'invalid-display',
      `\`displayLanguage=${shorten(asked)}\` is no language: write \`de\` or \`de, en;q=0.5\`.`,
      'http.displayLanguage',
    );
  const own = asString(valueSet?.['language']);
  const texts = [
    asked,
    ...expansionParameters(valueSet, 'displayLanguage'),
    headers['accept-language'],
    own !== undefined && isTag(own) ? own : undefined,
  ];
  for (const text of texts) {
    const languages = text === undefined ? undefined : parseLanguages(text);
    if (text !== undefined && languages !== undefined) return { text, languages };
    if (text === asked && asked !== undefined) return undefined; // any language
  }
  return undefined;
}

/** Why a value set cannot be expanded or evaluated, for the client. */
export function notExpanded(problem: string, kind: NotExpandedKind): FhirError {
  const { code, type } = causes[kind];
  const text = `The ValueSet cannot be expanded: ${problem}.${kind === 'missing' ? howToLoad : ''}`;
  return type === undefined ? fhirError(422, code, text) : terminologyError(422, code, type, text);
}

const howToLoad = ' Load it with the definitions, or a large code system with `terminology load`.';

const causes: Readonly<Record<NotExpandedKind, { readonly code: IssueCode; readonly type?: string }>> = {
  missing: { code: 'not-found', type: 'not-found' },
  version: { code: 'not-found', type: 'not-found' },
  'version-check': { code: 'exception', type: 'version-error' },
  wrong: { code: 'invalid', type: 'vs-invalid' },
  circular: { code: 'processing', type: 'vs-invalid' },
  undecided: { code: 'not-supported', type: 'vs-invalid' },
  large: { code: 'too-costly' },
};
