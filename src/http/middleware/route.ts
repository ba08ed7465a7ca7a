import type { Model } from '../../model/model.ts';
import type { Step } from '../context.ts';
import { resolveRoute } from '../routes.ts';
import type { Shape } from '../routes.ts';

/** Decides what is asked for; refuses with 404 or 405 what the definitions do not declare. */
export function findRoute(model: Model, shape: Shape): Step {
  return context => {
    context.state.route = resolveRoute(model, shape, context.method, context.state.params);
  };
}
