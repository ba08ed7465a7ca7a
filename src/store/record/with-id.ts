import type { Put } from '../port/records.ts';

/** A change with another id: that of its reservation. The text begins as fhir/resource-text.ts writes it. */
export function withId(change: Put, id: string): Put {
  const { before, after } = change.text;
  const ending = (of: string): string => `"id":${JSON.stringify(of)},"meta":{`;
  if (!before.endsWith(ending(change.id))) throw new Error('The text of a change has an unexpected beginning');
  const start = before.slice(0, -ending(change.id).length);
  const { parsed: _, ...kept } = change; // it has the other id
  return { ...kept, id, text: { before: start + ending(id), after } };
}
