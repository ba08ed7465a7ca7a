import type { Middleware, Step } from './context.ts';

/** Runs steps one after the other, then the next middleware: cheaper than a middleware each. */
export function inTurn(...steps: readonly Step[]): Middleware {
  return (context, next) => {
    for (const step of steps) step(context);
    return next();
  };
}
