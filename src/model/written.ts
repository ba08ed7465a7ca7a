import { didYouMean } from '../fhir/suggest.ts';
import { extensions, oneExtension } from './declared.ts';
import type { DefinitionNode } from './declared.ts';
import type { Property, TypeDefinition, TypeDefinitions } from './element.ts';
import { partsOf, textOf } from './extensions.ts';
import type { Attachment, ResourceType } from './model.ts';
import type { Context } from './context.ts';

/** The attachment that is cut out of a record when it is written; the path must lead to base64Binary. */
export function compileAttachment(
  definition: TypeDefinition,
  standings: readonly DefinitionNode[],
  { types, report }: Context,
): Attachment | undefined {
  const standing = oneExtension(standings, 'attachment', report);
  if (standing === undefined) return undefined;
  const part = (name: string) => partsOf(standing.json, name)[0]?.json;
  const path = textOf(part('path')) ?? '';
  const property = followPath(definition, path, types);
  if (typeof property === 'string') report(standing, '', property);
  else if (property.type.code !== 'base64Binary')
    report(standing, '', `\`${path}\` is a ${property.type.code}; an attachment is base64Binary.`);
  return Object.freeze({
    path,
    maxBytes: Number(part('maxBytes')?.['valuePositiveInt']),
    contentTypes: partsOf(standing.json, 'contentType').map(({ json }) =>
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
  standings: readonly DefinitionNode[],
  { types, report }: Context,
): ResourceType['serverSet'] {
  return extensions(standings, 'server-set').map(standing => {
    const path = textOf(partsOf(standing.json, 'path')[0]?.json) ?? '';
    const property = followPath(definition, path, types);
    if (typeof property === 'string') report(standing, '', property);
    else if (!['date', 'dateTime', 'instant'].includes(property.type.code))
      report(standing, '', `\`${path}\` is a ${property.type.code}; \`now\` is for a date, dateTime or instant.`);
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
