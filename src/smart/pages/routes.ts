import { cancelPosted, conversationOf, nextStep } from './conversation.ts';
import { consentStep, consentStepPosted } from './consent.ts';
import { launcher, launcherPosted } from './launcher.ts';
import { patientStep, patientStepPosted } from './patient-step.ts';
import { Problem } from './problem.ts';
import { signInAlone, signInAlonePosted } from './sign-in-alone.ts';
import { signInStep, signInStepPosted } from './sign-in-step.ts';
import { signOut, signOutPosted } from './sign-out.ts';
import type { Route } from './visit.ts';

/** Every page. */
export const routes: readonly Route[] = [
  { pattern: '/auth/interaction/:uid', get: async visit => nextStep(conversationOf(visit)) },
  { pattern: '/auth/interaction/:uid/sign-in', get: signInStep, post: signInStepPosted },
  { pattern: '/auth/interaction/:uid/patient', get: patientStep, post: patientStepPosted },
  { pattern: '/auth/interaction/:uid/consent', get: consentStep, post: consentStepPosted },
  { pattern: '/auth/interaction/:uid/cancel', post: cancelPosted },
  { pattern: '/auth/sign-in', get: signInAlone, post: signInAlonePosted },
  { pattern: '/auth/sign-out', get: signOut, post: signOutPosted },
  { pattern: '/auth/launcher', get: launcher, post: launcherPosted },
];

/** The answer below these paths where no page matches. */
const missing: Route = {
  pattern: '',
  get: () => Promise.reject(new Problem(404, 'notFound')),
  post: () => Promise.reject(new Problem(404, 'notFound')),
};

/** The page of a path, with the values of its variable segments; undefined for paths outside the pages. */
export function findRoute(
  path: string,
): { readonly route: Route; readonly params: Readonly<Record<string, string>> } | undefined {
  for (const route of routes) {
    const params = paramsOf(route.pattern, path);
    if (params !== undefined) return { route, params };
  }
  return /^\/auth\/(?:interaction|assets|sign-in|sign-out|launcher)(?:\/|$)/.test(path)
    ? { route: missing, params: {} }
    : undefined;
}

function paramsOf(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const [expected, given] = [pattern.split('/'), path.split('/')];
  if (expected.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, segment] of expected.entries()) {
    const text = given[at] ?? '';
    if (!segment.startsWith(':')) {
      if (segment !== text) return undefined;
    } else if (/^[A-Za-z0-9_-]{1,128}$/.test(text)) params[segment.slice(1)] = text;
    else return undefined;
  }
  return params;
}
