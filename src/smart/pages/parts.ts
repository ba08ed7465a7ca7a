import type { IncomingMessage } from 'node:http';
import type { Conversations } from '../sign-in/conversation.ts';
import type { Launch, RegisteredUser, Registry } from '../accounts/registered.ts';
import type { Sessions } from '../sign-in/session.ts';
import type { Credentials } from '../sign-in/sign-in.ts';
import type { Engine } from '../../interaction/interaction.ts';
import type { Brand } from '../../pages/brand.ts';
import type { Log } from '../../observability/log.ts';

/** The dependencies of the pages. */
export interface PagesParts {
  readonly engine: Engine;
  readonly conversations: Conversations;
  readonly registry: Pick<Registry, 'user' | 'clients'>;
  readonly sessions: Pick<Sessions, 'begin' | 'find' | 'isAlive' | 'end' | 'endAll'>;
  /** Throws SignInRefused. */
  readonly signIn: (credentials: Credentials) => Promise<RegisteredUser>;
  /** Stores a launch and returns its launch token. */
  readonly createLaunch: (launch: Launch) => Promise<string>;
  /** The base of absolute URLs; no trailing slash. */
  readonly publicUrl: string;
  readonly config: PageSettings;
  readonly brand: Brand;
  /** The address of the client, if it can be determined. */
  readonly clientAddress: (request: IncomingMessage) => string;
  readonly log: Pick<Log, 'fault'>;
}

/** Settings that the pages follow or show. Times in milliseconds. */
export interface PageSettings {
  readonly appTokenLifetime: number;
  readonly refreshIdle: number;
  readonly refreshLifetime: number;
  /** Within which a form must arrive. */
  readonly bodyTimeout: number;
  /** Origins of sites that may show the pages in a frame. */
  readonly frameAncestors: readonly string[];
}
