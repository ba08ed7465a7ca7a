import { performance } from 'node:perf_hooks';
import type { Engine } from '../../interaction/interaction.ts';
import { warmValidator } from '../../validation/warm.ts';
import { collectGarbage } from '../collect-garbage.ts';
import { keepTick } from '../keep-tick.ts';
import type { Start } from '../start.ts';

/** Milliseconds after a start that are reserved for waiting clients. */
const idleAfter = 1_000;

/** The share of a second that an idle process works. */
const mostIdle = 0.1;

/**
 * Compiles the checks of the validator once the clients that waited for the start have been answered, and frees the
 * memory of the start in the first idle second: V8 would run slower for some seconds after it. Returns a function that
 * ends this. Without an engine only the memory is freed.
 */
export function warmLater({ log, closing }: Start, engine: Engine | undefined): () => void {
  let timer: NodeJS.Timeout;
  keepTick();
  const later = (run: () => void): void => void (timer = setTimeout(() => closing() || run(), idleAfter).unref());
  const collectWhenIdle = (): void => {
    const before = performance.eventLoopUtilization();
    later(() => {
      if (performance.eventLoopUtilization(before).utilization < mostIdle) collectGarbage();
      else collectWhenIdle();
    });
  };
  if (engine === undefined) later(collectWhenIdle);
  else
    later(() => {
      const { validator, model } = engine;
      warmValidator(validator, model.types.values())
        .then(collectWhenIdle)
        .catch(error => log.fault(error, 'none'));
    });
  return () => clearTimeout(timer);
}
