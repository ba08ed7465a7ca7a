import type { ResourceType } from '../model/model.ts';

/** The type with all indexed parameters, for rules and operators, including those that clients cannot use. */
export const withIndexed = (type: ResourceType): ResourceType => ({
  ...type,
  parameters: new Map([...[...type.indexed].filter(([, { reads }]) => reads === undefined), ...type.parameters]),
});
