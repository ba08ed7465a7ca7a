import { sharedTypes } from '../definitions/definition.ts';
import { asString } from '../fhir/json-object.ts';
import { typeInteractions } from '../fhir/interaction.ts';
import { didYouMean } from '../fhir/suggest.ts';
import type { CompileContext } from './context.ts';
import { compileAccess } from './access-rules.ts';
import { compartmentLinksOf } from './compartments.ts';
import { containedParameters } from './contained-index.ts';
import { extensions, oneExtension, oneValue, texts } from './definition-nodes.ts';
import type { DefinitionNode, ReportAt } from './definition-nodes.ts';
import { checkTypePromises } from './deliverable.ts';
import { partsOf, textOf } from './extensions.ts';
import { declaredInteractions } from './interactions.ts';
import type { Pair, ResourceType, SearchParam } from './model.ts';
import { compileQueries } from './named-queries.ts';
import { offeredParameters } from './offered.ts';
import { areDeleted, otherReferences } from './other-references.ts';
import { checkNeededParameters, compileOperations } from './operations.ts';
import { areContainedSearched, includesOf, searchFeaturesOf } from './search-features.ts';
import { modifiersOfNodes, withModified } from './search-modifiers.ts';
import { compileAttachment, compileServerSet } from './written.ts';

/**
 * The codes of the parameters of a type for which the definitions ask for a sort index; reports parameters that the
 * type does not offer, and those without an order.
 */
function sortIndexesOf(
  name: string,
  nodes: readonly DefinitionNode[],
  offered: ReadonlyMap<string, SearchParam>,
  report: ReportAt,
): ReadonlySet<string> {
  const codes = new Set<string>();
  for (const node of extensions(nodes, 'sort-index')) {
    const code = textOf(node.json) ?? '';
    const param = offered.get(code);
    if (param === undefined) {
      const text = `${name} offers no parameter \`${code}\`.`;
      report(node, 'valueCode', `${text}${didYouMean(code, offered.keys())}`);
    } else if (param.type === 'composite' || param.type === 'special') {
      report(node, 'valueCode', `The parameter \`${code}\` is of type ${param.type}, by which nothing can be sorted.`);
    } else if (param.reads !== undefined) {
      report(
        node,
        'valueCode',
        `The values of the parameter \`${code}\` have no order, so nothing can be sorted by it.`,
      );
    } else codes.add(code);
  }
  return codes;
}

/**
 * One declared resource type from all of its declarations; undefined for an unknown type.
 * https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest.resource
 */
export function compileResourceType(
  name: string,
  nodes: readonly DefinitionNode[],
  context: CompileContext,
): ResourceType | undefined {
  const { types, report } = context;
  const definition = types.get(name);
  if (definition === undefined || !types.resourceTypes.has(name)) {
    for (const node of nodes)
      report(node, 'type', `\`${name}\` is not a resource type of FHIR R4.${didYouMean(name, types.resourceTypes)}`);
    return undefined;
  }
  const one = (element: string): unknown => oneValue(nodes, element, report);
  const interactions = declaredInteractions(nodes, typeInteractions, 'a type', report);
  checkTypePromises(nodes, interactions, report);
  const parameters = offeredParameters(name, nodes, interactions.has('search-type'), context);
  const indexedOnly = indexedOnlyParameters(name, nodes, parameters, context);
  const own = new Map([...indexedOnly, ...parameters.values()].map(param => [param.code, param]));
  const access = compileAccess(name, nodes, own, context);
  const sortDate = sortDateOf(nodes, own, name, report);
  const isSearched = interactions.has('search-type');
  const compartmentLinks = isSearched ? compartmentLinksOf(name, nodes, own, context) : new Map<never, never>();
  const links = [...compartmentLinks.values()].flat();
  const contained = isSearched && areContainedSearched(context) ? containedParameters(definition, parameters) : [];
  const searched = [...parameters.values(), ...indexedOnly, ...access.owners, ...links];
  const others = areDeleted(context) ? [otherReferences(name, searched)] : [];
  const indexed = indexedParameters([...searched, ...contained, ...others]);
  const policy = ['off', 'warn', 'enforce'] as const;
  const inherited = (extension: string): string | undefined =>
    textOf((oneExtension(nodes, extension, report) ?? oneExtension(context.declared.rests, extension, report))?.json);
  const policyText = inherited('validation-policy');
  const operations = compileOperations(name, nodes, context);
  checkNeededParameters(operations, nodes, parameters, context);
  return Object.freeze<ResourceType>({
    name,
    definition,
    interactions,
    operations,
    queries: compileQueries(name, nodes, interactions.has('search-type'), context),
    versioning: chosen(one('versioning'), ['no-version', 'versioned', 'versioned-update'], 'versioned'),
    readHistory: interactions.has('vread') && one('readHistory') !== false,
    updateCreate: one('updateCreate') === true,
    deletePolicy: chosen(inherited('delete-policy'), ['refuse', 'allow'], 'refuse'),
    conditionalCreate: one('conditionalCreate') === true,
    conditionalUpdate: one('conditionalUpdate') === true,
    conditionalDelete: chosen(one('conditionalDelete'), ['not-supported', 'single', 'multiple'], 'not-supported'),
    conditionalRead: chosen(
      one('conditionalRead'),
      ['not-supported', 'modified-since', 'not-match', 'full-support'],
      'not-supported',
    ),
    referencePolicies: new Set(texts(nodes, 'referencePolicy').map(({ text }) => text)),
    parameters,
    indexed,
    modifiers: modifiersOfNodes([...context.declared.rests, ...nodes]),
    searchFeatures: interactions.has('search-type') ? searchFeaturesOf(nodes, context) : new Set(),
    includes: includesOf(nodes),
    sortDate,
    hierarchy: context.hierarchies.of(name),
    sortIndexes: sortIndexesOf(name, nodes, parameters, report),
    pairs: pairsOf(access.owners, [...parameters.values()]),
    compartmentLinks,
    pageSize: pageSizeOf(nodes, context),
    ...profilesOf(name, nodes, context),
    smartScopes: smartScopesOf(name, nodes, report),
    accessCriteria: access.criteria,
    accessLinks: access.links,
    attachment: compileAttachment(definition, nodes, context),
    serverSet: compileServerSet(definition, nodes, context),
    plainNames: plainNamesOf(nodes, report),
    validationPolicy: policy.find(known => known === policyText),
  });
}

function indexedOnlyParameters(
  name: string,
  nodes: readonly DefinitionNode[],
  offered: ReadonlyMap<string, SearchParam>,
  { parameters, report }: CompileContext,
): readonly SearchParam[] {
  const found = new Map<string, SearchParam>();
  for (const node of extensions(nodes, 'indexed-only')) {
    const param = parameters.byCanonical(textOf(node.json) ?? '', name, node, 'valueCanonical');
    if (param === undefined) continue;
    const other = offered.get(param.code) ?? found.get(param.code);
    if (other !== undefined && other.url !== param.url)
      report(
        node,
        'valueCanonical',
        `${name} has another parameter with the code \`${param.code}\`, ${other.url}; indexes go by code.`,
      );
    found.set(param.code, param);
  }
  return [...found.values()];
}

function sortDateOf(
  nodes: readonly DefinitionNode[],
  own: ReadonlyMap<string, SearchParam>,
  name: string,
  report: ReportAt,
): SearchParam | undefined {
  const node = oneExtension(nodes, 'sort-date', report);
  const code = textOf(node?.json);
  if (node === undefined || code === undefined) return undefined;
  const param = own.get(code);
  if (param === undefined)
    report(
      node,
      'valueCode',
      `${name} neither offers a parameter \`${code}\` nor has it \`indexed-only\`.${didYouMean(code, own.keys())}`,
    );
  else if (param.type !== 'date')
    report(node, 'valueCode', `The parameter \`${code}\` is of type ${param.type}; the default order goes by a date.`);
  return param?.type === 'date' ? param : undefined;
}

/** All of these are indexed; ids and update times have their own columns, and members are those of another type. */
function indexedParameters(params: readonly SearchParam[]): ReadonlyMap<string, SearchParam> {
  return new Map(
    params
      .filter(({ code, special }) => code !== '_id' && code !== '_lastUpdated' && special?.kind !== 'members')
      .flatMap(withModified)
      .map(param => [param.code, param]),
  );
}

/** The pairs of owners of a type and of tokens that it offers. */
export function pairsOf(owners: readonly SearchParam[], offered: readonly SearchParam[]): readonly Pair[] {
  const tokens = offered.filter(({ type, code }) => type === 'token' && !code.startsWith('_'));
  return owners.flatMap(owner =>
    tokens.map(token => Object.freeze({ code: `${owner.code}+${token.code}`, owner, token })),
  );
}

function pageSizeOf(nodes: readonly DefinitionNode[], { declared, report }: CompileContext): ResourceType['pageSize'] {
  const node = oneExtension(nodes, 'page-size', report) ?? oneExtension(declared.rests, 'page-size', report);
  const part = (name: string): number | undefined => {
    const value = node === undefined ? undefined : partsOf(node.json, name)[0]?.json['valuePositiveInt'];
    return typeof value === 'number' ? value : undefined;
  };
  const max = part('max') ?? 1000;
  const size = { default: part('default') ?? Math.min(50, max), max };
  if (node !== undefined && size.default > size.max)
    report(node, '', `The default page size ${size.default} is above the maximum ${size.max}.`);
  return Object.freeze(size);
}

function profilesOf(
  name: string,
  nodes: readonly DefinitionNode[],
  { definitions, types, report }: CompileContext,
): Pick<ResourceType, 'profile' | 'supportedProfiles'> {
  const check = (canonical: string, node: DefinitionNode, path: string): void => {
    const definition = definitions.find('StructureDefinition', canonical);
    const type = definition?.resource()['type'];
    if (definition === undefined) {
      const names = definitions.all('StructureDefinition').map(({ url }) => url.slice(url.lastIndexOf('/') + 1));
      const last = canonical.replace(/\|.*/, '').slice(canonical.lastIndexOf('/') + 1);
      report(node, path, `No StructureDefinition \`${canonical}\` is loaded.${didYouMean(last, names)}`);
    } else if (type !== name) {
      // If the type is unknown, the profile's own file has the mistake (validation/definition).
      const isElsewhere = typeof type !== 'string' || types.get(type) === undefined;
      if (isElsewhere && definition.package === undefined) return;
      report(node, path, `\`${canonical}\` is a profile of ${String(type)}, not of ${name}.`);
    }
  };
  const profile = asString(oneValue(nodes, 'profile', report));
  const holder = nodes.find(({ json }) => json['profile'] !== undefined);
  if (profile !== undefined && holder !== undefined) {
    check(profile, holder, 'profile');
  }
  const supported = texts(nodes, 'supportedProfile');
  for (const { text, ...node } of supported) check(text, node, '');
  return { profile, supportedProfiles: [...new Set(supported.map(({ text }) => text))] };
}

/** With those that name a type whose records are definitions: no wildcard writes them. */
function smartScopesOf(name: string, nodes: readonly DefinitionNode[], report: ReportAt): readonly string[] {
  const declared = extensions(nodes, 'smart-scope').flatMap(node => {
    const scope = textOf(node.json) ?? '';
    const type = /\/(.*?)\./.exec(scope)?.[1];
    if (type !== undefined && type !== name && type !== '*')
      report(node, 'valueString', `The scope \`${scope}\` belongs to ${type}, not to ${name}.`);
    return [scope];
  });
  if (!sharedTypes.has(name)) return declared;
  return [...new Set([...declared, ...declared.map(scope => scope.replace('/*.', `/${name}.`))])];
}

function plainNamesOf(nodes: readonly DefinitionNode[], report: ReportAt): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const node of extensions(nodes, 'plain-name')) {
    const [language = '', text = ''] = ['language', 'text'].map(name => textOf(partsOf(node.json, name)[0]?.json));
    if (names.has(language) && names.get(language) !== text)
      report(node, '', `Records of the type have two different names in the language \`${language}\`.`);
    names.set(language, text);
  }
  return names;
}

/** One of the codes of a required binding; the structure check reports other codes. */
function chosen<Code extends string>(value: unknown, codes: readonly Code[], otherwise: Code): Code {
  return codes.find(code => code === value) ?? otherwise;
}
