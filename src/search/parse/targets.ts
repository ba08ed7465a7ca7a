import type { SearchParam } from '../../model/model.ts';

/** True if a reference parameter may refer to a type; one without targets may refer to any. */
export const mayTarget = ({ targets }: SearchParam, type: string): boolean =>
  targets.length === 0 || targets.includes(type);
