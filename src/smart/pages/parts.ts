import type { IncomingMessage } from 'node:http';
import type { Conversations } from '../conversation.ts';
import type { Launch, RegisteredUser, Registry } from '../registered.ts';
import type { Sessions } from '../session.ts';
import type { Credentials } from '../sign-in.ts';
import type { Engine } from '../../interaction/interaction.ts';
import type { Brand } from './brand.ts';
import type { Log } from '../../observability/log.ts';

/** What the pages work with. */
export interface PagesParts {
  readonly engine: Engine;
  readonly conversations: Conversations;
  readonly registry: Pick<Registry, 'user' | 'clients'>;
  readonly sessions: Pick<Sessions, 'begin' | 'find' | 'isAlive' | 'end' | 'endAll'>;
  /** Throws SignInRefused. */
  readonly signIn: (credentials: Credentials) => Promise<RegisteredUser>;
  /** Keeps what an EHR says, and gives the launch value for it. */
  readonly createLaunch: (launch: Launch) => Promise<string>;
  /** What absolute URLs begin with; no trailing slash. */
  readonly publicUrl: string;
  readonly config: PageSettings;
  readonly brand: Brand;
  /** Of the client, where it can be told. */
  readonly clientAddress: (request: IncomingMessage) => string;
  readonly log: Pick<Log, 'fault'>;
}

/** Settings that the pages keep to, or tell of. Milliseconds. */
export interface PageSettings {
  readonly appTokenLifetime: number;
  readonly refreshIdle: number;
  readonly refreshLifetime: number;
  /** Origins of sites that may show the pages in a frame. */
  readonly frameAncestors: readonly string[];
}
