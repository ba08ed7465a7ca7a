import type { Context } from './context.ts';
import { asString } from '../fhir/json-object.ts';
import { typeInteractions } from '../fhir/interaction.ts';
import { didYouMean } from '../fhir/suggest.ts';
import { compileAccess } from './access-rules.ts';
import { compartmentLinksOf } from './compartments.ts';
import { extensions, oneExtension, oneValue, texts } from './declared.ts';
import type { ReportAt, DefinitionNode } from './declared.ts';
import { checkTypePromises } from './deliverable.ts';
import { partsOf, textOf } from './extensions.ts';
import { declaredInteractions } from './interactions.ts';
import type { Pair, ResourceType, SearchParam } from './model.ts';
import { offeredParameters } from './offered.ts';
import { compileOperations } from './operations.ts';
import { includesOf, searchFeaturesOf } from './search-features.ts';
import { sortIndexesOf } from './sort-indexes.ts';
import { compileAttachment, compileServerSet } from './written.ts';

/**
 * One declared resource type from all of its declarations; undefined for an unknown type.
 * https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest.resource
 */
export function compileResourceType(
  name: string,
  standings: readonly DefinitionNode[],
  context: Context,
): ResourceType | undefined {
  const { types, report } = context;
  const definition = types.get(name);
  if (definition === undefined || !types.resourceTypes.has(name)) {
    for (const standing of standings)
      report(
        standing,
        'type',
        `\`${name}\` is not a resource type of FHIR R4.${didYouMean(name, types.resourceTypes)}`,
      );
    return undefined;
  }
  const one = (element: string): unknown => oneValue(standings, element, report);
  const interactions = declaredInteractions(standings, typeInteractions, 'a type', report);
  checkTypePromises(standings, interactions, report);
  const parameters = offeredParameters(name, standings, interactions.has('search-type'), context);
  const indexedOnly = indexedOnlyParameters(name, standings, parameters, context);
  const own = new Map([...indexedOnly, ...parameters.values()].map(param => [param.code, param]));
  const access = compileAccess(name, standings, own, context);
  const sortDate = sortDateOf(standings, own, name, report);
  const isSearched = interactions.has('search-type');
  const compartmentLinks = isSearched ? compartmentLinksOf(name, standings, own, context) : new Map<never, never>();
  const links = [...compartmentLinks.values()].flat();
  const indexed = indexedParameters([...parameters.values(), ...indexedOnly, ...access.owners, ...links]);
  const policy = ['off', 'warn', 'enforce'] as const;
  const policyText = textOf(
    (
      oneExtension(standings, 'validation-policy', report) ??
      oneExtension(context.declared.rests, 'validation-policy', report)
    )?.json,
  );
  return Object.freeze<ResourceType>({
    name,
    definition,
    interactions,
    operations: compileOperations(name, standings, context),
    versioning: chosen(one('versioning'), ['no-version', 'versioned', 'versioned-update'], 'versioned'),
    conditionalCreate: one('conditionalCreate') === true,
    conditionalUpdate: one('conditionalUpdate') === true,
    conditionalDelete: chosen(one('conditionalDelete'), ['not-supported', 'single', 'multiple'], 'not-supported'),
    conditionalRead: chosen(
      one('conditionalRead'),
      ['not-supported', 'modified-since', 'not-match', 'full-support'],
      'not-supported',
    ),
    referencePolicies: new Set(texts(standings, 'referencePolicy').map(({ text }) => text)),
    parameters,
    indexed,
    searchFeatures: interactions.has('search-type') ? searchFeaturesOf(standings, context) : new Set(),
    includes: includesOf(standings),
    sortDate,
    sortIndexes: sortIndexesOf(name, standings, parameters, report),
    pairs: pairsOf(access.owners, [...parameters.values()]),
    compartmentLinks,
    pageSize: pageSizeOf(standings, context),
    ...profilesOf(name, standings, context),
    smartScopes: smartScopesOf(name, standings, report),
    accessCriteria: access.criteria,
    accessLinks: access.links,
    attachment: compileAttachment(definition, standings, context),
    serverSet: compileServerSet(definition, standings, context),
    plainNames: plainNamesOf(standings, report),
    validationPolicy: policy.find(known => known === policyText),
  });
}

function indexedOnlyParameters(
  name: string,
  standings: readonly DefinitionNode[],
  offered: ReadonlyMap<string, SearchParam>,
  { parameters, report }: Context,
): readonly SearchParam[] {
  const found = new Map<string, SearchParam>();
  for (const standing of extensions(standings, 'indexed-only')) {
    const param = parameters.byCanonical(textOf(standing.json) ?? '', name, standing, 'valueCanonical');
    if (param === undefined) continue;
    const other = offered.get(param.code) ?? found.get(param.code);
    if (other !== undefined && other.url !== param.url)
      report(
        standing,
        'valueCanonical',
        `${name} has another parameter with the code \`${param.code}\`, ${other.url}; indexes go by code.`,
      );
    found.set(param.code, param);
  }
  return [...found.values()];
}

function sortDateOf(
  standings: readonly DefinitionNode[],
  own: ReadonlyMap<string, SearchParam>,
  name: string,
  report: ReportAt,
): SearchParam | undefined {
  const standing = oneExtension(standings, 'sort-date', report);
  const code = textOf(standing?.json);
  if (standing === undefined || code === undefined) return undefined;
  const param = own.get(code);
  if (param === undefined)
    report(
      standing,
      'valueCode',
      `${name} neither offers a parameter \`${code}\` nor has it \`indexed-only\`.${didYouMean(code, own.keys())}`,
    );
  else if (param.type !== 'date')
    report(
      standing,
      'valueCode',
      `The parameter \`${code}\` is of type ${param.type}; the default order goes by a date.`,
    );
  return param?.type === 'date' ? param : undefined;
}

/** All of these are indexed; ids and update times have their own columns. */
function indexedParameters(params: readonly SearchParam[]): ReadonlyMap<string, SearchParam> {
  return new Map(
    params.filter(({ code }) => code !== '_id' && code !== '_lastUpdated').map(param => [param.code, param]),
  );
}

function pairsOf(owners: readonly SearchParam[], offered: readonly SearchParam[]): readonly Pair[] {
  const tokens = offered.filter(({ type, code }) => type === 'token' && !code.startsWith('_'));
  return owners.flatMap(owner =>
    tokens.map(token => Object.freeze({ code: `${owner.code}+${token.code}`, owner, token })),
  );
}

function pageSizeOf(standings: readonly DefinitionNode[], { declared, report }: Context): ResourceType['pageSize'] {
  const standing = oneExtension(standings, 'page-size', report) ?? oneExtension(declared.rests, 'page-size', report);
  const part = (name: string): number | undefined => {
    const value = standing === undefined ? undefined : partsOf(standing.json, name)[0]?.json['valuePositiveInt'];
    return typeof value === 'number' ? value : undefined;
  };
  const max = part('max') ?? 1000;
  const size = { default: part('default') ?? Math.min(50, max), max };
  if (standing !== undefined && size.default > size.max)
    report(standing, '', `The default page size ${size.default} is above the maximum ${size.max}.`);
  return Object.freeze(size);
}

function profilesOf(
  name: string,
  standings: readonly DefinitionNode[],
  { definitions, types, report }: Context,
): Pick<ResourceType, 'profile' | 'supportedProfiles'> {
  const check = (canonical: string, standing: DefinitionNode, path: string): void => {
    const definition = definitions.find('StructureDefinition', canonical);
    const type = definition?.resource()['type'];
    if (definition === undefined) {
      const names = definitions.all('StructureDefinition').map(({ url }) => url.slice(url.lastIndexOf('/') + 1));
      const last = canonical.replace(/\|.*/, '').slice(canonical.lastIndexOf('/') + 1);
      report(standing, path, `No StructureDefinition \`${canonical}\` is loaded.${didYouMean(last, names)}`);
    } else if (type !== name) {
      // If the type is unknown, the profile's own file has the mistake (validation/definition).
      const isElsewhere = typeof type !== 'string' || types.get(type) === undefined;
      if (isElsewhere && definition.package === undefined) return;
      report(standing, path, `\`${canonical}\` is a profile of ${String(type)}, not of ${name}.`);
    }
  };
  const profile = asString(oneValue(standings, 'profile', report));
  const holder = standings.find(({ json }) => json['profile'] !== undefined);
  if (profile !== undefined && holder !== undefined) {
    check(profile, holder, 'profile');
  }
  const supported = texts(standings, 'supportedProfile');
  for (const { text, ...standing } of supported) check(text, standing, '');
  return { profile, supportedProfiles: [...new Set(supported.map(({ text }) => text))] };
}

function smartScopesOf(name: string, standings: readonly DefinitionNode[], report: ReportAt): readonly string[] {
  return extensions(standings, 'smart-scope').flatMap(standing => {
    const scope = textOf(standing.json) ?? '';
    const type = /\/(.*?)\./.exec(scope)?.[1];
    if (type !== undefined && type !== name && type !== '*')
      report(standing, 'valueString', `The scope \`${scope}\` belongs to ${type}, not to ${name}.`);
    return [scope];
  });
}

function plainNamesOf(standings: readonly DefinitionNode[], report: ReportAt): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const standing of extensions(standings, 'plain-name')) {
    const [language = '', text = ''] = ['language', 'text'].map(name => textOf(partsOf(standing.json, name)[0]?.json));
    if (names.has(language) && names.get(language) !== text)
      report(standing, '', `Records of the type have two different names in the language \`${language}\`.`);
    names.set(language, text);
  }
  return names;
}

/** One of the codes of a required binding; the structure check reports other codes. */
function chosen<Code extends string>(value: unknown, codes: readonly Code[], otherwise: Code): Code {
  return codes.find(code => code === value) ?? otherwise;
}
