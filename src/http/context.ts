import type { Access } from '../auth/access.ts';
import type { ParameterizedContext } from 'koa';
import type { AnswerRoom } from '../interaction/answer-room.ts';
import type { FhirResponse } from '../interaction/interaction.ts';
import type { PartitionIdentity } from '../store/port/partitions.ts';
import type { QueryPair } from '../search/request.ts';
import type { Route } from '../interaction/interaction.ts';

/** The shared state of the steps of a request. Each field is set by the step that its comment names. */
export interface RequestState {
  /** middleware/observe.ts */
  requestId: string;
  /** The client's own id, if it was not accepted as request id. */
  correlationId: string | undefined;
  /** target.ts: the path as sent, and the query without its `?`, not decoded. */
  path: string;
  query: string;
  /** middleware/observe.ts: of the client. */
  address: string;
  /** Identifies the request in the audit; no other request of this process has the same number. */
  requestKey: number;
  /** respond.ts: the response. */
  response: FhirResponse | undefined;
  /** router.ts: the pattern of the path, and the values of its variable segments. */
  pattern: string | undefined;
  params: Readonly<Record<string, string>>;
  /** fhir-request.ts: undefined for a request that is not for FHIR. */
  partialRequest: PartialRequest | undefined;
  /** fhir-request.ts: the format of the answer; undefined if a request is rejected before its parameters are parsed. */
  pretty: boolean | undefined;
  /** fhir-request.ts: the room for the answer. */
  room: AnswerRoom | undefined;
  contentType: string | undefined;
}

/** The parsed part of a FHIR request: the properties that log and audit need of a rejected one. */
export interface PartialRequest {
  partition?: PartitionIdentity;
  access?: Access;
  route?: Route;
  parameters?: readonly QueryPair[];
}

export type Context = ParameterizedContext<RequestState>;
export type Next = () => Promise<unknown>;
export type Middleware = (context: Context, next: Next) => Promise<unknown>;
/** The last step, which answers. */
export type Handler = (context: Context) => Promise<void>;
/** Sends a response, of any status. */
export type Respond = (context: Context, response: FhirResponse) => Promise<void>;
