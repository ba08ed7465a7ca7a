import { didYouMean } from '../fhir/suggest.ts';
import { shorten } from './report.ts';
import type { Shape } from './shape.ts';

/** The error of a property that the type does not have, as a sentence with suggestions. */
export function misplacedProperty(property: string, shape: Shape): string {
  const name = `\`${shorten(property)}\``;
  const { definition, fields } = shape;
  if (property.startsWith('_') && fields.has(property.slice(1))) {
    return `${name} is not allowed: only primitive elements have a sibling with an underscore.`;
  }
  for (const element of definition.elements.values()) {
    if (!element.choice || !property.startsWith(element.name)) continue;
    const properties = element.types.map(type => type.property);
    const known = properties.slice(0, 6).map(known => `\`${known}\``);
    const more = properties.length > 6 ? ', …' : '';
    const meant = property === element.name ? '' : didYouMean(property, properties);
    return (
      `\`${shape.name}\` has \`${element.name}[x]\`, but not as ${name}: write one of ` +
      `${known.join(', ')}${more}.${meant}`
    );
  }
  return `\`${shape.name}\` has no element ${name}.${didYouMean(property, definition.properties.keys())}`;
}

/** The kind of a JSON value, for "not …". */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (value === undefined) return 'nothing';
  const kind = typeof value;
  return `${kind === 'object' ? 'an' : 'a'} ${kind}`;
}
