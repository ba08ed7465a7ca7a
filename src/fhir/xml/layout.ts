import { primitives } from '../primitive.ts';
import type { Primitive } from '../primitive.ts';

/** The elements of a type, as the model compiles them: the part that XML needs. */
export interface XmlType {
  readonly name: string;
  readonly kind: 'resource' | 'complex-type' | 'primitive-type';
  /** The elements by their JSON property name, in the order of the definition. */
  readonly properties: ReadonlyMap<string, { readonly element: XmlElement; readonly type: XmlElementType }>;
}

interface XmlElement {
  readonly name: string;
  readonly max: number;
  readonly attribute: boolean;
}

interface XmlElementType {
  readonly code: string;
  readonly content?: XmlType;
}

/** The types of R4 by name. */
export interface XmlTypes {
  get(name: string): XmlType | undefined;
}

/** The namespaces of resources and of narratives. https://hl7.org/fhir/R4/xml.html */
export const fhirNamespace = 'http://hl7.org/fhir';
export const xhtmlNamespace = 'http://www.w3.org/1999/xhtml';

/** How an element of a type is written in XML and in JSON. */
export interface Field {
  /** The JSON property, and the local name in XML. */
  readonly name: string;
  /** The property of JSON beside a primitive. */
  readonly beside: string;
  /** The texts before a value, and around elements inside. */
  readonly value: string;
  readonly start: string;
  readonly end: string;
  /** The name in FHIRPath: that of a choice without its type. */
  readonly step: string;
  /** The position in the definition; the types of a choice have one. */
  readonly at: number;
  readonly many: boolean;
  readonly kind: 'attribute' | 'primitive' | 'xhtml' | 'complex' | 'resource';
  readonly json: Primitive['json'];
  /** The elements inside; those of Element for a primitive. */
  readonly layout: () => Layout;
}

/** A type as XML has it. */
export interface Layout {
  readonly name: string;
  readonly isResource: boolean;
  /** The fields by their name. */
  readonly fields: ReadonlyMap<string, Field>;
}

/** Finds layouts, each made at its first use and kept with the types. */
export interface Layouts {
  /** The layout of a resource type; undefined if R4 has no such type. */
  resource(name: string): Layout | undefined;
}

/** The layouts of these types. */
export function layoutsOf(types: XmlTypes): Layouts {
  const known = cache.get(types);
  if (known !== undefined) return known;
  const made = createLayouts(types);
  cache.set(types, made);
  return made;
}

const cache = new WeakMap<XmlTypes, Layouts>();

function createLayouts(types: XmlTypes): Layouts {
  const compiled = new Map<XmlType, Layout>();
  const layoutOf = (type: XmlType): Layout => {
    const known = compiled.get(type);
    if (known !== undefined) return known;
    const made = compile(type);
    compiled.set(type, made);
    return made;
  };
  const byName = (name: string): Layout => {
    const type = types.get(name);
    if (type === undefined) throw new Error(`R4 has no type ${name}`);
    return layoutOf(type);
  };
  function compile({ name, kind, properties }: XmlType): Layout {
    const fields = new Map<string, Field>();
    const positions = new Map<XmlElement, number>();
    for (const [property, { element, type }] of properties) {
      const at = positions.get(element) ?? positions.size;
      positions.set(element, at);
      const { content, code } = type;
      const primitive = content === undefined ? primitives.get(code) : undefined;
      const inside = content ?? (primitive === undefined ? types.get(code) : undefined);
      fields.set(property, {
        name: property,
        beside: `_${property}`,
        value: `<${property} value="`,
        start: `<${property}`,
        end: `</${property}>`,
        step: element.name,
        at,
        many: element.max > 1,
        kind: element.attribute
          ? 'attribute'
          : code === 'xhtml'
            ? 'xhtml'
            : primitive !== undefined
              ? 'primitive'
              : inside?.kind === 'resource'
                ? 'resource'
                : 'complex',
        json: primitive?.json ?? 'string',
        layout: () => (inside === undefined ? byName('Element') : layoutOf(inside)),
      });
    }
    return { name, isResource: kind === 'resource', fields };
  }
  return {
    resource(name) {
      const type = types.get(name);
      return type?.kind === 'resource' ? layoutOf(type) : undefined;
    },
  };
}
