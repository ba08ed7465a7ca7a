import type { Issue } from '../fhir/outcome.ts';
import type { Model, ResourceType } from '../model/model.ts';
import { Report } from './report.ts';
import { walk } from './walk.ts';

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
