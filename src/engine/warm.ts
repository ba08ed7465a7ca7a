import type { Engine } from '../interaction/interaction.ts';
import { warmValidator } from '../validation/warm.ts';
import { collectGarbage } from './collect-garbage.ts';
import type { Start } from './start.ts';

/** Milliseconds after a start that are reserved for waiting clients. */
const idleAfter = 1_000;

/**
 * Compiles the checks of the validator once the clients that waited for the start have been answered, and
 * frees the memory of the start.
 */
export function warmLater({ model, log, closing, opened }: Start, engine: Engine): void {
  const timer = setTimeout(() => {
    if (closing()) return;
    void warmValidator(engine.validator, model.types.values())
      .then(collectGarbage)
      .catch(error => log.fault(error, 'none'));
  }, idleAfter).unref();
  opened(() => clearTimeout(timer));
}
