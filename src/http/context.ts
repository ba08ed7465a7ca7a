import type { Access } from '../auth/access.ts';
import type { ParameterizedContext } from 'koa';
import type { FhirResponse } from '../interaction/interaction.ts';
import type { Partition } from '../store/partitions.ts';
import type { QueryPair } from '../search/request.ts';
import type { Route } from './routes.ts';

/** What the steps of a request tell each other. Each field is set by the step that its comment names. */
export interface RequestState {
  /** middleware/request-id.ts */
  requestId: string;
  /** The client's own id, where it could not be taken. */
  correlationId: string | undefined;
  /** middleware/target.ts: the path as it was sent, and the query without its `?`, not decoded. */
  path: string;
  query: string;
  /** middleware/account.ts: of the client. */
  address: string;
  /** By which the audit knows what belongs to this request; small, since it is held until the event is made. */
  origin: object;
  /** respond.ts: how the request was answered. */
  response: FhirResponse | undefined;
  /** middleware/path.ts: the pattern of the path, and what stands in its variable segments. */
  pattern: string | undefined;
  params: Readonly<Record<string, string>>;
  /** middleware/partition.ts */
  partition: Partition;
  /** `{publicUrl}/r4/{partition}`. */
  base: string;
  /** middleware/guard.ts */
  access: Access;
  /** middleware/route.ts */
  route: Route;
  /** middleware/parameters.ts: from query and form, without `_format` and `_pretty`. */
  parameters: readonly QueryPair[];
  /** middleware/parameters.ts */
  pretty: boolean;
  contentType: string;
  /** middleware/resource.ts: what a write sends. */
  body: Buffer | undefined;
}

export type Context = ParameterizedContext<RequestState>;
export type Next = () => Promise<unknown>;
export type Middleware = (context: Context, next: Next) => Promise<unknown>;
/** What comes last: it answers. */
export type Handler = (context: Context) => Promise<void>;
/** A middleware with nothing to do once those after it are through. */
export type Step = (context: Context) => Promise<void> | void;

/** Sends a response; the same for answers and failures. */
export type Respond = (context: Context, response: FhirResponse) => Promise<void>;
