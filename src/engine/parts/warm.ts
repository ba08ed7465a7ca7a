import { performance } from 'node:perf_hooks';
import { createHook } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Engine } from '../../interaction/interaction.ts';
import { warmValidator } from '../../validation/warm.ts';
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

/** An object that Node made for `process.nextTick`. */
let kept: object | undefined;

/**
 * Keeps one such object, and so the hidden class of all of them, which V8 otherwise collects with the garbage of an
 * idle process. Node's compiled code expects that class: without it each tick costs 0.3 µs more until the process ends
 * (Node 26), and a request takes several.
 */
function keepTick(): void {
  if (kept !== undefined) return;
  const hook = createHook({
    trackPromises: false, // tracking them once makes all later ones slower
    init(_, type, __, resource) {
      if (type === 'TickObject') kept = resource;
    },
  });
  hook.enable();
  process.nextTick(() => {});
  hook.disable();
}

/**
 * Collects all garbage and returns its memory to the system, which pauses the process for some 50 ms. V8 does neither
 * in an idle process: after a start the garbage of the definitions would stay, 22 of 123 MB.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { type: 'major'; flavor: 'last-resort' }) => void; // of V8
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', flavor: 'last-resort' });
}
