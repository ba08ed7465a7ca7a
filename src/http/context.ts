import type { Access } from '../auth/access.ts';
import type { ParameterizedContext } from 'koa';
import type { FhirResponse } from '../interaction/interaction.ts';
import type { PartitionIdentity } from '../store/partitions.ts';
import type { QueryPair } from '../search/request.ts';
import type { Route } from './routes.ts';

/** What the steps of a request tell each other. Each field is set by the step that its comment names. */
export interface RequestState {
  /** middleware/request-id.ts */
  requestId: string;
  /** The client's own id, where it could not be taken. */
  correlationId: string | undefined;
  /** target.ts: the path as it was sent, and the query without its `?`, not decoded. */
  path: string;
  query: string;
  /** middleware/account.ts: of the client. */
  address: string;
  /** By which the audit knows what belongs to this request; small, since it is held until the event is made. */
  origin: object;
  /** respond.ts: how the request was answered. */
  response: FhirResponse | undefined;
  /** find-path.ts: the pattern of the path, and what stands in its variable segments. */
  pattern: string | undefined;
  params: Readonly<Record<string, string>>;
  /** fhir-request.ts: undefined where nothing of FHIR is asked for. */
  asked: Asked | undefined;
  /**
   * fhir-request.ts: how the answer is written; undefined where a request is refused before its parameters are read.
   */
  pretty: boolean | undefined;
  contentType: string | undefined;
}

/** As much of a FHIR request as is read so far: what log and audit tell of one that is refused. */
export interface Asked {
  partition?: PartitionIdentity;
  access?: Access;
  route?: Route;
  parameters?: readonly QueryPair[];
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
