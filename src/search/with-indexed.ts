import type { ResourceType } from '../model/model.ts';

/** The type with all indexed parameters, for rules and operators, including those that clients cannot use. */
export const withIndexed = (type: ResourceType): ResourceType => ({
  ...type,
  parameters: new Map([...[...type.indexed].filter(([code]) => !isOfModifier(code)), ...type.parameters]),
});

/** The parameter of a modifier has a code such as `code:text`, which no definition can have. */
const isOfModifier = (code: string): boolean => code.includes(':');
