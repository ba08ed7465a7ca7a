import type { Place } from './place.ts';
import type { Visit } from './visit.ts';

/** The path of the sign-in to a partition, which returns to a page of this server. */
export const signInPath = ({ partition }: Place, to: string): string =>
  `/explorer/${partition.id}/sign-in?${new URLSearchParams({ to }).toString()}`;

/** The page of a visit, to return to: with its query, unless it is the answer to a form. */
export const hereOf = ({ request, path }: Visit): string => (request.method === 'GET' ? (request.url ?? path) : path);
