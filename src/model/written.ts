import { didYouMean } from '../fhir/suggest.ts';
import { extensions, oneExtension } from './definition-nodes.ts';
import type { DefinitionNode } from './definition-nodes.ts';
import type { Property, TypeDefinition, TypeDefinitions } from './element.ts';
import { partsOf, textOf } from './extensions.ts';
import type { Attachment, ResourceType } from './model.ts';
import type { CompileContext } from './context.ts';

/** The attachment that is cut out of a record when it is written; the path must lead to base64Binary. */
export function compileAttachment(
  definition: TypeDefinition,
  nodes: readonly DefinitionNode[],
  { types, report }: CompileContext,
): Attachment | undefined {
  const node = oneExtension(nodes, 'attachment', report);
  if (node === undefined) return undefined;
  const part = (name: string) => partsOf(node.json, name)[0]?.json;
  const path = textOf(part('path')) ?? '';
  const property = followPath(definition, path, types);
  if (typeof property === 'string') report(node, '', property);
  else if (property.type.code !== 'base64Binary')
    report(node, '', `\`${path}\` is a ${property.type.code}; an attachment is base64Binary.`);
  return Object.freeze({
    path,
    maxBytes: Number(part('maxBytes')?.['valuePositiveInt']),
    contentTypes: partsOf(node.json, 'contentType').map(({ json }) =>
      Object.freeze({
        type: textOf(partsOf(json, 'type')[0]?.json) ?? '',
        signature: textOf(partsOf(json, 'signature')[0]?.json),
      }),
    ),
    refusal: textOf(part('refusal')),
  });
}

/** Elements that the server sets; `now` is for dates and times. */
export function compileServerSet(
  definition: TypeDefinition,
  nodes: readonly DefinitionNode[],
  { types, report }: CompileContext,
): ResourceType['serverSet'] {
  return extensions(nodes, 'server-set').map(node => {
    const path = textOf(partsOf(node.json, 'path')[0]?.json) ?? '';
    const property = followPath(definition, path, types);
    if (typeof property === 'string') report(node, '', property);
    else if (!['date', 'dateTime', 'instant'].includes(property.type.code))
      report(node, '', `\`${path}\` is a ${property.type.code}; \`now\` is for a date, dateTime or instant.`);
    return Object.freeze({ path, value: 'now' as const });
  });
}

/**
 * The property at a path such as `Media.content.data`, with choices by their JSON name (`createdDateTime`); else a
 * sentence.
 */
function followPath(definition: TypeDefinition, path: string, types: TypeDefinitions): Property | string {
  const [root = '', ...names] = path.split('.');
  if (root !== definition.name || names.length === 0)
    return `\`${path}\` is not a path in ${definition.name}; it begins with \`${definition.name}.\`.`;
  let owner: TypeDefinition | undefined = definition;
  let found: Property | undefined;
  for (const name of names) {
    found = owner?.properties.get(name);
    if (found === undefined)
      return (
        `\`${path}\` does not exist: ${owner?.name ?? root} has no ` +
        `\`${name}\`.${didYouMean(name, owner?.properties.keys() ?? [])}`
      );
    owner = found.type.content ?? types.get(found.type.code);
  }
  return found ?? `\`${path}\` does not exist.`;
}
