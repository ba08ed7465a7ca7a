import { FhirError } from '../../../src/fhir/error.ts';
import { readPatch } from '../../../src/interaction/patch/read-patch.ts';
import { requireModel } from '../../support/loaded-once.ts';

const { model } = await requireModel({ definitions: [] });

/**
 * The text that a patch makes of a record of a shipped type, Patient by default: an array is a JSON Patch, an object is
 * a FHIRPath Patch; texts are sent as they are.
 */
export function patched(record: object | string, patch: object | string, typeName = 'Patient'): string {
  const type = model.types.get(typeName);
  if (type === undefined) throw new Error(`The model has no ${typeName}`);
  const text = typeof patch === 'string' ? patch : JSON.stringify(patch);
  const contentType = text.startsWith('[') ? 'application/json-patch+json' : 'application/fhir+json';
  const apply = readPatch({ model, maxBody: 1_048_576 }, type, { body: Buffer.from(text), contentType });
  return apply({ text: typeof record === 'string' ? record : JSON.stringify(record) }).toString();
}

/** The same, or the status of the error with the code and the place of each issue. */
export function resultOf(...of: Parameters<typeof patched>): string {
  try {
    return patched(...of);
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    return `${error.status} ${error.issues.map(({ code, expression }) => `${code} ${expression}`).join()}`;
  }
}
