import type { ResourceType } from '../model/model.ts';

/** The type as rules and operators search it: also by the parameters that are not offered to clients. */
export const withIndexed = (type: ResourceType): ResourceType => ({
  ...type,
  parameters: new Map([...type.indexed, ...type.parameters]),
});
