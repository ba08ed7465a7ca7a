import type { Definitions } from '../definitions/definitions.ts';
import { servedPatchFormats } from '../fhir/media-type.ts';
import { objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { incompleteUrl } from '../definitions/definition.ts';
import type { SystemInteraction } from '../fhir/interaction.ts';
import { distinct, documentationOf, statementDetails, withDetails } from './declared-details.ts';
import { items } from './definition-nodes.ts';
import type { Declared, DefinitionNode } from './definition-nodes.ts';
import { extensionBase } from './extension-shapes.ts';
import { textOf } from './extensions.ts';
import { listsOf } from './named-queries.ts';
import { explainControl, queryControl, resultControls, typeControl } from './result-controls.ts';
import type { Model, NamedQuery, Operation, ResourceType, SearchParam } from './model.ts';

/** What is declared for the whole system. */
interface SystemFeatures extends Pick<Model, 'explainScopes' | 'searchedCompartments' | 'systemOperations'> {
  readonly interactions: ReadonlySet<SystemInteraction>;
}

/**
 * The CapabilityStatement of the compiled model: it lists what is implemented, with everything that the declarations
 * say of it. capability-statement.ts adds the parts that depend on the deployment.
 * https://hl7.org/fhir/R4/capabilitystatement.html
 */
export function buildStatement(
  declared: Declared,
  types: readonly ResourceType[],
  { interactions, systemOperations, searchedCompartments: compartments, explainScopes }: SystemFeatures,
  definitions: Definitions,
): JsonObject {
  const { statements, rests } = declared;
  const resources = types.map(type => buildResource(type, definitions, declared.types.get(type.name) ?? [], rests));
  const isOfTypes = interactions.has('search-system') || compartments.size > 0;
  const controls = [
    ...resultControls,
    ...(isOfTypes ? [typeControl] : []),
    ...(explainScopes.size > 0 ? [explainControl] : []),
  ];
  const isPatched = types.some(type => type.interactions.has('patch'));
  const formats = statements.flatMap(({ json }) => stringsOf(json['format']));
  const named = (element: string): ReadonlyMap<unknown, readonly DefinitionNode[]> =>
    Map.groupBy(items(rests, element), ({ json }) => json[element === 'interaction' ? 'code' : 'definition']);
  const [interactionNodes, operationNodes] = [named('interaction'), named('operation')];
  const ofSystem = {
    ...list(
      'extension',
      [...explainScopes].map(valueString => ({ url: `${extensionBase}search-explain`, valueString })),
    ),
    mode: 'server',
    ...text('documentation', documentationOf(rests)),
    ...list('resource', resources),
    ...list(
      'interaction',
      [...interactions].map(code => withDetails({ code }, interactionNodes.get(code) ?? [])),
    ),
    ...list('searchParam', types.some(type => type.interactions.has('search-type')) ? controls : []),
    ...list(
      'operation',
      [...systemOperations.values()].map(one => withDetails(buildOperation(one), operationNodes.get(one.url) ?? [])),
    ),
    ...list(
      'compartment',
      [...compartments.values()].map(({ url }) => url),
    ),
  };
  return withDetails(
    {
      resourceType: 'CapabilityStatement',
      status: 'active',
      ...statementDetails(statements, detailsOfStatement),
      kind: 'instance',
      fhirVersion: '4.0.1',
      format: distinct(['application/fhir+json', 'application/fhir+xml', 'json', 'xml', ...formats]),
      ...list('patchFormat', isPatched ? servedPatchFormats : []),
      rest: [withDetails(ofSystem, rests)],
    },
    statements,
  );
}

/** Elements of a statement that this server passes on. It sets `version`, `date`, `kind` and `software` itself. */
const detailsOfStatement = [
  'language',
  'contained',
  'url',
  'name',
  'title',
  'status',
  'experimental',
  'publisher',
  'contact',
  'description',
  'useContext',
  'jurisdiction',
  'purpose',
  'copyright',
  'instantiates',
  'implementation',
  'implementationGuide',
];

function buildResource(
  type: ResourceType,
  definitions: Definitions,
  nodes: readonly DefinitionNode[],
  rests: readonly DefinitionNode[],
): JsonObject {
  const notes = [documentationOf(nodes), limitsOf(type), ...incompleteProfiles(type, definitions)].filter(
    note => note !== undefined,
  );
  const { conditionalRead, conditionalDelete } = type;
  const interactions = Map.groupBy(items(nodes, 'interaction'), ({ json }) => json['code']);
  const parameters = Map.groupBy(items([...rests, ...nodes], 'searchParam'), ({ json }) => json['name']);
  const operations = Map.groupBy(items(nodes, 'operation'), ({ json }) => json['definition']);
  const built = {
    ...list(
      'extension',
      [...type.searchFeatures].map(valueCode => ({ url: `${extensionBase}search-feature`, valueCode })),
    ),
    type: type.name,
    ...text('profile', type.profile),
    ...list('supportedProfile', type.supportedProfiles),
    ...text('documentation', notes.length === 0 ? undefined : notes.join('\n\n')),
    ...list(
      'interaction',
      [...type.interactions].map(code => withDetails({ code }, interactions.get(code) ?? [])),
    ),
    versioning: type.versioning,
    ...(type.interactions.has('vread') ? { readHistory: type.readHistory } : {}),
    ...(type.interactions.has('update') ? { updateCreate: type.updateCreate } : {}),
    conditionalCreate: type.conditionalCreate,
    conditionalRead,
    conditionalUpdate: type.conditionalUpdate,
    conditionalDelete,
    ...list('referencePolicy', [...type.referencePolicies]),
    ...list('searchInclude', [...type.includes.forward]),
    ...list('searchRevInclude', [...type.includes.reverse]),
    ...list('searchParam', [
      ...[...type.parameters.values()].map(one => buildParameter(one, type, parameters.get(one.code) ?? [])),
      ...queryControl(type),
    ]),
    ...list(
      'operation',
      [...type.operations.values(), ...type.queries.values()].map(one =>
        withDetails(buildOperation(one), operations.get(one.url) ?? []),
      ),
    ),
  };
  return withDetails(built, nodes);
}

const buildOperation = ({ code, url }: Operation | NamedQuery): JsonObject => ({ name: code, definition: url });

/** What the statement says of a search parameter that a type offers. */
export function buildParameter(
  param: SearchParam,
  { queries }: ResourceType,
  nodes: readonly DefinitionNode[],
): JsonObject {
  const lists = param.special?.kind === 'members' ? listsOf(queries) : [];
  const documentation = documentationOf(nodes) ?? param.description;
  const built = {
    ...list(
      'extension',
      [...param.modifiers].map(valueCode => ({ url: `${extensionBase}search-modifier`, valueCode })),
    ),
    name: param.code,
    definition: param.url,
    type: param.type,
    ...text('documentation', withLists(documentation, lists)),
  };
  return withDetails(built, nodes);
}

function withLists(documentation: string | undefined, lists: readonly NamedQuery[]): string | undefined {
  if (lists.length === 0) return documentation;
  const names = `Functional lists: ${lists.map(({ code }) => `\`$${code}\``).join(', ')}.`;
  return documentation === undefined ? names : `${documentation}\n\n${names}`;
}

/** R4 requires limits on attachments to be documented. https://hl7.org/fhir/R4/datatypes.html#attachment */
function limitsOf({ attachment }: ResourceType): string | undefined {
  if (attachment === undefined) return undefined;
  const types = attachment.contentTypes.map(({ type }) => type).join(', ');
  return (
    `\`${attachment.path}\` is accepted up to ${attachment.maxBytes} bytes, as ${types}. It is ` +
    'stored outside of the record, and no answer contains it.'
  );
}

function incompleteProfiles({ profile, supportedProfiles }: ResourceType, definitions: Definitions): readonly string[] {
  return [...(profile === undefined ? [] : [profile]), ...supportedProfiles].flatMap(canonical => {
    const extension = objectsOf(definitions.find('StructureDefinition', canonical)?.resource()['extension']);
    const reason = textOf(extension.find(({ url }) => url === incompleteUrl));
    return reason === undefined ? [] : [`The profile ${canonical} is not the published one: ${reason}`];
  });
}

const text = (name: string, value: string | undefined): JsonObject => (value === undefined ? {} : { [name]: value });
const list = (name: string, value: readonly unknown[]): JsonObject => (value.length === 0 ? {} : { [name]: value });
