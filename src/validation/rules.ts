import { isObject } from '../definitions/json-object.ts';
import type { Issue } from '../fhir/outcome.ts';
import type { Model, ResourceType } from '../model/model.ts';
import { checkCode } from './code.ts';
import { checkReferenceType } from './reference-type.ts';
import { Report } from './report.ts';
import { walk } from './walk.ts';

/** A Reference with a text, and where it stands. */
export interface FoundReference {
  readonly text: string;
  readonly expression: string;
}

export interface RuleFindings {
  readonly issues: readonly Issue[];
  readonly references: readonly FoundReference[];
}

/**
 * What the base definitions ask beyond structure: codes of required bindings, and references to types that fit; where the type
 * has an attachment, also that no other base64 comes with it, `attached` being the objects that hold the attachments. Gives
 * the references too, for whoever can look their targets up. https://hl7.org/fhir/R4/validation.html
 */
export function checkRules(
  resource: unknown,
  type: ResourceType,
  model: Model,
  attached: ReadonlySet<unknown>,
): RuleFindings {
  const report = new Report(50);
  const references: FoundReference[] = [];
  report.path.push(type.name);
  walk(resource, model.definitions, report, ({ value, owner, element, type: { code, targets } }) => {
    if (element.binding?.strength === 'required') checkCode(value, element.binding.valueSet, model, report);
    if (code === 'Reference') {
      checkReferenceType(value, { targets }, report);
      const text = isObject(value) ? value['reference'] : undefined;
      if (typeof text === 'string') references.push({ text, expression: `${report.expression}.reference` });
    }
    if (code !== 'base64Binary' || type.attachment === undefined) return;
    if (element.path === 'Attachment.hash' || attached.has(owner)) return;
    report.add('business-rule', `Binary content is taken at \`${type.attachment.path}\` alone: send it there, or leave it out.`); // prettier-ignore
  });
  return { issues: report.issues, references };
}
