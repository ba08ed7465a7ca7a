import type { Context } from '../http/context.ts';
import { answerOf } from '../interaction/answer-of.ts';
import { createPaths } from '../interaction/paths.ts';
import { pages } from './pages.ts';
import { signInInstead } from './session/sign-in-page.ts';
import { answerPage } from './shell/answer-page.ts';
import { assets } from './shell/layout.ts';
import { errorPage } from './shell/error-page.ts';
import { openVisit } from './shell/open-visit.ts';
import type { ExplorerParts } from './shell/parts.ts';
import { send } from './shell/send.ts';

/** Answers a request for a page; returns false, without any effect, if no page has the path. */
export type Explorer = (context: Context) => Promise<boolean>;

/** The pages of the explorer (pages.ts). */
export function createExplorer(parts: ExplorerParts): Explorer {
  const find = createPaths(pages.map(page => [page.pattern, page]));
  return async context => {
    const { req, res, state } = context;
    if (assets.send(state.path, parts.brand.logo, req, res)) return true;
    const found = find(state.path);
    if (found === undefined) return false;
    const { visit, problem } = await openVisit(parts, context, found.params);
    try {
      if (problem !== undefined) throw problem;
      send(visit, await answerPage(visit, found.value));
    } catch (error) {
      const { failure, isFault } = answerOf(error, state.requestId);
      if (isFault) parts.log.fault(error, state.requestId);
      if (res.headersSent || res.destroyed) return true;
      const { place } = visit;
      const isSignIn = failure.status === 401 && place !== undefined;
      send(visit, isSignIn ? await signInInstead(visit, place, failure) : errorPage(visit, failure));
    }
    return true;
  };
}
