import { endWith } from '../http/connection/places.ts';
import type { Context } from '../http/context.ts';
import type { Pages } from '../http/explorer.ts';
import { answerOf } from '../interaction/answer-of.ts';
import { createPaths } from '../interaction/routes.ts';
import { readPageForm } from '../http/body/form.ts';
import { createSlots } from '../limits/slots.ts';
import { PageProblem } from '../pages/problem.ts';
import type { Reply } from '../pages/reply.ts';
import { sendReply } from '../pages/send.ts';
import { replyOf } from '../pages/visit.ts';
import { pages } from './pages.ts';
import { signInInstead } from './session/sign-in-page.ts';
import { failurePage } from './shell/error-page.ts';
import { openVisit } from './shell/open-visit.ts';
import type { ExplorerParts } from './shell/parts.ts';
import { assets, explorerSite } from './shell/site.ts';
import type { Visit } from './shell/visit.ts';

/** Pages that are made at the same time: each may read records of 16 MiB, and makes as much of them. */
const MOST_AT_WORK = 8;

/** The pages of the explorer (pages.ts). */
export function createExplorer(parts: ExplorerParts): Pages {
  const find = createPaths(pages.map(page => [page.pattern, page]));
  const site = explorerSite(parts);
  const atWork = createSlots(MOST_AT_WORK);
  const answer = async (
    context: Context,
    params: Readonly<Record<string, string>>,
    make: (visit: Visit) => Promise<Reply>,
  ): Promise<void> => {
    const { res, state, method } = context;
    const { visit, problem } = await openVisit(parts, context, params);
    const room = parts.rooms.open(state.address);
    // No page of another origin reads a page, as it may read JSON.
    for (const name of res.getHeaderNames()) if (name.startsWith('access-control-')) res.removeHeader(name);
    const send = (reply: Reply): Promise<void> => sendReply(site, visit, reply, bytes => room.take(bytes));
    // A form waits for its client.
    const leave = method === 'POST' ? undefined : await atWork.take();
    try {
      if (problem !== undefined) throw problem.error;
      const reply = await make(visit);
      if (reply.kind === 'download') leave?.(); // it lasts as long as its client likes
      await send(reply);
    } catch (error) {
      const { failure, isFault } = answerOf(error, state.requestId);
      const isProblem = error instanceof PageProblem;
      if (isFault && !isProblem) parts.log.fault(error, state.requestId);
      if (res.headersSent || res.destroyed) return;
      const { place } = visit;
      const isSignIn = failure.status === 401 && place !== undefined;
      const page = isSignIn ? await signInInstead(visit, place, failure) : undefined;
      await send(page ?? failurePage(visit, isProblem ? error : failure));
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
      await answer(context, found.params, visit =>
        replyOf(visit, found.value, parts.publicUrl, () => readPageForm(req, res, parts.bodyTimeout)),
      );
      return true;
    },
    missing: (context, error) => answer(context, {}, () => Promise.reject(error)),
  };
}
