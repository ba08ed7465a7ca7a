import type { Definitions } from '../definitions/definitions.ts';
import type { TypeDefinitions } from '../model/element.ts';
import type { Validator } from './profile/validator.ts';

/** A validator that is made when it is first asked for, so that a start and idle memory do not pay for it; then it is kept. */
export function lazyValidator(definitions: Definitions, types: TypeDefinitions): () => Promise<Validator> {
  let made: Promise<Validator> | undefined;
  return () =>
    (made ??= import('./profile/validator.ts').then(({ createValidator }) => createValidator(definitions, types)));
}
