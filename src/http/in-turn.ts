import type { Middleware, Step } from './context.ts';

/** Runs steps one after the other, then what follows: for less than a middleware each, and at once where they do not wait. */
export function inTurn(...steps: readonly Step[]): Middleware {
  return async (context, next) => {
    for (const step of steps) {
      const work = step(context);
      if (work !== undefined) await work;
    }
    return next();
  };
}
