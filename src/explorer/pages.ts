import type { Reply } from '../pages/reply.ts';
import type { Page } from '../pages/visit.ts';
import { explainPage } from './explain/explain-page.ts';
import { exportPosted, exportsPage } from './exports/exports-page.ts';
import { jobFilePage, jobOfClient, jobPage, jobPosted } from './exports/job-page.ts';
import { indexesPage } from './indexes/indexes-page.ts';
import { overviewPage } from './patient/overview-page.ts';
import { profilePage, profilesPage } from './profile/profile-page.ts';
import { basePage, interfacePage } from './interface/interface-page.ts';
import { suggestPage } from './interface/suggest-page.ts';
import { typePage, typeSearch } from './interface/type-page.ts';
import { picturePage, recordPage } from './record/record-page.ts';
import { versionsPage } from './record/versions.ts';
import { isOperation, operationPage } from './results/operation-page.ts';
import { resultsPage } from './results/results-page.ts';
import { callbackPage, signInPage, signInPosted, signOutPosted } from './session/sign-in-page.ts';
import { openPartition, startPage } from './start/start-page.ts';
import { languagePage } from './shell/site.ts';
import type { Visit } from './shell/visit.ts';

/** The page of a path whose last segment is `last`, or that of the operation that the segment names. */
const ofOperation =
  (last: string, page: (visit: Visit) => Promise<Reply>): ((visit: Visit) => Promise<Reply>) =>
  visit =>
    isOperation(visit.params[last]) ? operationPage(visit) : page(visit);

/**
 * Every page, the first match first. Paths under `/r4` are those of the FHIR interface, for browsers; all other pages
 * are under `/explorer`. A FHIR path without a page is answered as JSON.
 */
export const pages: readonly Page<Visit>[] = [
  { pattern: '/', get: startPage },
  { pattern: '/explorer/language', get: languagePage },
  { pattern: '/explorer/:partition/overview/:type/:id', get: overviewPage },
  { pattern: '/explorer', get: startPage },
  { pattern: '/explorer/open', get: openPartition },
  { pattern: '/explorer/callback', get: callbackPage },
  { pattern: '/explorer/sign-out', post: signOutPosted },
  { pattern: '/explorer/:partition/sign-in', get: signInPage, post: signInPosted },
  { pattern: '/explorer/:partition/profiles', get: profilesPage },
  { pattern: '/explorer/:partition/profile', get: profilePage },
  { pattern: '/explorer/:partition/indexes', get: indexesPage },
  { pattern: '/explorer/:partition/explain', get: explainPage },
  { pattern: '/explorer/:partition/exports', get: exportsPage, post: exportPosted },
  { pattern: '/explorer/:partition/exports/:job', get: jobPage, post: jobPosted },
  { pattern: '/explorer/:partition/exports/:job/:file', get: jobFilePage },
  { pattern: '/explorer/:partition/picture/:type/:id', get: picturePage },
  { pattern: '/explorer/:partition/types/:type', get: typePage },
  { pattern: '/explorer/:partition/types/:type/search', get: typeSearch },
  { pattern: '/explorer/:partition/suggest', get: suggestPage },
  { pattern: '/r4/:partition', get: basePage },
  { pattern: '/r4/:partition/', get: basePage },
  { pattern: '/r4/:partition/metadata', get: interfacePage },
  { pattern: '/r4/:partition/_history', get: versionsPage },
  { pattern: '/r4/:partition/_jobs/:job', get: jobOfClient },
  { pattern: '/r4/:partition/_jobs/:job/:file', get: jobOfClient },
  { pattern: '/r4/:partition/:type', get: ofOperation('type', visit => resultsPage(visit)) },
  { pattern: '/r4/:partition/:type/_history', get: versionsPage },
  { pattern: '/r4/:partition/:type/:id', get: ofOperation('id', recordPage) },
  { pattern: '/r4/:partition/:type/:id/_history', get: versionsPage },
  { pattern: '/r4/:partition/:type/:id/_history/:version', get: recordPage },
  // of a compartment
  { pattern: '/r4/:partition/:owner/:id/:type', get: ofOperation('type', visit => resultsPage(visit)) },
  { pattern: '/r4/:partition/*', get: visit => resultsPage(visit) },
];
