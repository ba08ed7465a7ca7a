import type { Definitions } from '../definitions/definitions.ts';
import { patchFormats } from '../fhir/media-type.ts';
import { asString, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { incompleteUrl } from '../definitions/definition.ts';
import type { SystemInteraction } from '../fhir/interaction.ts';
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
 * The CapabilityStatement of the compiled model: it lists only what is implemented. capability-statement.ts adds the
 * parts that depend on the deployment. https://hl7.org/fhir/R4/capabilitystatement.html
 */
export function buildStatement(
  declared: Declared,
  types: readonly ResourceType[],
  { interactions, systemOperations, searchedCompartments: compartments, explainScopes }: SystemFeatures,
  definitions: Definitions,
): JsonObject {
  const [first] = declared.statements;
  const resources = types.map(type =>
    buildResource(type, definitions, documentationOf(declared.types.get(type.name) ?? [])),
  );
  const isOfTypes = interactions.has('search-system') || compartments.size > 0;
  const controls = [
    ...resultControls,
    ...(isOfTypes ? [typeControl] : []),
    ...(explainScopes.size > 0 ? [explainControl] : []),
  ];
  return {
    resourceType: 'CapabilityStatement',
    ...copied(first?.json ?? {}, ['name', 'title']),
    status: 'active',
    ...copied(first?.json ?? {}, ['publisher', 'contact', 'description', 'jurisdiction', 'purpose', 'copyright']),
    kind: 'instance',
    fhirVersion: '4.0.1',
    format: ['application/fhir+json', 'json'],
    ...list('patchFormat', types.some(type => type.interactions.has('patch')) ? patchFormats : []),
    rest: [
      {
        ...list(
          'extension',
          [...explainScopes].map(valueString => ({ url: `${extensionBase}search-explain`, valueString })),
        ),
        mode: 'server',
        ...text('documentation', documentationOf(declared.rests)),
        ...list('resource', resources),
        ...list(
          'interaction',
          [...interactions].map(code => ({ code })),
        ),
        ...list('searchParam', types.some(type => type.interactions.has('search-type')) ? controls : []),
        ...list('operation', [...systemOperations.values()].map(buildOperation)),
        ...list(
          'compartment',
          [...compartments.values()].map(({ url }) => url),
        ),
      },
    ],
  };
}

function buildResource(type: ResourceType, definitions: Definitions, documentation: string | undefined): JsonObject {
  const notes = [documentation, limitsOf(type), ...incompleteProfiles(type, definitions)].filter(
    note => note !== undefined,
  );
  const { conditionalRead, conditionalDelete } = type;
  return {
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
      [...type.interactions].map(code => ({ code })),
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
      ...[...type.parameters.values()].map(one => buildParameter(one, type)),
      ...queryControl(type),
    ]),
    ...list('operation', [...type.operations.values(), ...type.queries.values()].map(buildOperation)),
  };
}

const buildOperation = ({ code, url }: Operation | NamedQuery): JsonObject => ({ name: code, definition: url });

const buildParameter = (param: SearchParam, { queries }: ResourceType): JsonObject => ({
  ...list(
    'extension',
    [...param.modifiers].map(valueCode => ({ url: `${extensionBase}search-modifier`, valueCode })),
  ),
  name: param.code,
  definition: param.url,
  type: param.type,
  ...text('documentation', documentationOfParameter(param, param.special?.kind === 'members' ? listsOf(queries) : [])),
});

function documentationOfParameter({ description }: SearchParam, lists: readonly NamedQuery[]): string | undefined {
  if (lists.length === 0) return description;
  const names = `Functional lists: ${lists.map(({ code }) => `\`$${code}\``).join(', ')}.`;
  return description === undefined ? names : `${description}\n\n${names}`;
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

function documentationOf(nodes: readonly DefinitionNode[]): string | undefined {
  const found = nodes.flatMap(({ json }) => asString(json['documentation']) ?? []);
  return found.length === 0 ? undefined : [...new Set(found)].join('\n\n');
}

const copied = (from: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.filter(name => from[name] !== undefined).map(name => [name, from[name]]));
const text = (name: string, value: string | undefined): JsonObject => (value === undefined ? {} : { [name]: value });
const list = (name: string, value: readonly unknown[]): JsonObject => (value.length === 0 ? {} : { [name]: value });
