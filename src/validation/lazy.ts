import type { Definitions } from '../definitions/definitions.ts';
import type { TypeDefinitions } from '../model/element.ts';
import type { TerminologySettings } from '../terminology/server.ts';
import type { Validator } from './profile/validator.ts';

/**
 * A validator that is made when it is first asked for, so that a start and idle memory do not pay for it; then it is kept. It
 * may ask the terminology server of the settings.
 */
export function lazyValidator(
  definitions: Definitions,
  types: TypeDefinitions,
  settings?: TerminologySettings,
): () => Promise<Validator> {
  let made: Promise<Validator> | undefined;
  return () => (made ??= make(definitions, types, settings));
}

async function make(
  definitions: Definitions,
  types: TypeDefinitions,
  settings: TerminologySettings | undefined,
): Promise<Validator> {
  const [{ createValidator }, { terminologyServerOf }] = await Promise.all([
    import('./profile/validator.ts'),
    import('../terminology/server.ts'),
  ]);
  return createValidator(definitions, types, settings && terminologyServerOf(settings));
}
