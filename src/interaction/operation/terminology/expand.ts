import { randomUUID } from 'node:crypto';
import { FhirError, fhirError } from '../../../fhir/error.ts';
import { asObject, asString, objectsOf } from '../../../fhir/json-object.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import { operationOf } from '../../../model/operation-call.ts';
import type { CodeSystem } from '../../../terminology/code-system.ts';
import { expandMembers, storedPage } from '../../../terminology/expand.ts';
import type { Expanded, ExpandOptions } from '../../../terminology/expand.ts';
import { drainInTurns, emptyListing } from '../../../terminology/listing.ts';
import { withReads } from '../../../terminology/reads.ts';
import type { ValueSet } from '../../../terminology/value-set.ts';
import type { Engine, FhirRequest, Interaction } from '../../interaction.ts';
import { readArguments } from '../arguments.ts';
import type { Arguments } from '../arguments.ts';
import { askServer } from './ask-server.ts';
import { languagesOf, notExpanded } from './call.ts';
import { givenSet } from './given-definition.ts';

/** Most codes of a whole expansion, and of one of which a page is sent. */
const [mostWhole, mostPaged] = [100_000, 1_000_000];

/**
 * `$expand`: the codes of a ValueSet, in pages if they are requested: of the definitions here, or of one in the call;
 * else of the terminology server. https://hl7.org/fhir/R4/valueset-operation-expand.html
 */
export const expand: Interaction = async (engine, request, partition) => {
  const given = readArguments(engine, request);
  requirePage(given);
  const found = await givenSet(engine, request, partition, given);
  if (found instanceof FhirError) return askServer(engine, request, given, found);
  const { service, set, resource } = found;
  const used = { systems: new Set<CodeSystem>(), sets: new Set<ValueSet>() };
  const most = given.number('count') === undefined ? mostWhole : mostPaged;
  const languages = languagesOf(request, given, resource);
  const options = optionsOf(given, languages?.languages);
  const cut = await withReads(() => storedPage(set, service, options));
  if (cut !== undefined) used.systems.add(cut.system);
  const list = cut ?? (await drainInTurns(() => set.list(emptyListing(most, used))));
  if (list.members === undefined) return askServer(engine, request, given, notExpanded(list.problem, list.kind));
  const { members } = list;
  const { room } = request;
  const expanded = await expandMembers(members, set, service, options, length => room?.take(length), cut);
  const parameter = [
    ...echoed(engine, request, given, languages?.text),
    ...usedParameters(used, set, members.length === 0 ? [] : service.supplements),
  ];
  return {
    status: 200,
    body: print(engine, resource ?? { resourceType: 'ValueSet', status: 'active' }, expanded, { given, parameter }),
  };
};

function requirePage(given: Arguments): void {
  const wrong = ['offset', 'count'].find(name => (given.number(name) ?? 0) < 0);
  if (wrong !== undefined) throw fhirError(400, 'value', `\`${wrong}\` must be 0 or more.`, `http.${wrong}`);
}

/** Pages are of flat expansions. https://hl7.org/fhir/R4/valueset-operation-expand.html */
function optionsOf(given: Arguments, languages: ExpandOptions['languages']): ExpandOptions {
  const isPaged = given.number('count') !== undefined || (given.number('offset') ?? 0) > 0;
  const words = (given.text('filter') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  return {
    words,
    activeOnly: given.flag('activeOnly'),
    selectableOnly: given.flag('excludeNotForUI'),
    excluded: given.texts('exclude-system'),
    languages,
    withDesignations: given.flag('includeDesignations') || given.texts('designation').length > 0,
    designations: given.texts('designation'),
    properties: given.texts('property'),
    page: isPaged ? { offset: given.number('offset') ?? 0, count: given.number('count') ?? Infinity } : undefined,
    flat: given.flag('excludeNested'),
  };
}

/** Parameters that name or bring definitions do not shape the expansion of these. */
const notEchoed: ReadonlySet<string> = new Set(['url', 'valueSet', 'valueSetVersion', 'tx-resource', 'context']);

/** The types of `expansion.parameter.value[x]`; those of R5 have the nearest one. */
const valueTypes: Readonly<Record<string, string>> = {
  string: 'valueString',
  boolean: 'valueBoolean',
  integer: 'valueInteger',
  code: 'valueCode',
  uri: 'valueUri',
  canonical: 'valueUri',
  dateTime: 'valueDateTime',
};

/** The parameters of the call that shape the expansion, and the languages that apply without one. */
function echoed(
  engine: Engine,
  request: FhirRequest,
  given: Arguments,
  language: string | undefined,
): readonly JsonObject[] {
  const parameters = operationOf(engine.model, request)?.parameters ?? new Map<never, never>();
  const own = [...parameters.values()]
    .filter(({ name }) => !notEchoed.has(name))
    .flatMap(({ name, type = '' }) =>
      given.all(name).map(value => ({ name, [valueTypes[type] ?? 'valueString']: value })),
    );
  const isAssumed = language !== undefined && given.text('displayLanguage') === undefined;
  return isAssumed ? [...own, { name: 'displayLanguage', valueCode: language }] : own;
}

/** The versions of what was used. https://hl7.org/fhir/R4/valueset-definitions.html#ValueSet.expansion.parameter */
function usedParameters(
  { systems, sets }: { readonly systems: ReadonlySet<CodeSystem>; readonly sets: ReadonlySet<ValueSet> },
  set: ValueSet,
  supplements: readonly CodeSystem[],
): readonly JsonObject[] {
  const canonicals = [...systems].map(({ url, version }) => (version === undefined ? url : `${url}|${version}`));
  const imported = [...sets].filter(one => one !== set);
  return [
    ...[...systems].flatMap(({ url, version }) =>
      version === undefined ? [] : [{ name: 'version', valueUri: `${url}|${version}` }],
    ),
    ...canonicals.map(valueUri => ({ name: 'used-codesystem', valueUri })),
    ...imported.map(({ canonical }) => ({ name: 'used-valueset', valueUri: canonical })),
    ...supplements.map(({ url, version }) => ({
      name: 'used-supplement',
      valueUri: version === undefined ? url : `${url}|${version}`,
    })),
    ...[...[...systems].map(one => one.resource), ...imported.map(one => one.resource), set.resource].flatMap(warning),
  ];
}

const standardsStatus = 'http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status';

/** What users of a definition should know about its state. */
function warning({ url, version, status, experimental, extension }: JsonObject): readonly JsonObject[] {
  const standard = asString(objectsOf(extension).find(one => one['url'] === standardsStatus)?.['valueCode']);
  const state =
    standard === 'deprecated' || standard === 'withdrawn' || standard === 'draft'
      ? standard
      : status === 'draft' || status === 'retired'
        ? status
        : experimental === true
          ? 'experimental'
          : undefined;
  if (state === undefined || typeof url !== 'string') return [];
  return [{ name: `warning-${state}`, valueUri: version === undefined ? url : `${url}|${asString(version) ?? ''}` }];
}

/** https://hl7.org/fhir/R4/valueset-definitions.html#ValueSet.expansion */
function print(
  engine: Engine,
  valueSet: JsonObject,
  { items, total, properties }: Expanded,
  { given, parameter }: { readonly given: Arguments; readonly parameter: readonly JsonObject[] },
): string {
  const { expansion: _expansion, compose, text: _text, contained, ...about } = valueSet;
  const withDefinition = given.flag('includeDefinition') && compose !== undefined;
  const isPaged = given.all('offset').length + given.all('count').length > 0;
  const around = JSON.stringify({
    resourceType: 'ValueSet',
    ...about,
    status: about['status'] ?? 'active',
    ...(withDefinition ? { ...(contained === undefined ? {} : { contained }), compose: asObject(compose) } : {}),
    expansion: {
      ...(properties.size === 0 ? {} : { extension: Array.from(properties, declaredProperty) }),
      identifier: `urn:uuid:${randomUUID()}`,
      timestamp: new Date(engine.now()).toISOString(),
      total,
      ...(isPaged ? { offset: given.number('offset') ?? 0 } : {}),
      ...(parameter.length === 0 ? {} : { parameter }),
    },
  });
  // The expansion is the last element, and `contains` the last one in it.
  return items.length === 0 ? around : `${around.slice(0, -2)},"contains":[${items.join(',')}]}}`;
}

const expansionProperty = 'http://hl7.org/fhir/5.0/StructureDefinition/extension-ValueSet.expansion.property';

const declaredProperty = ([code, uri]: readonly [string, string | undefined]): JsonObject => ({
  url: expansionProperty,
  extension: [{ url: 'code', valueCode: code }, ...(uri === undefined ? [] : [{ url: 'uri', valueUri: uri }])],
});
