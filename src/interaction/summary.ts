import { items, properties } from '../fhir/resource-text.ts';
import type { Property, TypeDefinition, TypeDefinitions } from '../model/element.ts';

/**
 * The part of one property's value for `_summary=true`, as text: of objects the elements that the definition marks as
 * summary, are mandatory or modify the meaning. Undefined if nothing is left of an optional element; a mandatory one
 * then stays whole. https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.isSummary
 */
export function summaryOfValue(value: string, property: Property, definitions: TypeDefinitions): string | undefined {
  const { element, type } = property;
  const content = type.content ?? definitions.get(type.code);
  if (content === undefined || content.kind !== 'complex-type') return value;
  const left = value.startsWith('[')
    ? listOf(items(value).flatMap(item => summaryOfObject(item, content, definitions) ?? []))
    : summaryOfObject(value, content, definitions);
  return left === undefined && element.min > 0 ? value : left;
}

function summaryOfObject(text: string, type: TypeDefinition, definitions: TypeDefinitions): string | undefined {
  if (!text.startsWith('{')) return text;
  let kept = '';
  for (const { name: quoted, value } of properties(text)) {
    const name = quoted.slice(1, -1);
    const extra = name.startsWith('_');
    const property = type.properties.get(extra ? name.slice(1) : name);
    if (property === undefined) continue;
    const { element } = property;
    if (!element.summary && element.min === 0 && !element.modifier) continue;
    const left = extra ? value : summaryOfValue(value, property, definitions);
    if (left !== undefined) kept += `,${quoted}:${left}`;
  }
  return kept === '' ? undefined : `{${kept.slice(1)}}`;
}

const listOf = (texts: readonly string[]): string | undefined =>
  texts.length === 0 ? undefined : `[${texts.join(',')}]`;
