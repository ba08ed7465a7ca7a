import type { Definitions } from '../definitions/definitions.ts';
import { makeOnce } from '../limits/cache.ts';
import type { Model } from '../model/model.ts';
import type { TerminologySettings } from '../terminology/server.ts';
import type { Validator } from './profile/validator.ts';

/**
 * A validator that is created at its first use, so that a start does not wait for it, and cached. It may call the
 * terminology server of the settings.
 */
export function lazyValidator(
  definitions: Definitions,
  model: Model,
  settings?: TerminologySettings,
): () => Promise<Validator> {
  return makeOnce(() => make(definitions, model, settings));
}

async function make(
  definitions: Definitions,
  model: Model,
  settings: TerminologySettings | undefined,
): Promise<Validator> {
  const [{ createValidator }, { terminologyServerOf }] = await Promise.all([
    import('./profile/validator.ts'),
    import('../terminology/server.ts'),
  ]);
  const server = settings && terminologyServerOf(settings);
  return createValidator(definitions, model.definitions, server, canonical => model.snapshot(canonical));
}
