import type { Property, TypeDefinition, TypeDefinitions } from '../model/element.ts';
import { isObject } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import type { Issue } from '../fhir/outcome.ts';
import type { Model, ResourceType } from '../model/model.ts';
import { Report } from './report.ts';

/** A visited value, with its element, its type and its object. */
export interface VisitedValue extends Property {
  readonly value: unknown;
  readonly owner: JsonObject;
}

/**
 * Visits every value of a resource that its definitions know, items of arrays one by one, contained resources and
 * extensions of primitives too; `report.path` has the position. Skips values that the structure check rejects, so that
 * both can be reported together.
 */
export function walk(
  resource: unknown,
  definitions: TypeDefinitions,
  report: Report,
  visit: (met: VisitedValue) => void,
): void {
  const { path } = report;
  const element = definitions.get('Element');

  function walkResource(value: unknown): void {
    const type = isObject(value) ? definitions.get(String(value['resourceType'])) : undefined;
    if (isObject(value) && type !== undefined) walkObject(value, type);
  }

  function walkObject(owner: JsonObject, type: TypeDefinition): void {
    for (const name of Object.keys(owner)) {
      const sibling = name.startsWith('_');
      const property = type.properties.get(sibling ? name.slice(1) : name);
      if (property === undefined) continue;
      path.push(property.element.name);
      each(owner[name], value => {
        if (sibling) {
          if (isObject(value) && element !== undefined) walkObject(value, element);
        } else walkValue({ value, owner, ...property });
      });
      path.pop();
    }
  }

  function each(value: unknown, one: (value: unknown) => void): void {
    if (!Array.isArray(value)) return one(value);
    value.forEach((item: unknown, index) => {
      path.push(index);
      one(item);
      path.pop();
    });
  }

  function walkValue(met: VisitedValue): void {
    if (report.full || met.value === null || met.value === undefined) return;
    visit(met);
    const content = met.type.content ?? definitions.get(met.type.code);
    if (content?.kind === 'resource') walkResource(met.value);
    else if (content?.kind === 'complex-type' && isObject(met.value)) walkObject(met.value, content);
  }

  walkResource(resource);
}

/**
 * Rejects base64 outside of the attachment of a type that has one: it would be stored in the record, and returned with
 * it. `attached` are the objects that contain the attachments. https://hl7.org/fhir/R4/datatypes.html#attachment
 */
export function checkBinaries(
  resource: unknown,
  { name, attachment }: Pick<ResourceType, 'name' | 'attachment'>,
  { definitions }: Pick<Model, 'definitions'>,
  attached: ReadonlySet<unknown>,
): readonly Issue[] {
  if (attachment === undefined) return [];
  const report = new Report(50);
  report.path.push(name);
  walk(resource, definitions, report, ({ owner, element, type: { code } }) => {
    if (code !== 'base64Binary' || element.path === 'Attachment.hash' || attached.has(owner)) return;
    report.add(
      'business-rule',
      `Binary content is accepted at \`${attachment.path}\` only: send it there, or omit it.`,
    );
  });
  return report.issues;
}

/** A Reference with a text, and its position. */
export interface FoundReference {
  readonly text: string;
  readonly expression: string;
}

/**
 * The literal references of a resource of a type, for callers that resolve their targets.
 * https://hl7.org/fhir/R4/references.html#literal
 */
export function findReferences(
  resource: unknown,
  { name }: { readonly name: string },
  { definitions }: { readonly definitions: TypeDefinitions },
): readonly FoundReference[] {
  const place = new Report(0);
  place.path.push(name);
  const references: FoundReference[] = [];
  walk(resource, definitions, place, ({ value, type: { code } }) => {
    const text = code === 'Reference' && isObject(value) ? value['reference'] : undefined;
    if (typeof text === 'string') references.push({ text, expression: `${place.expression}.reference` });
  });
  return references;
}
