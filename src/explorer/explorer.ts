import { endWith } from '../http/answer/answer-rooms.ts';
import type { Context } from '../http/context.ts';
import type { Pages } from '../http/explorer.ts';
import { answerOf } from '../interaction/answer-of.ts';
import { createPaths } from '../interaction/paths.ts';
import { createSlots } from '../limits/slots.ts';
import { pages } from './pages.ts';
import { signInInstead } from './session/sign-in-page.ts';
import { answerPage } from './shell/answer-page.ts';
import { assets } from './shell/layout.ts';
import { errorPage } from './shell/error-page.ts';
import { openVisit } from './shell/open-visit.ts';
import type { Reply, Visit } from './shell/visit.ts';
import type { ExplorerParts } from './shell/parts.ts';
import { send } from './shell/send.ts';

/** Pages that are made at the same time: each may read records of 16 MiB, and makes as much of them. */
const MOST_AT_WORK = 8;

/** The pages of the explorer (pages.ts). */
export function createExplorer(parts: ExplorerParts): Pages {
  const find = createPaths(pages.map(page => [page.pattern, page]));
  const atWork = createSlots(MOST_AT_WORK);
  const answer = async (
    context: Context,
    params: Readonly<Record<string, string>>,
    replyOf: (visit: Visit) => Promise<Reply>,
  ): Promise<void> => {
    const { res, state, method } = context;
    const { visit, problem } = await openVisit(parts, context, params);
    const room = parts.rooms.open(state.address);
    // A form waits for its client.
    const leave = method === 'POST' ? undefined : await atWork.take();
    try {
      if (problem !== undefined) throw problem.error;
      send(visit, await replyOf(visit), room);
    } catch (error) {
      const { failure, isFault } = answerOf(error, state.requestId);
      if (isFault) parts.log.fault(error, state.requestId);
      if (res.headersSent || res.destroyed) return;
      const { place } = visit;
      const isSignIn = failure.status === 401 && place !== undefined;
      send(visit, isSignIn ? await signInInstead(visit, place, failure) : errorPage(visit, failure), room);
    } finally {
      leave?.();
      endWith(res, room);
    }
  };
  return {
    async page(context) {
      const { req, res, state } = context;
      if (assets.send(state.path, parts.brand.logo, req, res)) return true;
      const found = find(state.path);
      if (found === undefined) return false;
      await answer(context, found.params, visit => answerPage(visit, found.value));
      return true;
    },
    missing: (context, error) => answer(context, {}, () => Promise.reject(error)),
  };
}
